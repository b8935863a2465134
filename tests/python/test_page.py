# SPDX-License-Identifier: BSD-3-Clause
"""The page of a result."""

import json
import re

from drawn import browsed, parsed
from plait.results import check
from plait.units import seconds_text
from plait.views.html import page
from sample import (
    bench_result,
    poisson_result,
    policies_result,
    program_result,
    result,
    spmv_result,
    spread,
)


def test_the_page_of_policies_has_the_paper_s_table():
    text = page([policies_result()])
    assert "MT(7)+OLAP+XTRA+IRR(44:50)" in text
    assert "<h2>Policies</h2>" in text
    assert "<h2>Policies</h2>" not in page([result()])


def test_a_figure_below_zero_is_drawn():
    answer = bench_result()
    for row in answer["rows"].values():
        row["workers_1"] = {"hidden_fraction": spread(-0.3)}
    for tag, attributes in parsed(page([answer])).tags:
        assert tag != "rect" or float(attributes["width"]) > 0


def test_the_page_is_whole_and_needs_nothing_from_elsewhere():
    text = page([result()])
    reader = parsed(text)
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe")
        assert not attributes.get("src")
        assert not attributes.get("href", "").startswith(("http", "//"))
    assert "url(" not in text
    assert "@import" not in text


def test_the_page_shows_the_breakdown():
    reader = parsed(page([result()]))
    tips = [attributes["data-tip"] for _, attributes in reader.tags if "data-tip" in attributes]
    assert any(tip.startswith("base: exposed communication 125 ms") for tip in tips)
    words = " ".join(reader.text)
    assert "processor time of the transport: <copies> & system calls" in words
    assert "83%" in words


def test_the_page_shows_timeline_ledger_and_critical_path():
    seen = browsed(page([result()]))
    words = " ".join(parsed(seen["markup"]).text)
    assert any(tip.startswith("receive from 1\nmessage awaited, rank 0") for tip in seen["tips"])
    assert any(tip.startswith("wait\nexposed communication") for tip in seen["tips"])
    assert any(
        tip.startswith("the runtime\nruntime overhead, rank 0, worker 0\n100.0 µs")
        for tip in seen["tips"]
    )
    assert any(tip.endswith("\non the critical path") for tip in seen["tips"])
    assert "balances within 0.040 %" in words
    assert "on the critical path" in words
    assert (
        ": computation limits it: 58% of the critical path; of 310.0 ms, perfect overlap" in words
    )


def test_without_a_trace_there_is_no_summary():
    answer = result()
    del answer["trace_summary"]
    assert check(answer) == []
    assert "perfect overlap would" not in browsed(page([answer]))["markup"]


def test_many_messages_are_drawn_in_as_many_rows_as_there_is_room_for():
    answer = result()
    receive = next(e for e in answer["timeline"]["plait"] if e["name"].startswith("receive"))
    more = [{**receive, "name": f"more {k}", "end_us": receive["end_us"] + k} for k in range(20)]
    answer["timeline"]["plait"] += more
    assert any(tip.startswith("more ") for tip in browsed(page([answer]))["tips"])


def test_a_message_is_drawn_as_sent_or_awaited_whatever_its_name():
    answer = result()
    for event in answer["timeline"]["plait"]:
        if event["kind"] == "message":
            event["sent"], event["name"] = event["name"].startswith("send"), "ghosts"
    kinds = {tip.split("\n")[1].split(",")[0] for tip in browsed(page([answer]))["tips"]
             if tip.startswith("ghosts")}  # fmt: skip
    assert kinds == {"message being sent", "message awaited"}


def test_a_drawing_is_as_long_as_an_iteration_and_shows_all_ranks_at_work():
    answer = result()
    own = [e for e in answer["timeline"]["base"] if e["rank"] == 1]
    length = answer["variants"]["base"]["total_s"]["median"] / answer["parameters"]["steps"] * 1e6
    for event in own:  # an iteration ahead of rank 0
        event["start_us"] -= length
        event["end_us"] -= length
    later = [{**e, "start_us": e["start_us"] + length, "end_us": e["end_us"] + length} for e in own]
    own[-1]["name"], later[-1]["name"] = "the sweep before", "the next sweep"
    answer["timeline"]["base"] += later
    seen = browsed(page([answer]))
    assert seconds_text(length * 1e-6) in " ".join(parsed(seen["markup"]).text)
    assert any(tip.startswith("the next sweep") for tip in seen["tips"])
    assert not any(tip.startswith("the sweep before") for tip in seen["tips"])


def test_a_result_without_timeline_or_ledger_has_a_page_too():
    answer = result()
    del answer["timeline"]
    answer["hidden_fraction"] = {}
    answer["attainable_s"] = answer["bound_s"] = None
    for one in answer["variants"].values():
        one["ledger"] = []
    parsed(page([answer]))


def test_a_result_without_timeline_or_ledger_says_so():
    answer = result()
    del answer["timeline"]
    for one in answer["variants"].values():
        one["ledger"] = []
    words = " ".join(parsed(browsed(page([answer]))["markup"]).text)
    assert "This result has no timeline." in words
    assert "This result has no ledger." in words


def test_a_program_s_page_has_its_workers_its_timeline_and_its_ledger():
    answer = program_result()
    answer["meaning"] = "3 % <of> the time workers waited."
    answer["timeline"]["program"][0]["critical"] = True
    assert check(answer) == []
    seen = browsed(page([answer]))
    reader = parsed(seen["markup"])
    tips = [attributes["data-tip"] for _, attributes in reader.tags if "data-tip" in attributes]
    assert "rank 1, worker 0: compute 176 ms" in tips
    words = " ".join(reader.text)
    assert "wave" in words
    assert answer["meaning"] in words
    assert "balances within 0.040 %" in words
    assert "176.000  87.6 %" in words
    assert "58% of the critical path; of 310.0 ms" not in words
    assert "96% of the critical path; of 201.0 ms, perfect overlap would leave 178.0 ms" in words
    assert "of its time a worker waits 3.0 % for messages and computes 87.6 %" in words
    assert "as much as can be read" not in words
    assert {"interior", "worker 0", "rank 1"} <= set(seen["drawn"])
    assert any(tip.startswith("the runtime\nruntime overhead, rank 0") for tip in seen["tips"])
    assert any(tip.startswith("receive from 1\nmessage awaited") for tip in seen["tips"])
    assert any(tip.endswith("on the critical path") for tip in seen["tips"])


def test_of_a_long_run_the_middle_is_drawn_first():
    answer = program_result()
    one = answer["timeline"]["program"]
    length = max(e["end_us"] for e in one)
    answer["timeline"]["program"] = [
        {**e, "start_us": e["start_us"] + k * length, "end_us": e["end_us"] + k * length,
         "name": f"{e['name']} {k}"}
        for k in range(101) for e in one
    ]  # fmt: skip
    answer["events_left_out"] = 7
    seen = browsed(page([answer]))
    assert any(tip.startswith("interior 50\n") for tip in seen["tips"])
    assert not any(tip.startswith("interior 0\n") for tip in seen["tips"])
    words = " ".join(parsed(seen["markup"]).text)
    assert "as much as can be read, from the middle of the run" in words
    assert "7 later events found no room" in words


def test_a_result_in_a_page_ends_no_script_and_stays_what_it_is():
    answer = program_result()
    answer["application"] = "</script><b>&"
    text = page([answer])
    assert text.count("</script>") == 2
    data = re.search(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    assert json.loads(data) == answer


def test_the_scripts_of_the_page_stand_in_it_once():
    text = page([result(), program_result()])
    assert text.count("function programArticle(") == 1
    assert "<!--" not in text


def test_several_results_share_a_page():
    reader = parsed(page([result(), bench_result()]))
    assert [a["id"] for tag, a in reader.tags if tag == "article"] == ["r0", "r1"]


def test_speed_up_is_drawn_as_predicted_and_as_measured():
    alone = poisson_result(ranks=1)
    alone["variants"]["base"]["total_s"] = spread(0.620)
    alone["variants"]["plait"]["workers"] = 2
    text = page([poisson_result(), alone])
    reader = parsed(text)
    tips = [attributes["data-tip"] for _, attributes in reader.tags if "data-tip" in attributes]
    # 40 iterations on one rank take 620 ms, on two 310 ms with base and 201 ms with plait.
    assert "base, 1 rank: 1 times as fast, measured" in tips
    assert "base, 2 ranks: 2 times as fast, measured" in tips
    assert "plait, 2 ranks: 3.08 times as fast, measured" in tips
    assert not any(tip.startswith("plait, 1 rank:") for tip in tips)
    assert "Speed-up over ranks" in reader.text
    # Predicted on 8: 8 ms / (1 + 1) ms, and 8 ms / 1 ms where the exchange is hidden.
    assert {"4.00", "8.00"} <= set(reader.text)
    other = poisson_result()
    other["parameters"]["size"] = [64, 64, 64]
    assert "base, 1 rank:" not in page([other])


def test_who_sends_how_much_to_whom_is_drawn():
    reader = parsed(page([spmv_result()]))
    tips = [attributes["data-tip"] for _, attributes in reader.tags if "data-tip" in attributes]
    assert "rank 0 sends 4 KiB to rank 1" in tips
    assert "rank 1 sends 2 KiB to rank 0" in tips
    assert {"Who sends how much to whom", "metis", "1 KiB", "× 1.03"} <= set(reader.text)

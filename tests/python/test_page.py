# SPDX-License-Identifier: BSD-3-Clause
"""The page of a result."""

from drawn import parsed
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


def test_the_page_shows_breakdown_timeline_and_ledger():
    reader = parsed(page([result()]))
    tips = [attributes["data-tip"] for _, attributes in reader.tags if "data-tip" in attributes]
    assert any(tip.startswith("base: exposed communication 125 ms") for tip in tips)
    assert any(tip.startswith("receive from 1 (message), rank 0") for tip in tips)
    assert any(tip.startswith("wait (exposed)") for tip in tips)
    assert any(tip.startswith("the runtime (overhead), rank 0: 100 µs") for tip in tips)
    words = " ".join(reader.text)
    assert "processor time of the transport: <copies> & system calls" in words
    assert "83%" in words
    assert "balances within 0.040%" in words


def frames_of(reader):
    return [a for tag, a in reader.tags if tag == "rect" and a.get("class") == "critical"]


def test_critical_events_that_adjoin_share_a_frame():
    answer = result()
    marked = [e for e in answer["timeline"]["base"] if e.get("critical")]
    assert len(frames_of(parsed(page([answer])))) == len(marked) > 0
    for event in answer["timeline"]["base"]:
        event["critical"] = event["name"] in ("wait", "interior")
    assert len(frames_of(parsed(page([answer])))) == len(marked)


def test_the_critical_path_is_explained():
    reader = parsed(page([result()]))
    assert "on the critical path" in reader.text
    words = " ".join(reader.text)
    assert (
        ": computation limits it: 58% of the critical path; of 310.0 ms, perfect overlap" in words
    )


def test_without_a_trace_there_is_no_summary():
    answer = result()
    del answer["trace_summary"]
    reader = parsed(page([answer]))
    assert check(answer) == []
    assert "perfect overlap would" not in " ".join(reader.text)


def test_many_messages_become_a_lane_of_arrivals():
    answer = result()
    receive = next(e for e in answer["timeline"]["plait"] if e["name"].startswith("receive"))
    more = [{**receive, "end_us": receive["end_us"] + k} for k in range(20)]
    answer["timeline"]["plait"] += more
    reader = parsed(page([answer]))
    assert "arrivals" in reader.text
    assert "being sent" in reader.text


def test_a_message_is_drawn_as_sent_or_awaited_whatever_its_name():
    answer = result()
    for event in answer["timeline"]["plait"]:
        if event["kind"] == "message":
            event["sent"], event["name"] = event["name"].startswith("send"), "ghosts"
    tags = [a for _, a in parsed(page([answer])).tags]
    kinds = [a["class"] for a in tags if a.get("data-tip", "").startswith("ghosts")]
    assert sorted(kinds) == ["k-message", "k-message", "k-receive", "k-receive"]


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
    reader = parsed(page([answer]))
    assert seconds_text(length * 1e-6) in " ".join(reader.text)
    tips = [a["data-tip"] for _, a in reader.tags if "data-tip" in a]
    assert any(tip.startswith("the next sweep") for tip in tips)
    assert not any(tip.startswith("the sweep before") for tip in tips)


def test_a_result_without_timeline_or_ledger_has_a_page_too():
    answer = result()
    del answer["timeline"]
    answer["hidden_fraction"] = {}
    answer["attainable_s"] = answer["bound_s"] = None
    for one in answer["variants"].values():
        one["ledger"] = []
    parsed(page([answer]))


def test_a_program_s_page_has_its_workers_its_middle_and_its_ledger():
    answer = program_result()
    assert check(answer) == []
    reader = parsed(page([answer]))
    tips = [attributes["data-tip"] for _, attributes in reader.tags if "data-tip" in attributes]
    assert "rank 1, worker 0: compute 176 ms" in tips
    words = " ".join(reader.text)
    assert "wave" in words
    assert "balances within 0.040%" in words
    assert "as much as can be read" not in words
    one = answer["timeline"]["program"]
    length = max(e["end_us"] for e in one)
    answer["timeline"]["program"] = [
        {**e, "start_us": e["start_us"] + k * length, "end_us": e["end_us"] + k * length,
         "name": f"{e['name']} {k}"}
        for k in range(101) for e in one
    ]  # fmt: skip
    answer["events_left_out"] = 7
    reader = parsed(page([answer]))
    drawn = {a["data-tip"].split(" (")[0] for _, a in reader.tags if " (" in a.get("data-tip", "")}
    assert "interior 50" in drawn
    assert "interior 0" not in drawn
    words = " ".join(reader.text)
    assert "as much as can be read, from the middle of the run" in words
    assert "7 events found no room" in words


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

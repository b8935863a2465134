# SPDX-License-Identifier: BSD-3-Clause
"""Results of `plait simulate` on a terminal, on the page and beside each other."""

import json
import re

import pytest

from conftest import one_line, plait
from drawn import parsed, shown
from plait.results import check, kind_of
from plait.results.compare import compare_results
from plait.results.figures.simulation import is_rate, labels_of, simulation_sentences
from plait.views.html import page
from sample import loggops_result, simulation_result
from sample_simulation import executed

PLACES = ("network.json", "500mbit", "2gbit")


def bars_of(drawn):
    """The heights of the parts of each bar, by what the bar says of itself."""
    found = re.findall(r'<rect[^>]* height="([0-9.]+)"[^>]* data-tip="([^"]+)"', drawn)
    return {tip.split(" (")[0].rpartition(" ")[0].rpartition(" ")[0]: float(height)
            for height, tip in found}  # fmt: skip


@pytest.mark.parametrize("sample", [simulation_result, loggops_result])
def test_parts_of_what_the_program_wrote_add_up(sample):
    for row in sample()["rows"]:
        assert sum(row["parts"].values()) == pytest.approx(row["predicted_s"], rel=1e-9)


def test_the_table_has_a_row_a_scenario_in_80_columns():
    lines = shown(simulation_result()).splitlines()
    assert lines[0] == "simulation of recording, 2 ranks, dialect plait"
    assert max(map(len, lines)) <= 80
    row = next(line for line in lines if line.startswith("500mbit, dedicated"))
    assert row.split()[2:] == ["417.9", "µs", "latency", "25", "%", "46", "%", "12", "%"]
    assert "core" not in "".join(lines)  # nothing kept a core


def test_sentences_name_the_scenarios_for_which_they_hold():
    sentences = simulation_sentences(simulation_result())
    assert sentences[0] == "for 2 ranks, sizes and durations as recorded"
    asleep = "; ".join(f"{place}, sleeping" for place in PLACES)
    assert sentences[1].startswith(f"{asleep}: L stands 8 times on the path, but 1 ns more of it")
    assert sentences[-1].startswith("not covered: caches of another machine")


def test_what_a_goal_file_says_of_latency_is_told():
    sentences = simulation_sentences(loggops_result())
    assert "L up to 14402 ns for at most 1 % more time" in sentences
    assert "limited by latency from L = 305186" in sentences
    assert "for 2 ranks, sizes and durations as in the file" in sentences


def test_who_carried_the_bytes_is_told():
    answer = simulation_result()
    for row in answer["rows"]:
        for of_ports in ("sensitivities", "tolerated_L_ns", "takes_over"):
            row.pop(of_ports, None)
        row.update(network="nets/tree.xml", topology="SimGrid 3.32, fat tree of 16 hosts")
    assert check(answer) == []
    assert labels_of(answer)[0].startswith("tree.xml, ")
    source = "bytes on links by SimGrid 3.32, fat tree of 16 hosts"
    told = f"{source}: no derivatives, no tolerated latency"
    assert told in simulation_sentences(answer)
    assert told in " ".join(parsed(page([answer])).text)


def test_what_a_recording_tolerates_is_told_with_the_rate_of_a_link():
    answer = simulation_result()
    for row in answer["rows"]:
        row["tolerated_L_ns"] = {"5 %": 1402627}
        row["takes_over"] = [
            {"parameter": "G", "value": 9.826331, "limiter": "core"},
            {"parameter": "L", "value": 2776690.0, "limiter": "bytes"},
        ]
    assert check(answer) == []
    sentences = simulation_sentences(answer)
    assert "L up to 1402627 ns for at most 5 % more time" in sentences
    assert "limited by core from a rate of 851 Mbit/s" in sentences
    assert "limited by bytes from L = 2776690 ns" in sentences


def test_an_answer_that_is_not_to_be_trusted_says_why():
    answer = loggops_result()
    answer["rows"][0] |= {"trusted": False, "why_not_trusted": "o: 5 % more is 2 % off",
                          "ranks_run": 1}  # fmt: skip
    answer["rows"][0]["tolerated_L_ns"]["5 %"] = None
    sentences = simulation_sentences(answer)
    assert "not to be trusted: o: 5 % more is 2 % off" in sentences
    assert "all ranks are alike: one was run" in sentences
    assert "L up to 10,000 times what it is for at most 5 % more time" in sentences


def test_a_large_program_has_its_time_alone():
    answer = loggops_result()
    for member in ("parts", "limiter", "sensitivities", "trusted", "tolerated_L_ns", "takes_over"):
        del answer["rows"][0][member]
    assert check(answer) == []
    assert "the time alone is known" in shown(answer)
    drawn = page([answer])
    assert "the time alone is known" in drawn
    assert "<svg" not in drawn


def test_a_network_without_a_file_is_told():
    answer = simulation_result()
    del answer["rows"][:2], answer["rows"][2:]
    said = " ".join(simulation_sentences(answer))
    assert "latency and overheads count as 0" in said
    answer["rows"][0]["network"] = "free"
    said = " ".join(simulation_sentences(answer))
    assert "messages cost nothing, for no network is named" in said
    assert "network.json" not in said


def test_rates_on_several_files_name_theirs():
    answer = simulation_result()
    rows = answer["rows"][:4:2] + answer["rows"][:4:2]
    answer["rows"] = [dict(row) for row in rows]
    answer["rows"][2]["network"] = "of/another.json"
    assert labels_of(answer) == [
        "network.json, sleeping", "500mbit on network.json, sleeping", "another.json, sleeping",
        "500mbit on another.json, sleeping",
    ]  # fmt: skip
    assert [is_rate(name) for name in ("2.5gbit", "1e2kbit", "a.json", "gbit.json", "")] == [
        *(True, True, False, False, False)
    ]


def test_bars_are_cut_into_parts_as_high_as_their_times():
    answer = simulation_result()
    drawn = page([answer])
    bars = bars_of(drawn)
    parts = answer["rows"][1]["parts"]
    latency, spent = (bars[f"network.json, dedicated: {part}"] for part in ("latency", "overhead"))
    assert latency / spent == pytest.approx(parts["latency_s"] / parts["overhead_s"], rel=0.01)
    assert not any(name.startswith("measured") for name in bars)  # 14 times as long
    words = " ".join(parsed(drawn).text)
    assert "What the answers do not cover" in words
    assert words.count("not covered: caches of another machine") == 1 + len(answer["rows"])
    assert "238 ns for +1 %" in words


def test_many_scenarios_take_several_drawings_of_one_scale():
    answer = simulation_result()
    answer["rows"] = [
        {**row, "network": f"{k}mbit", "predicted_s": k * row["predicted_s"],
         "parts": {part: k * seconds for part, seconds in row["parts"].items()}}
        for k in range(1, 8) for row in answer["rows"][:2]
    ]  # fmt: skip
    drawn = page([answer])
    assert drawn.count("<svg") == 2
    bars = bars_of(drawn)
    first, last = (bars[f"{k}mbit, sleeping: latency"] for k in (1, 7))
    assert last / first == pytest.approx(7, rel=0.02)


def test_long_names_have_room_below_their_bars():
    answer = simulation_result()
    assert page([answer]).count("<svg") == 1
    for row in answer["rows"]:
        row["network"] = f"the network of {row['network']}".replace(".", " ")
        row["policy"] = "sleeping"
    assert page([answer]).count("<svg") == 3


def test_over_ranks_a_bar_and_a_row_stand_for_each_number():
    result = simulation_result()
    (row, *_) = result["rows"]
    laws = [{"of": "relax", "quantity": "duration", "exponent": -1.0, "fitted": -0.97,
             "largest_residual": 0.01}]  # fmt: skip
    rows = [
        {**row, "ranks": 4, "grid": "4", "trusted": True},
        {**row, "ranks": 8, "grid": "8", "trusted": False, "why_not_trusted": "too many"},
    ]
    del rows[1]["recorded_s"]
    result = {**result, "rows": rows, "laws": laws}
    assert check(result) == []
    assert [label.split(",")[0] for label in labels_of(result)] == ["4 ranks", "8 ranks"]
    said = simulation_sentences(result)
    assert "duration as P^−1.00: relax" in said
    assert any("8 ranks" in line and "not to be trusted: too many" in line for line in said)
    assert any("by laws of recordings with other numbers of ranks" in line for line in said)
    assert any(line.startswith("the recorded run on 4 ranks took") for line in said)
    shown_page = page([result])
    assert all(name in shown_page for name in ("4 ranks", "8 ranks", "/ recorded"))


def test_grids_of_as_many_ranks_have_names_of_their_own():
    result = simulation_result()
    (row, *_) = result["rows"]
    rows = [{**row, "ranks": 16, "grid": grid, "trusted": True} for grid in ("4x4", "2x8")]
    del rows[1]["recorded_s"]
    result = {**result, "rows": rows, "laws": []}
    assert check(result) == []
    assert [label.split(",")[0] for label in labels_of(result)] == ["4x4 ranks", "2x8 ranks"]
    said = simulation_sentences(result)
    assert any(line.startswith("the recorded run on 4x4 ranks took") for line in said)


def test_an_execution_stands_beside_the_predictions():
    answer = simulation_result() | {"executed": executed([0.0004, 0.00045, 0.00041])}
    assert check(answer) == []
    said = " ".join(simulation_sentences(answer))
    assert "executed on 2 ranks with openmpi, looks always: 410 µs (405 µs – 430 µs)" in said
    assert "predicted / executed 0.933 to 2.351" in said
    assert bars_of(page([answer]))["measured, executed: measured"] > 0
    answer["executed"]["total_s"]["median"] = 0
    assert check(answer) == ["executed.total_s.median is not above 0"]


def test_two_simulations_of_a_program_are_compared():
    before, after = simulation_result(), simulation_result()
    after["rows"][0]["predicted_s"] *= 0.5
    lines = {line.name: line for line in compare_results(before, after)}
    assert lines["network.json, sleeping predicted"].verdict == "less"
    assert lines["500mbit, sleeping predicted"].verdict == "cannot tell"
    assert "500mbit, dedicated core" not in lines  # nothing in both
    senses = {figure.name: figure.sense for figure in kind_of(before).figures(before)}
    assert (senses["2gbit, sleeping predicted"], senses["2gbit, sleeping looks"]) == (-1, 0)


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("dialect", "ours", "rows[0].dialect is none of loggops, plait"),
        ("policy", None, "rows[0].policy is no text"),
        ("parts", {}, "rows[0].parts is empty"),
        ("predicted_s", -1, "rows[0].predicted_s is negative"),
    ],
)
def test_what_is_wrong_is_named(member, value, said):
    answer = simulation_result()
    answer["rows"][0][member] = value
    assert said in check(answer)
    del answer["rows"][0][member]
    missing = [] if member == "parts" else [f"rows[0].{member} is missing"]
    assert check(answer) == missing


def test_the_commands_read_it(tmp_path):
    file, other = tmp_path / "a.json", tmp_path / "b.json"
    file.write_text(json.dumps(simulation_result()))
    assert plait("report", file).returncode == 0
    assert "simulation of recording" in file.with_suffix(".html").read_text()
    done = plait("compare", file, file)
    assert "network.json, sleeping predicted" in done.stdout
    other.write_text(json.dumps(loggops_result()))
    assert "are different programs" in one_line(plait("compare", file, other))

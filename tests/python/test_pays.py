# SPDX-License-Identifier: BSD-3-Clause
"""examples/simulate/pays.py: what it asks of plait, and what it makes of the answers."""

import importlib
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples/simulate"
GOAL = """num_ranks 2
rank 0 {
l0: calc 1000000000
l1: send 119550859b to 1 tag 0
}
rank 1 {
l0: calc 500000000
l1: send 59775429b to 0 tag 0
}
"""
TASKS_S = {"100mbit": 9.0, "1gbit": 1.8, "10gbit": 1.1}
HAND_S = {"100mbit": 9.1, "1gbit": 2.0, "10gbit": 1.0}


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("validate", "pays_tables", "pays"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("pays")


def rows_of(words):
    """What `plait simulate` writes: tasks pay at 1 Gbit/s, and on 1024 ranks nowhere."""
    networks = words[words.index("--network") + 1].split(",")
    by_hand = "--region" in words
    times_s = HAND_S if by_hand else TASKS_S
    counts = words[words.index("--ranks") + 1].split(",") if "--ranks" in words else ["2"]
    return [
        {"network": network, "ranks": int(ranks), "trusted": int(ranks) <= 8,
         "predicted_s": 5.0 if ranks == "1024" else times_s.get(network, 2.0 - 0.2 * by_hand),
         "recorded_s": 2.0 if by_hand else 1.9}
        for ranks in counts for network in networks
    ]  # fmt: skip


@pytest.fixture
def pays(module, monkeypatch, tmp_path):
    """Runs the script on a plait that takes no time; returns what it asked."""
    asked = []

    def plait(*all_words, **variables):
        words = [str(word) for word in all_words]
        asked.append((words, variables))
        kept = pathlib.Path(words[words.index("--json") + 1])
        if pays.fails and pays.fails in " ".join(words):
            raise module.validate.Failed("much output\nplait: it is refused\n")
        if "--write-goal" in words:
            pathlib.Path(words[words.index("--write-goal") + 1]).write_text(GOAL)
        kept.write_text(json.dumps({"rows": rows_of(words)} if words[0] == "simulate" else {}))

    def pays(*words):
        asked.clear()
        monkeypatch.setattr(sys, "argv", ["pays.py", str(pays.kept), *words])
        module.main()
        return asked

    monkeypatch.setattr(module.validate, "plait", plait)
    pays.kept, pays.fails = tmp_path / "kept", ""
    return pays


RATES = ("--rates", "1gbit,100mbit,10gbit", "--ranks", "4,1024")


def test_all_jobs_come_before_simulations_and_record_both_sides(pays, capsys):
    asked = pays("--programs", "jacobi3d,hpl", *RATES)
    kinds = [words[0] for words, _ in asked]
    assert kinds == ["measure", *["run"] * 4, *["simulate"] * (6 + 2 + 6 + 1)]
    (words, variables), (more, _) = asked[1:3]
    calls = pathlib.Path(words[words.index("--record") + 1])
    assert (calls.parent.name, calls.name) == ("jacobi3d-2", "calls")
    assert variables["PLAIT_RECORD"] == calls.parent / "tasks"
    assert words[words.index("--attach") + 3 : words.index("--attach") + 5] == ["jacobi3d", "--"]
    assert words[words.index("--size") + 1] == "256x256x128"
    assert more[more.index("--size") + 1] == "256x256x256"
    assert [one[one.index("--repeat") + 1] for one in (words, more)] == ["3", "2"]
    assert more[more.index("--lab") + 1] == "nodes=4,rate=1gbit,cores=1"
    assert pays("--programs", "jacobi3d,hpl", *RATES) == []  # all is there


def test_each_run_by_hand_is_held_against_the_tasks_of_its_round(pays):
    asked = [words for words, _ in pays("--programs", "jacobi3d", *RATES)][3:]
    tasks, hand = asked[0:6:2], asked[1:6:2]
    assert [words[words.index("--runtime") + 1] for words in tasks] == ["1", "2", "3"]
    assert [words[words.index("--region") + 1] for words in hand] == ["olap:1", "olap:2", "olap:3"]
    assert {words[words.index("--policy") + 1] for words in hand} == {"workers"}
    assert not any("--policy" in words for words in tasks)
    assert all("--same-work" in words for words in asked[6:])


def test_tables_say_where_it_pays_and_at_how_many_ranks_it_stops(pays, capsys):
    pays("--programs", "jacobi3d", *RATES)
    said = capsys.readouterr().out
    assert max(map(len, said[said.index("program ") :].splitlines())) <= 80
    lines = [line.split() for line in said.splitlines()]
    # 9.0/9.1 and 1.8/2.0 and 1.1/1.0, at 10, 1 and 0.1 times as long under way as computing
    assert ["tasks", "/", "by", "hand", "100mbit", "1gbit", "10gbit"] in lines
    assert ["jacobi3d", "0.989", "0.900", "1.100"] in lines
    assert ["jacobi3d", "olap", "0.4", "to", "7.9", "1.111", "0.950", "+5.3", "-10.0"] in lines
    assert ["4", "ranks", "0.989", "0.900", "1.100"] in lines
    assert ["1024", "ranks", "?", "1.000", "1.000", "1.000"] in lines
    assert ["stops", "at", "4", "1024", "4"] in lines
    (answer,) = json.loads((pays.kept / "result.json").read_text())
    assert answer["measured"] == pytest.approx(0.95)
    assert answer["error_of_tasks"] == pytest.approx(2.0 / 1.9 - 1)
    assert answer["error_by_hand"] == pytest.approx(1.8 / 2.0 - 1)
    assert [one["communication"] for one in answer["over_rates"]] == pytest.approx([10, 1, 0.1])
    trusted = {one["ranks"]: one["trusted"] for one in answer["over_ranks"]["cells"]}
    assert trusted == {4: True, 1024: False}
    page = (pays.kept / "pays.md").read_text()
    assert "| jacobi3d | 0.989 | 0.900 | 1.100 |" in page
    svg = ElementTree.parse(pays.kept / "pays.svg").getroot()
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"jacobi3d", "jacobi3d / olap", "0.900"} <= set(texts)


def test_where_the_program_by_hand_has_no_law_plain_mpi_has_its_place(pays, capsys):
    pays.fails = "--region olap:1 --policy workers --ranks"
    asked = [words for words, _ in pays("--programs", "jacobi3d", *RATES)]
    assert asked[-1][asked[-1].index("--region") + 1] == "split:1"
    assert "jacobi3d / split" in capsys.readouterr().out
    (answer,) = json.loads((pays.kept / "result.json").read_text())
    assert answer["over_ranks"]["refused"] == "olap: plait: it is refused"


def test_a_job_that_fails_is_named_and_the_others_go_on(pays, capsys):
    pays.fails = "--record"
    pays("--programs", "hpl,ft", *RATES)
    said = capsys.readouterr().out
    assert "hpl: plait: it is refused\nft: plait: it is refused\n" in said
    assert not any(words[0] == "run" for words, _ in pays("--programs", "hpl,ft", *RATES))


def test_ranks_that_shared_cores_tell_nothing_of_work_that_changes(pays, module, monkeypatch):
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    pays("--programs", "hpl", *RATES)
    (answer,) = json.loads((pays.kept / "result.json").read_text())
    assert answer["over_ranks"] == {
        "refused": "4 ranks had fewer cores, and a rank's work changes with them"
    }


def test_a_call_that_ends_early_is_gone_on_with(pays, capsys):
    assert pays("--programs", "hpl", "--minutes", "0") == []
    assert "there is more to do" in capsys.readouterr().out
    assert pays("--programs", "hpl")[0][0][0] == "measure"


@pytest.mark.parametrize(
    ("communication", "ratios", "found"),
    [
        ([0.1, 1, 10], [1.0, 1.0, 0.99], []),
        ([0.1, 1, 10], [0.9, 0.9, 0.9], [(0.1, 10)]),
        ([0.1, 1, 10], [1.0, 0.96, 1.0], [(10**-0.5, 10**0.5)]),
        ([10, 1, 0.1], [0.96, 1.0, 0.96], [(0.1, 10**-0.5), (10**0.5, 10)]),
    ],
)
def test_a_range_begins_and_ends_where_two_percent_are_saved(module, communication, ratios, found):
    points = [{"communication": x, "ratio": y} for x, y in zip(communication, ratios)]
    ranges = module.pays_tables.where_it_pays(points)
    assert [end for one in ranges for end in one] == pytest.approx(
        [end for one in found for end in one]
    )


def test_it_stops_at_the_first_number_of_ranks_that_saves_too_little(module):
    cells = [{"rate": "1gbit", "ranks": ranks, "ratio": ratio}
             for ranks, ratio in ((64, 1.0), (4, 0.9), (16, 0.97), (256, 0.9))]  # fmt: skip
    assert module.pays_tables.stops_at(cells, "1gbit") == 64
    assert module.pays_tables.stops_at(cells[1:3], "1gbit") is None


def test_a_program_without_messages_has_no_ratio(module):
    with pytest.raises(module.validate.Failed, match="has no messages in its recording"):
        module.communication_of("num_ranks 1\nrank 0 {\nl0: calc 5\n}\n")


def test_colours_are_of_ratios_alone(module):
    assert module.pays_tables.colour_of("0.900").startswith("hsl(130,")
    assert module.pays_tables.colour_of("1.100").startswith("hsl(5,")
    assert (
        module.pays_tables.colour_of("0.990")
        == module.pays_tables.colour_of("1.010")
        == "hsl(0,0%,94%)"
    )
    assert [module.pays_tables.colour_of(text) for text in ("1024", "-", "1gbit", "")] == [""] * 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--programs", "sloth"], "unknown program sloth; there are jacobi3d, "),
        (["--rates", "1gbit,fast"], "fast is no rate such as 500mbit"),
        (["--ranks", "4,many"], "4,many are no numbers such as 4,64,1024"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(pays, capsys, words, said):
    with pytest.raises(SystemExit) as refused:
        pays(*words)
    assert refused.value.code == 2
    assert said in capsys.readouterr().err

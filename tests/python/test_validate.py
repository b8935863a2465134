# SPDX-License-Identifier: BSD-3-Clause
"""examples/simulate/validate.py: what it asks of plait, in which order, and its table."""

import importlib.util
import json
import pathlib
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "examples/simulate/validate.py"
GOAL = """num_ranks 2
rank 0 {
l0: calc 1000000000
l1: send 11955085b to 1 tag 0
}
rank 1 {
l0: calc 500000000
}
"""


def answer(words):
    """What `plait simulate` writes: 2 s at 1 Gbit/s, and 8 s at 250 Mbit/s."""
    networks = words[words.index("--network") + 1].split(",")
    policies = words[words.index("--policy") + 1].split(",") if "--policy" in words else ["auto"]
    times = {"1gbit": 2.0, "250mbit": 8.0}
    return [
        {"network": network, "policy": policy, "predicted_s": times.get(network, 1.0),
         "recorded_s": 2.5, "limiter": "bytes"}
        for network in networks for policy in policies
    ]  # fmt: skip


@pytest.fixture
def validate(monkeypatch, tmp_path):
    """Runs the script on a plait whose programs take 2 s at any rate; returns what it asked."""
    spec = importlib.util.spec_from_file_location("validate", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    asked = []

    def plait(*all_words):
        words = [str(word) for word in all_words]
        asked.append(words)
        tasks = {"total_s": {"median": 2.0, "samples": [2.0, 2.0]}, "compute_s": 1.0}
        result = {"variants": {"plait": tasks}}
        if any(word.startswith("--attach") for word in words):
            result = {"wall_s": 4.0, "totals": {"compute_s": 1.0}}
        if words[0] == "simulate":
            pathlib.Path(words[words.index("--write-goal") + 1]).write_text(GOAL)
            result = {"rows": answer(words)}
        pathlib.Path(words[words.index("--json") + 1]).write_text(json.dumps(result))

    monkeypatch.setattr(module, "plait", plait)

    def run(*words):
        asked.clear()
        monkeypatch.setattr(sys, "argv", ["validate.py", str(tmp_path / "kept"), *words])
        module.main()
        return asked

    run.kept = tmp_path / "kept"
    return run


def test_predictions_are_written_before_the_runs_that_test_them(validate, capsys):
    words = ("--programs", "jacobi3d", "--rates", "250mbit,1gbit", "--rounds", "2")
    asked = validate(*words, "--policies", "none")
    kinds = [words[0] for words in asked]
    a_round = ["run", *["simulate"] * 6, *["run"] * 3]
    assert kinds == ["measure", *a_round * 2]
    assert ["--record" in words for words in asked[1:11]] == [True, *[False] * 9]
    rates = [words[words.index("--lab") + 1].split(",")[1] for words in asked[-3:]]
    assert rates == ["rate=250mbit", "rate=1gbit", "rate=1gbit"]
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[-8:])) <= 80
    figures = ["2.000", "+300.0", "+300.0", "+300.0", "+0.0", "-30.0", "+0.0"]
    (row,) = (line for line in lines if line.startswith("jacobi3d") and "250mbit" in line)
    assert row.split() == ["jacobi3d", "250mbit", "2", *figures]
    kept = json.loads((validate.kept / "result.json").read_text())
    assert [row["policy"] for row in kept] == ["", "", "none"]
    assert validate(*words, "--policies", "none") == []  # all is there


def test_a_program_as_it_is_has_a_run_in_a_job(validate, capsys):
    asked = validate("--programs", "", "--attach", "melt=./lmp -in 'in file'", "--rates", "250mbit",
                     "--policies", "sleeping", "--rounds", "1")  # fmt: skip
    assert asked[1][-4:] == ["./lmp", "--", "-in", "in file"]
    assert ["--attach=progress" in words for words in asked[-2:]] == [False, True]
    assert "melt       250mbit          1  4.000 +100.0" in capsys.readouterr().out


def test_more_ranks_are_recorded_on_few_and_tested_on_many(validate, capsys):
    words = ("--programs", "jacobi3d,ft", "--attach", "halo=./halo {ranks} 5", "--ranks", "2,4,8")
    asked = validate(*words, "--rounds", "1")
    kinds = [words[0] for words in asked]
    assert kinds == ["measure", *["run"] * 4, *["simulate"] * 4, *["run"] * 2]  # none of ft
    recorded = [words[words.index("--record") + 1] for words in asked[1:5]]
    assert [name.rpartition("/")[2] for name in recorded] == [
        "jacobi3d-2", "jacobi3d-4", "halo-2", "halo-4"
    ]  # fmt: skip
    assert asked[2][asked[2].index("--size") + 1] == "512x512x32"
    assert asked[3][-3:] == ["--", "2", "5"]
    assert asked[5][1:5] == [*recorded[:2], "--ranks", "8"]
    for test in asked[-2:]:
        assert test[test.index("--lab") + 1] == "nodes=8,rate=250mbit,cores=1"
        assert "--record" not in test
    assert "250mbit 8ranks" in capsys.readouterr().out
    assert validate(*words, "--rounds", "1") == []  # all is there


@pytest.mark.parametrize("ranks", ["2,4", "4,2,8", "2,2,4", "many"])
def test_ranks_to_record_and_to_test_are_needed(validate, capsys, ranks):
    with pytest.raises(SystemExit):
        validate("--programs", "jacobi3d", "--ranks", ranks)
    assert "--ranks: give two numbers to record and a larger one" in capsys.readouterr().err


def test_a_call_that_ends_early_is_gone_on_with(validate, capsys):
    assert validate("--programs", "ft", "--rounds", "1", "--minutes", "0") == []
    assert "there is more to do" in capsys.readouterr().out
    assert len(validate("--programs", "ft", "--rounds", "1")) == 2 + 3 + 4


def test_a_program_that_there_is_not_is_refused(validate, capsys):
    with pytest.raises(SystemExit) as refused:
        validate("--programs", "sloth")
    assert refused.value.code == 2
    assert "unknown program sloth" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--attach", "ft=./ft"], ["--programs", "", "--attach", "answer=./a"],
     ["--attach", "lmp=./lmp", "--policies", "none"]],
)  # fmt: skip
def test_what_cannot_be_told_apart_or_tested_is_refused(validate, words):
    with pytest.raises(SystemExit):
        validate(*words)


def test_a_command_without_a_name_is_refused(validate, capsys):
    with pytest.raises(SystemExit):
        validate("--attach", "./lmp")
    assert "--attach ./lmp: give NAME=COMMAND" in capsys.readouterr().err

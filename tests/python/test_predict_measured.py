# SPDX-License-Identifier: BSD-3-Clause
"""`plait predict collective --measured`: what it starts, shows, draws and refuses."""

import json

import pytest

from conftest import HERE, one_line, plait
from drawn import shown
from plait.results import check
from plait.views.html import page
from sample import collective_result


@pytest.fixture
def predict(tmp_path):
    """Runs `plait predict collective … --measured` on a program that answers what it was asked."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (tmp_path / "answer.json").write_text(json.dumps(collective_result()))
    program = programs / "collective"
    program.write_text(f'#!/bin/sh\nexec "{HERE}/fake_collective.py" "{tmp_path}" "$@"\n')
    program.chmod(0o755)

    def run(*arguments):
        return plait("predict", "collective", *arguments, PLAIT_BIN_DIR=str(programs))

    run.asked = lambda: json.loads((tmp_path / "asked.json").read_text())
    return run


def test_it_is_measured_on_as_many_ranks_as_are_asked_for(predict, tmp_path):
    done = predict("alltoall,bcast", "--measured", "--ranks", "3", "--sizes", "64KiB,1MiB",
                   "--repeat", "3", "--json", tmp_path / "r.json",
                   "--report", tmp_path / "r.html")  # fmt: skip
    assert done.returncode == 0, done.stderr
    asked = predict.asked()
    assert asked["ranks"] == 3
    assert asked["words"] == [
        "--progress", "--op", "alltoall,bcast", "--sizes", "64KiB,1MiB", "--algorithms", "all",
        "--repeat", "3",
    ]  # fmt: skip
    assert check(json.loads((tmp_path / "r.json").read_text())) == []
    assert "<svg" in (tmp_path / "r.html").read_text()


def test_what_is_left_out_is_the_programs_to_choose(predict):
    assert predict("bcast", "--measured").returncode == 0
    assert predict.asked()["ranks"] == 2
    assert predict.asked()["words"] == ["--progress", "--op", "bcast", "--algorithms", "all"]


def test_the_table_holds_prediction_against_measurement_in_80_columns():
    text = shown(collective_result())
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    for said in ("G₂ 0.60 ns/byte", "alltoall 64KiB linear 200 µs (60 µs) 190 µs -5.0 %",
                 "1MiB linear 3.00 ms (900 µs) 3.60 ms +20.0 %",
                 "bcast 64KiB binomial 100 µs (30 µs) 101 µs +1.0 %",
                 "alltoall: median error 7.5 %; 3 of 4 within 10 %",
                 "all: median error 5.0 %; 4 of 5 within 10 %"):  # fmt: skip
        assert said in words, said


def test_points_with_quartiles_lie_over_predicted_lines():
    text = page([collective_result()])
    assert text.count("<svg") == 2
    assert text.count("<polyline") == 3
    assert text.count("<circle") == text.count('class="quartiles') == 5
    assert "measured 3.00 ms, predicted 3.60 ms, +20.0 %" in text
    assert "nan" not in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sing", "--measured"], "--op knows no 'sing'"),
        (["bcast", "--measured", "--ranks", "2,4"], "--ranks 2,4: with --measured it is one"),
        (["bcast", "--measured", "--ranks", "0"], "--ranks 0"),
        (["bcast", "--measured", "--latency-us", "3"], "--latency-us is for networks"),
        (["bcast", "--measured", "--network", "n.json"], "--network is for networks"),
        (["bcast", "--measured", "--mpi", "lam"], "give openmpi, mpich or the folder"),
        (["bcast", "--measured", "--lab", "rate=quick"], "quick"),
        (["bcast", "--ranks", "2", "--lab", "nodes=2"], "--lab is for measuring"),
        (["bcast", "--ranks", "2", "--repeat", "2"], "--repeat is for measuring"),
        (["bcast", "--ranks", "2", "--size", "8"], "--size"),
    ],
)
def test_bad_input_is_one_line(predict, arguments, said):
    assert said in one_line(predict(*arguments))

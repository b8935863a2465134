# SPDX-License-Identifier: BSD-3-Clause
"""`plait predict collective`: what it asks the model's program, shows, writes and refuses."""

import json

import pytest

from conftest import one_line, plait
from plait.results import check
from plait.results.figures.prediction import costs_of
from plait.views.html import page

NETWORK = {"latency_s": 20e-6, "send_overhead_s": 2e-6, "receive_overhead_s": 2e-6, "gap_s": 3e-6,
           "gap_per_byte_s": 8e-9}  # fmt: skip


def exactly(value):
    return {"median": value, "q1": value, "q3": value, "samples": [value]}


def cell(total_us, processor_us, cheapest):
    return {
        "total_us": exactly(total_us), "processor_us": exactly(processor_us),
        "network_us": exactly(total_us - processor_us), "cheapest": cheapest, "libnbc": False,
    }  # fmt: skip


def predicted(ranks=("8 ranks", "64 ranks"), sizes=("8B", "4KiB")):
    """Of two algorithms, the one that is faster for small messages."""
    rows = {"binomial": {}, "chain": {}}
    for i, each in enumerate(ranks):
        rows["binomial"][each] = {s: cell(70 + 10 * i + 400 * j, 12, j == 0)
                                  for j, s in enumerate(sizes)}  # fmt: skip
        rows["chain"][each] = {s: cell(150 + 10 * i + 2 * j, 8, j == 1)
                               for j, s in enumerate(sizes)}  # fmt: skip
    return {
        "schema": "plait-result/1", "bench": "predict",
        "parameters": {"operation": "bcast", **NETWORK},
        "environment": {"commit": "0123456789ab"}, "rows": rows,
    }  # fmt: skip


@pytest.fixture
def predict(tmp_path):
    """Runs `plait predict collective …` on a program that answers with `predicted()`."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (tmp_path / "answer.json").write_text(json.dumps(predicted()))
    (programs / "predict").write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >{tmp_path}/asked\n'
        'case "$*" in *sing*) echo "predict: there is no operation \'sing\'" >&2; exit 2;; esac\n'
        f'cp {tmp_path}/answer.json "${{1#--json=}}"\n'
    )
    (programs / "predict").chmod(0o755)

    def run(*arguments):
        return plait("predict", "collective", *arguments, PLAIT_BIN_DIR=str(programs))

    run.asked = lambda: (tmp_path / "asked").read_text().splitlines()[1:]
    return run


def test_what_is_given_goes_to_the_model_and_nothing_else(predict):
    done = predict("bcast", "--ranks", "8,64", "--sizes", "8,4KiB", "--latency-us", "20",
                   "--network", "n.json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert predict.asked() == [
        "bcast", "--ranks=8,64", "--sizes=8,4KiB", "--algorithm=all", "--network=n.json",
        "--latency-us=20.0",
    ]  # fmt: skip


def test_the_table_marks_the_least_and_fits_80_columns(predict):
    text = predict("bcast", "--ranks", "8,64", "--sizes", "8,4KiB").stdout
    assert "L 20.0 µs, o_s 2.00 µs, o_r 2.00 µs, g 3.00 µs, G 8.00 ns/byte" in text
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    marked = [line.split() for line in lines if "least" in line]
    names = [next(w for w in words if w in ("binomial", "chain")) for words in marked]
    assert names == ["binomial", "chain", "binomial", "chain"]


def test_result_and_report_are_written(predict, tmp_path):
    done = predict("bcast", "--ranks", "8", "--json", tmp_path / "r.json",
                   "--report", tmp_path / "r.html")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert check(json.loads((tmp_path / "r.json").read_text())) == []
    text = (tmp_path / "r.html").read_text()
    assert text.count("<polyline") == 4  # two algorithms, for two numbers of ranks
    assert text.count("<circle") == 8
    again = plait("report", tmp_path / "r.json", "--output", tmp_path / "again.html")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.html").read_text().count("<circle") == 8


@pytest.mark.parametrize(
    ("ranks", "sizes", "curves"),
    [
        (("8 ranks",), ("8B", "4KiB", "1MiB"), 2),  # by size
        (("2 ranks", "8 ranks", "64 ranks"), ("8B",), 2),  # by ranks
        (("8 ranks",), ("8B",), 2),  # one point each
    ],
)
def test_curves_are_over_what_varies(ranks, sizes, curves):
    text = page([predicted(ranks, sizes)])
    assert text.count("<polyline") == curves
    assert text.count("<circle") == 2 * len(ranks) * len(sizes)
    assert "nan" not in text


def test_one_rank_alone_is_no_point_on_a_logarithmic_axis():
    answer = predicted(("1 rank",))
    for row in answer["rows"].values():
        for each in row["1 rank"].values():
            for name in ("total_us", "processor_us", "network_us"):
                each[name] = exactly(0.0)
    assert "One rank alone pays nothing." in page([answer])
    assert [cost.total_s for cost in costs_of(answer)] == [0.0] * 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sing", "--ranks", "2"], "predict: there is no operation 'sing'"),
        (["bcast"], "--ranks"),
        (["bcast", "--ranks", "2", "--latency-us", "slow"], "--latency-us"),
        (["bcast", "--ranks", "2", "--json", "/nowhere/at/all.json"], "no folder /nowhere/at"),
    ],
)
def test_bad_input_is_one_line(predict, arguments, said):
    assert said in one_line(predict(*arguments))

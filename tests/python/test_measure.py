# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure loggp`: what it starts, shows, draws and refuses."""

import json

import pytest

from conftest import HERE, one_line, plait
from drawn import parsed, shown
from plait.results import check
from plait.results.compare import compare_results
from plait.views.html import page
from sample import loggp_result

BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
RATE, BURST = 119.55e6, 128 * 1024


@pytest.fixture
def measure(tmp_path):
    """Runs `plait measure …` on a fake program; with `kept`, returns the result file."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "loggp").write_text(f'#!/bin/sh\nexec "{HERE}/fake_loggp.py" "$@"\n')
    (programs / "loggp").chmod(0o755)

    def run(*arguments):
        return plait("measure", *arguments, PLAIT_BIN_DIR=str(programs))

    def kept(*arguments):
        file = tmp_path / "kept.json"
        done = run("loggp", *arguments, "--json", file, "--report", tmp_path / "kept.html")
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert "<svg" in (tmp_path / "kept.html").read_text()
        return json.loads(file.read_text())

    run.kept = kept
    return run


@BOTH
def test_it_is_measured_between_two_ranks(measure, mpi):
    result = measure.kept("--mpi", mpi, "--max-size", "8KiB", "--messages", "5", "--repeat", "3")
    rest = ["--progress", "--max-size", "8KiB", "--messages", "5", "--repeat", "3"]
    assert result["parameters"]["rest"] == rest
    assert result["link"] is None


def test_options_it_does_not_know_go_to_the_program(measure):
    result = measure.kept("--link-rate", "2e9", "--link-burst", "1024", "--new", "3")
    assert result["link"]["payload_Bps"] == 2e9
    assert result["parameters"]["rest"] == ["--progress", "--new", "3"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["loggp", "--ranks", "1"], "between 2 ranks; it was started with 1"),
        (["loggp", "--ranks", "0"], "--ranks 0: give at least 1"),
        (["loggp", "--sizes", "x"], "--sizes: 'x' is no size"),
        (["loggp", "--mpi", "lam"], "give openmpi, mpich or the folder"),
        (["loggp", "--lab", "rate=quick"], "quick"),
        (["loggp", "--repeat", "many"], "--repeat"),
        (["loggp", "--json", "/nowhere/at/all.json"], "no folder /nowhere/at"),
        (["nope"], "nope"),
    ],
)
def test_bad_input_is_one_line(measure, arguments, said):
    assert said in one_line(measure(*arguments))


def test_the_table_fits_80_columns_and_says_all():
    text = shown(loggp_result(RATE, BURST))
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    for said in ("loggp, 2 ranks", "L, on the way -400 ns", "o_s, processor time of a send 1.00",
                 "1 B – 12 KiB 2.00 µs 1.02 µs 1 GB/s",
                 "at 13 KiB (where 10 messages no longer pass at once, as one does), at 256 KiB (b",
                 "takes 2.10 µs; sender and receiver work 2.50 µs for it, partly at the same",
                 "Beyond 128 KiB", "119.4 MB/s: 0.999 of the 119.5 MB/s",
                 "L came out at -4e-07 s"):  # fmt: skip
        assert said in words


def test_a_latency_above_zero_can_be_filled():
    answer = loggp_result()
    answer["fit"].update(latency_s=20e-6, remarks=[])
    words = " ".join(shown(answer).split())
    assert "takes 22.5 µs: 2.50 µs of processor time, which nothing can hide, and L" in words


def test_without_a_link_nothing_is_held_against_one():
    assert "the link" not in shown(loggp_result())


def test_a_link_that_no_size_tells_of_is_said():
    answer = loggp_result(RATE, BURST)
    answer["link"]["ratio"] = answer["link"]["bandwidth_Bps"] = None
    assert "No size tells 1/G" in shown(answer)


def test_a_line_that_does_not_rise_has_no_bandwidth():
    answer = loggp_result()
    answer["fit"]["segments"][0].update(gap_per_byte_s=0.0, bandwidth_Bps=None)
    assert check(answer) == []
    assert "–" in shown(answer)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (["fit"], None, "fit is not an object"),
        (["fit", "latency_s"], "short", "fit.latency_s"),
        (["fit", "segments"], [], "fit.segments is empty"),
        (["fit", "segments", 1, "gap_s"], None, "fit.segments[1].gap_s"),
        (["fit", "segments", 0, "line"], {}, "fit.segments[0].line.at_zero_s"),
        (["sizes"], [], "sizes is empty"),
        (["sizes", 3, "prtt_n_d_s"], 5, "sizes[3].prtt_n_d_s"),
        (["sizes", 0, "gap_s", "q1"], "x", "sizes[0].gap_s.q1"),
        (["probe"], 7, "probe is no text"),
    ],
)
def test_what_is_wrong_is_named(path, value, problem):
    answer = loggp_result()
    assert check(answer) == []
    node = answer
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    assert problem in check(answer)[0]


def test_the_page_draws_every_point_and_line():
    answer = loggp_result(RATE, BURST)
    answer["sizes"][4]["gap_s"].update(median=-1e-6, q1=-2e-6)
    reader = parsed(page([answer]))
    tips = [attributes.get("data-tip", "") for tag, attributes in reader.tags if tag == "circle"]
    small = [size for size in answer["sizes"] if size["size_bytes"] < BURST]
    assert len(tips) == 3 * (len(answer["sizes"]) + len(small))
    assert any(tip.startswith("o_s at 1 B: 1.00 µs") for tip in tips)
    classes = [attributes.get("class", "") for tag, attributes in reader.tags if tag == "line"]
    assert classes.count("fit") == 3 + 2
    assert classes.count("mark mark-attainable") == 2 + 1
    for tag, attributes in reader.tags:
        if tag == "circle":
            assert 0 <= float(attributes["cx"]) <= 960
            assert 0 <= float(attributes["cy"]) <= 380


def test_two_measurements_can_be_compared():
    before, after = loggp_result(), loggp_result()
    for size in after["sizes"]:
        for quartile in ("median", "q1", "q3"):
            size["gap_s"][quartile] *= 2
    verdicts = {line.name: line.verdict for line in compare_results(before, after)}
    assert verdicts["1025 bytes gap_s"] == "more"
    assert verdicts["1025 bytes prtt_1_0_s"] == "cannot tell"


@pytest.mark.lab
def test_in_an_emulated_cluster_it_is_told_of_the_link(measure):
    result = measure.kept("--lab", "nodes=2,rate=200mbit")
    assert result["environment"]["lab"]["rate_bps"] == 200_000_000
    assert result["link"]["payload_Bps"] == pytest.approx(200e6 / 8 * 1448 / 1514, abs=1)
    assert result["link"]["burst_bytes"] == BURST

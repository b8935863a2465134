# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure nbc`, `overlap` and `windows`: what they start, show, write and conclude."""

import json

import pytest

from conftest import HERE, one_line, plait
from plait.results.figures.overlap import nbc_sentences, overlap_sentence
from plait.views.html.drawn.curves import Curve, Point, curves
from sample import nbc_result, overlap_result

BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])


@pytest.fixture
def measure(tmp_path):
    """Runs `plait measure NAME …` on fake programs."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("nbc", "overlap", "windows"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{HERE}/fake_bench.py" {name} "$@"\n')
        (programs / name).chmod(0o755)
    return lambda *arguments: plait("measure", *arguments, PLAIT_BIN_DIR=str(programs))


@BOTH
def test_nbc_passes_its_options_on_and_writes_result_and_report(measure, tmp_path, mpi):
    file, page = tmp_path / "kept.json", tmp_path / "kept.html"
    done = measure("nbc", "--op", "bcast,scan", "--sizes", "64KiB", "--ranks", "3", "--mpi", mpi,
                   "--pieces", "4", "--json", file, f"--report={page}")  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(file.read_text())
    assert result["environment"]["ranks"] == 3
    rest = result["parameters"]["rest"]
    assert rest == ["--progress", "--op", "bcast,scan", "--sizes", "64KiB", "--pieces", "4"]
    html = page.read_text()
    for title in ("overlap that wall-clock time confirms", "overlap by OSU's definition",
                  "overhead, as a share of the blocking call", "processor share"):  # fmt: skip
        assert title in html
    assert html.count("<polyline") > 20


def test_nbc_shows_every_row_in_80_columns(measure):
    done = measure("nbc")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    lines = done.stdout.splitlines()
    assert lines[0] == "nbc, 2 ranks, shared memory"
    row = next(line for line in lines if line.startswith("plait auto"))
    # overhead, its share, wall with quartiles, OSU, IMB's documents and code
    assert row.split() == ["plait", "auto", "1.69", "ms", "19", "81", "(2)", "92", "92", "92"]
    share = next(line for line in reversed(lines) if line.startswith("alltoall 1MiB  "))
    assert share.split() == ["alltoall", "1MiB", "100", "(2)", "99", "(2)", "14", "(0)"]


def test_overlap_is_measured_between_two_ranks_and_gives_a_verdict(measure):
    done = measure("overlap", "--sizes", "8,64KiB,1MiB")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    said = " ".join(done.stdout.split())
    assert "Open MPI moves nothing from 64KiB up while the program computes: 0 % " in said
    assert "send 1MiB" in said


@pytest.mark.parametrize("name", ["overlap", "windows"])
def test_shared_options_go_before_those_that_the_command_does_not_know(measure, tmp_path, name):
    file = tmp_path / "kept.json"
    done = measure(name, "--pieces", "4", "--repeat", "3", "--only", "a", "--sizes", "8",
                   "--json", file)  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(file.read_text())
    assert result["environment"]["ranks"] == 2
    rest = ["--progress", "--sizes", "8", "--repeat", "3", "--pieces", "4"]
    assert result["parameters"]["rest"] == rest


@BOTH
@pytest.mark.parametrize("name", ["nbc", "overlap", "windows"])
def test_what_a_program_refuses_is_one_line(measure, mpi, name):
    said = one_line(measure(name, "--only", "nobody", "--mpi", mpi))
    assert f"{name}: --only knows no 'nobody'" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nbc", "--ranks", "0"], "--ranks 0: give at least 1"),
        (["nbc", "--ranks", "many"], "--ranks"),
        (["overlap", "--mpi", "lam"], "give openmpi, mpich or the folder"),
        (["nbc", "--lab", "rate=quick"], "quick"),
        (["overlap", "--json", "/nowhere/at/all.json"], "no folder /nowhere/at"),
        (["network"], "network"),
    ],
)
def test_bad_input_is_one_line(measure, arguments, said):
    assert said in one_line(measure(*arguments))


def test_what_nbc_concludes_is_about_the_largest_size_and_wall_clock_time():
    (sentence,) = nbc_sentences(nbc_result())
    assert sentence == (
        "alltoall 1MiB: the blocking call takes 8.90 ms; wall-clock time confirms as hidden:"
        " Open MPI by itself 0 %, with MPI_Test 41 % (every 560 µs), plait auto 81 %."
        " The transport takes 14 % of it as processor time, which leaves 86 % attainable:"
        " OSU's 80 % is within reach here."
    )


def test_osus_80_percent_is_out_of_reach_where_the_transport_takes_more():
    result = nbc_result()
    result["rows"]["alone"]["alltoall 1MiB"]["attainable_overlap_percent"]["median"] = 79.4
    assert "OSU's 80 % is out of reach" in nbc_sentences(result)[0]


@pytest.mark.parametrize(
    ("own", "tested", "ours", "said"),
    [
        ({"8B": 80, "64KiB": 3, "1MiB": 0}, 40, 90,
         "Open MPI moves nothing from 64KiB up while the program computes: 0 % of the time of"
         " receiving 1MiB is left to it, 40 % with MPI_Test every 500 µs, 90 % with plait auto."
         " Post through plait, or call MPI_Test about every 500 µs."),
        ({"8B": 80, "64KiB": 3, "1MiB": 0}, 4, 90, " Post through plait."),
        ({"8B": 80, "64KiB": 3, "1MiB": 0}, 60, 30, " Call MPI_Test about every 500 µs."),
        ({"8B": 80, "64KiB": 3, "1MiB": 0}, 2, -5,
         " Nothing helps here: in shared memory the processor that computes copies the message"
         " itself."),
        ({"8B": 5, "64KiB": 3, "1MiB": 0}, 2, 90, "moves nothing at any size while"),
        ({"8B": 5, "64KiB": 80, "1MiB": 0}, 2, 90, "moves nothing at 8B, 1MiB while"),
        ({"8B": 80, "64KiB": 75, "1MiB": 17}, 97, 86,
         "Open MPI moves little from 1MiB up while the program computes: 17 % of the time of"
         " receiving 1MiB is left to it, 97 % with MPI_Test every 500 µs, 86 % with plait auto."
         " Call MPI_Test about every 500 µs."),
        ({"8B": 80, "64KiB": 75, "1MiB": 40}, 45, 38, " Nothing helps here"),
        ({"8B": 80, "64KiB": 75, "1MiB": 72}, 40, 90,
         "Open MPI leaves at least 72 % of a message's time to the program by itself:"
         " MPI_Isend and MPI_Irecv are enough here."),
    ],
)  # fmt: skip
def test_the_verdict_names_sizes_and_a_remedy(own, tested, ours, said):
    assert said in overlap_sentence(overlap_result(own, tested, ours))


def test_the_verdict_is_about_the_direction_that_costs_the_program_more():
    result = overlap_result({"64KiB": 50, "1MiB": 0}, 60, 90)
    sent = result["rows"]["nonblocking"]["send 1MiB"]
    received = result["rows"]["nonblocking"]["receive 1MiB"]
    sent["base_us"]["median"] = 20.0  # buffered by the system: nothing to hide, whatever it says
    received["availability_percent"]["median"] = 4.0
    assert "4 % of the time of receiving 1MiB is left to it" in overlap_sentence(result)


def test_both_directions_are_judged_unless_one_takes_hardly_any_time():
    result = overlap_result({"64KiB": 90, "1MiB": 85}, 60, 90)
    sent = result["rows"]["nonblocking"]["send 1MiB"]
    received = result["rows"]["nonblocking"]["receive 1MiB"]
    received["base_us"]["median"] = 4000.0
    received["availability_percent"]["median"] = 75.0
    assert "leaves at least 75 % of" in overlap_sentence(result)
    received["availability_percent"]["median"] = 2.0
    assert "2 % of the time of receiving 1MiB is left to it" in overlap_sentence(result)
    sent["availability_percent"]["median"] = 5.0  # both poor: the one that costs more is named
    assert "5 % of the time of sending 1MiB" in overlap_sentence(result)
    sent["availability_percent"]["median"] = 80.0
    received["base_us"]["median"] = 890.0
    assert "leaves at least 80 % of" in overlap_sentence(result)


def test_what_is_enough_is_a_share_of_what_is_attainable():
    result = overlap_result({"1MiB": 45}, 50, 48)
    assert "moves little at any size" in overlap_sentence(result)
    result["rows"]["alone"] = {
        f"{way} 1MiB": {"attainable_percent": {"median": 60.0}} for way in ("send", "receive")
    }
    assert "are enough here" in overlap_sentence(result)


def test_without_the_librarys_own_row_it_is_not_judged():
    result = overlap_result({"1MiB": 0}, 40, 90)
    del result["rows"]["nonblocking"]
    assert "was not measured" in overlap_sentence(result)


def test_curves_name_sizes_and_keep_what_is_outside_at_the_edge():
    drawn = curves("overlap", "%", [
        Curve("far", [Point(8, -900.0, -950.0, -850.0), Point(65536, 50.0, 40.0, 60.0)], "0"),
        Curve("none", [], "1"),
    ])  # fmt: skip
    assert ">64KiB<" in drawn
    assert "far, 8B: -900 (-950 – -850) %" in drawn
    assert ">-50 %<" in drawn
    assert ">-100 %<" not in drawn
    assert "none" not in drawn
    assert curves("nothing", "%", [Curve("none", [], "1")]) == ""

# SPDX-License-Identifier: BSD-3-Clause
"""`plait bench`: which processes it starts, what it shows and writes, what it refuses."""

import json
import os

import pytest

from conftest import HERE, one_line, plait

BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])


@pytest.fixture
def bench(tmp_path):
    """Runs `plait bench NAME …` on fake programs; with `kept`, returns the result file too."""
    programs = tmp_path / "programs"
    programs.mkdir()
    names = "bindings task_overhead message exchange progress metg fft dense"
    for name in names.split():
        # No link: a program's name is that of what a link leads to.
        (programs / name).write_text(f'#!/bin/sh\nexec "{HERE}/fake_bench.py" {name} "$@"\n')
        (programs / name).chmod(0o755)

    def run(*arguments, **variables):
        return plait("bench", *arguments, PLAIT_BIN_DIR=str(programs), **variables)

    def kept(*arguments, **variables):
        file = tmp_path / "kept.json"
        done = run(*arguments, "--json", file, "--report", tmp_path / "kept.html", **variables)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert "<svg" in (tmp_path / "kept.html").read_text()
        return json.loads(file.read_text())

    run.kept = kept
    return run


def test_without_a_name_it_says_what_there_is(bench):
    assert bench().stdout.strip() == (
        "benchmarks: bindings, counts, dense, device, exchange, fft, message, metg, progress, "
        "scale, sparse, task_overhead, tolerance"
    )


def test_a_benchmark_without_messages_is_one_process(bench):
    assert bench.kept("task_overhead")["environment"]["ranks"] == 0
    assert "starpu" in bench("task_overhead").stdout
    assert "--ranks: task_overhead is one process" in one_line(bench("task_overhead", "-n", "2"))
    assert "--lab: task_overhead is one process" in one_line(
        bench("task_overhead", "--lab", "nodes=2")
    )


def test_bindings_are_tasks_of_one_process_and_an_exchange_of_two(bench):
    assert bench.kept("bindings")["environment"]["ranks"] == 0
    assert bench.kept("bindings", "-n", "2")["environment"]["ranks"] == 2


@BOTH
def test_messages_are_measured_between_ranks(bench, mpi):
    result = bench.kept("message", "--mpi", mpi, "--sizes", "8")
    assert result["environment"]["ranks"] == 2
    assert result["parameters"]["rest"] == ["--progress", "--sizes", "8"]
    assert "jobs" not in result["environment"]


def test_transforms_are_measured_on_any_number_of_ranks(bench):
    assert bench.kept("fft")["environment"]["ranks"] == 2
    assert bench.kept("fft", "-n", "3")["environment"]["ranks"] == 3


def test_netlibs_hpl_is_told_how_to_start_where_it_is_installed(bench, tmp_path):
    hpcc = tmp_path / "tools" / "hpcc"
    hpcc.parent.mkdir()
    hpcc.write_text("#!/bin/sh\n")
    hpcc.chmod(0o755)
    path = {"PATH": f"{hpcc.parent}:{os.environ['PATH']}"}

    def told(*arguments):
        return bench.kept("dense", *arguments, **path)["parameters"]["rest"]

    option, line = told("-n", "3")[1:3]
    assert option == "--hpcc"
    assert line.startswith("exec env OMPI_ALLOW_RUN_AS_ROOT=1 ")
    assert line.endswith(f" -n 3 env OPENBLAS_NUM_THREADS=1 {hpcc}")
    assert told("--hpcc", "my own") == ["--progress", "--hpcc", "my own"]
    assert told("--mpi", "mpich") == ["--progress"]  # Debian builds it for Open MPI


def test_tasks_are_measured_in_one_process_and_in_two(bench):
    result = bench.kept("metg")
    assert set(result["rows"]["plait"]) == {"tree 1", "tree 2"}
    assert result["environment"]["jobs"] == ["1 rank", "2 ranks"]
    assert set(bench.kept("metg", "--ranks", "3")["rows"]["plait"]) == {"tree 3"}


def test_the_progress_thread_of_mpich_gets_a_job_of_its_own(bench):
    result = bench.kept("exchange", "--mpi", "mpich")
    assert result["environment"]["jobs"] == ["2 ranks", "2 ranks, MPIR_CVAR_ASYNC_PROGRESS=1"]
    assert "thread 1 exchange" in result["rows"]
    assert "jobs" not in bench.kept("exchange")["environment"]


@pytest.mark.for_all
def test_a_peer_that_does_not_end_after_its_result_is_ended(bench, tmp_path):
    file = tmp_path / "kept.json"
    done = bench("exchange", "--mpi", "mpich", "--hang-at-end", "--json", file)
    assert done.returncode == 0
    assert "MPIR_CVAR_ASYNC_PROGRESS=1: did not come back from MPI_Finalize" in one_line(done, 0)
    assert "thread 1 exchange" in json.loads(file.read_text())["rows"]


@BOTH
def test_what_a_program_refuses_is_one_line(bench, mpi):
    assert "message: --only knows no" in one_line(
        bench("message", "--only", "nobody", "--mpi", mpi)
    )
    assert "task_overhead: --only" in one_line(bench("task_overhead", "--only", "nobody"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "task_overhead"),
        (["message", "--ranks", "0"], "--ranks 0: give at least 1"),
        (["message", "--mpi", "lam"], "give openmpi, mpich or the folder"),
        (["message", "--lab", "rate=quick"], "quick"),
        (["progress", "--rates", "1gbit"], "--rates: name the nodes too"),
        (["progress", "--rates", "1gbit", "--lab", "nodes=2,rate=1gbit"], "--lab names a rate"),
        (["progress", "--rates", "1gbit,1000mbit", "--lab", "nodes=2"], "names a rate twice"),
        (["progress", "--rates", "quick", "--lab", "nodes=2"], "rate 'quick'"),
        (["message", "--noise", "10ms/100ms"], "--noise: only tolerance takes it"),
        (["message", "--rounds", "2"], "--rounds: only tolerance takes it"),
        (["message", "--rates", "1gbit", "--lab", "nodes=2"], "message takes one rate"),
        (["message", "--json", "/nowhere/at/all.json"], "no folder /nowhere/at"),
    ],
)
def test_bad_input_is_one_line(bench, arguments, said):
    assert said in one_line(bench(*arguments))


def test_the_programs_own_help_can_be_asked_for(bench):
    done = bench("message", "--", "--help")
    assert done.returncode == 0
    assert "usage: message" in done.stdout


def test_the_sweep_shows_regrets_in_80_columns(bench):
    result = bench.kept("progress", "--tasks", "100us,whole", "--rows", "plait auto,hand")
    assert result["parameters"]["rest"][1:] == [
        "--tasks",
        "100us,whole",
        "--rows",
        "plait auto,hand",
    ]
    done = bench("progress")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "regret of plait auto, %: 1 in flight each way" in lines
    assert [line.split() for line in lines if line.startswith("one task")] == [
        ["one", "task", "14.6", "5.0"]
    ]
    assert " ".join(done.stdout.split()).endswith(
        "blocking by more than 3%: 64KiB x1 whole (by 10%)"
        " regret of each row, median and 90th percentile: plait every 3000us 2%, 8%;"
        " plait auto 2%, 11%; hand 4%, 29%; blocking 20%, 40%"
    )


@pytest.mark.lab
def test_the_sweep_runs_at_several_link_rates(bench):
    result = bench.kept("progress", "--lab", "nodes=2", "--rates", "200mbit,1gbit")
    assert [lab["rate_bps"] for lab in result["environment"]["labs"]] == [200000000, 1000000000]
    assert {cell["rate_bps"] for cell in result["rows"]["hand"].values()} == {2e8, 1e9}


@pytest.mark.lab
def test_a_benchmark_runs_in_an_emulated_cluster(bench):
    result = bench.kept("metg", "--lab", "nodes=2,rate=1gbit")
    assert result["environment"]["lab"]["nodes"] == 2
    assert set(result["rows"]["plait"]) == {"tree 2"}

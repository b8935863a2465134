# SPDX-License-Identifier: BSD-3-Clause
"""`plait simulate`: the words its programs get, and its sensitivities beside a linear program's."""

import json
import pathlib
import subprocess

import pytest

from conftest import one_line, plait
from plait.programs import without_mpi
from plait.results import check
from sample import simulation_result
from sample_simulation import FAKE_PROGRAM

GOLDEN = pathlib.Path(__file__).parent.parent / "simulate/golden"
# Name in the linear program: in the result.
PARAMETERS = {"latency": "L", "overhead": "o", "gap": "g", "gap_of_byte": "G",
              "overhead_of_byte": "O"}  # fmt: skip

# What a rank of the real program would do, without MPI.
FAKE_EXECUTE = """#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] || exit 0
case "$*" in *"--looks 7 "*) echo "execute: a program of 3 ranks" >&2; exit 2 ;; esac
echo "$@" "of ${OMPI_COMM_WORLD_SIZE:-$PMI_SIZE}" >"$0.words"
for ns in 400000 450000 410000; do echo "run $ns ns"; done
"""


@pytest.fixture
def programs(tmp_path):
    """A folder with a fake `simulate` and a fake `execute`, and a file for them."""
    (tmp_path / "result.json").write_text(json.dumps(simulation_result()))
    (tmp_path / "a.goal").write_text("")
    for name, text in (("simulate", FAKE_PROGRAM), ("execute", FAKE_EXECUTE)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.fixture
def simulate(programs):
    return lambda *words: plait(
        "simulate", programs / "a.goal", *words, PLAIT_BIN_DIR=str(programs)
    )


def test_the_program_gets_the_words_as_they_are(tmp_path):
    (tmp_path / "a.goal").write_text("")
    (tmp_path / "simulate").write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@"\necho "simulate: line 3 is wrong" >&2\nexit 2\n'
    )
    (tmp_path / "simulate").chmod(0o755)
    done = plait(
        "simulate", tmp_path / "a.goal", "--dialect", "loggops", "--loggops", "L=1,o=2",
        "--topology", "star:2,rate=1gbit", "--json", "out.json", "--write-lp", "x.lp", "--finish",
        PLAIT_BIN_DIR=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "simulate: line 3 is wrong\n"
    assert done.stdout.split() == [
        "--dialect", "loggops", "--loggops", "L=1,o=2", "--topology", "star:2,rate=1gbit",
        "--json", "out.json", "--write-lp", "x.lp", "--finish", "--", str(tmp_path / "a.goal"),
    ]  # fmt: skip


def test_a_file_that_is_not_there_is_refused(tmp_path):
    assert "there is no such file" in one_line(plait("simulate", tmp_path / "none.goal"))


def test_a_report_is_beside_what_the_program_says(simulate, programs):
    page, kept = programs / "a.html", programs / "kept.json"
    done = simulate("--policy", "sleeping", "--json", kept, f"--report={page}")
    assert done.returncode == 0, done.stderr
    words, said = done.stdout.splitlines()
    assert words.startswith("--policy sleeping --json ")
    assert words.endswith(f" -- {programs / 'a.goal'}")
    assert said == f"report: {page}"
    assert "What the answers do not cover" in page.read_text()
    assert json.loads(kept.read_text()) == simulation_result()


def test_what_wants_standard_output_has_it_alone(simulate, programs):
    page = programs / "a.html"
    done = simulate("--json", "-", "--report", page)
    assert json.loads(done.stdout) == simulation_result()
    assert done.stderr == f"report: {page}\n"
    done = simulate("--finish", "--report", page)
    assert done.stdout.startswith("--finish --json ")
    assert len(done.stdout.splitlines()) == 1


def test_a_program_that_is_refused_has_no_report(simulate, programs):
    (programs / "simulate").write_text('#!/bin/sh\necho "simulate: line 3 is wrong" >&2\nexit 2\n')
    done = simulate("--report", programs / "a.html")
    assert (done.returncode, done.stderr) == (2, "simulate: line 3 is wrong\n")
    assert not (programs / "a.html").exists()


def test_it_is_executed_on_as_many_ranks_as_it_has(simulate, programs):
    kept, page = programs / "kept.json", programs / "a.html"
    done = simulate("--execute", "--looks", "idle", "--repeat", "3", "--runtime", "0",
                    "--json", kept, "--report", page)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (programs / "execute.words").read_text() == (
        f"--file {programs / 'a.goal'} --looks idle --repeat 3 --runtime 0 of 2\n"
    )
    said = "executed on 2 ranks with openmpi, looks idle: 410 µs (405 µs – 430 µs)"
    assert said in done.stdout
    result = json.loads(kept.read_text())
    assert check(result) == []
    assert result["executed"]["total_s"]["samples"] == pytest.approx([4e-4, 4.5e-4, 4.1e-4])
    assert "executed" in page.read_text()


def test_an_execution_that_is_refused_ends_in_a_line(simulate):
    done = simulate("--execute", "--looks", "7")
    assert done.stderr == "plait: execute: a program of 3 ranks\n"
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--looks", "idle"], "--looks: is for real runs; give --execute too"),
        (["--lab", "nodes=2,rate=1gbit"], "--lab: is for real runs"),
        (["--verbose"], "--verbose: is for real runs"),
        (["--execute", "--finish"], "--finish: not with --execute"),
        (["--execute", "--ranks", "8x8"], "--ranks: not with --execute"),
        (["--execute", "--looks", "never"], "--looks never: give always, idle, or microseconds"),
        (["--execute", "--repeat", "0"], "--repeat 0: give 1 to 1000"),
        (["--report", "/nowhere/a.html"], "there is no folder /nowhere"),
    ],
)
def test_words_that_do_not_go_together_are_refused(simulate, words, said):
    assert said in one_line(simulate(*words))


def test_too_many_ranks_are_not_started(simulate, programs):
    result = simulation_result()
    result["rows"][0]["ranks"] = 10_000_000
    (programs / "result.json").write_text(json.dumps(result))
    assert "a program of 10000000 ranks; at most 4096" in one_line(simulate("--execute"))


@pytest.mark.for_all
@pytest.mark.parametrize(
    "name",
    ["random_plain_0", "random_plain_1", "random_rendezvous_0", "random_rendezvous_5",
     "random_burst_1", "random_wild_0", "random_parts_4", "scatter_0"],
)  # fmt: skip
def test_sensitivities_are_those_of_the_linear_program(name, tmp_path):
    highspy = pytest.importorskip("highspy", reason="highspy, an independent solver, is not here")
    program = without_mpi("network", "simulate")
    assert program, "network/simulate is not built"
    network = "L=7013,o=911,g=2503,G=3,O=1,S=32768"  # no two sums are equal by chance
    done = subprocess.run(
        [program, GOLDEN / f"{name}.goal", "--loggops", network, "--json", "-",
         "--write-lp", tmp_path / "x.lp"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    (row,) = json.loads(done.stdout)["rows"]
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(tmp_path / "x.lp")) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    predicted_ns = 1e9 * row["predicted_s"]
    assert solver.getObjectiveValue() == pytest.approx(predicted_ns, rel=1e-9)
    duals = solver.getSolution().col_dual
    for variable, parameter in PARAMETERS.items():
        _, column = solver.getColByName(variable)
        count = row["sensitivities"][parameter]["lambda"]
        assert duals[column] == pytest.approx(count, rel=1e-9, abs=1e-9), parameter

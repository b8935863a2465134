# SPDX-License-Identifier: BSD-3-Clause
"""`plait simulate`: the words its program gets, and its sensitivities beside a linear program's."""

import json
import pathlib
import subprocess

import pytest

from conftest import one_line, plait
from plait.programs import without_mpi

GOLDEN = pathlib.Path(__file__).parent.parent / "simulate/golden"
# Name in the linear program: in the result.
PARAMETERS = {"latency": "L", "overhead": "o", "gap": "g", "gap_of_byte": "G",
              "overhead_of_byte": "O"}  # fmt: skip


def test_the_program_gets_the_words_as_they_are(tmp_path):
    (tmp_path / "a.goal").write_text("")
    (tmp_path / "simulate").write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@"\necho "simulate: line 3 is wrong" >&2\nexit 2\n'
    )
    (tmp_path / "simulate").chmod(0o755)
    done = plait(
        "simulate", tmp_path / "a.goal", "--dialect", "loggops", "--loggops", "L=1,o=2",
        "--json", "out.json", "--write-lp", "x.lp", "--finish", PLAIT_BIN_DIR=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "simulate: line 3 is wrong\n"
    assert done.stdout.split() == [
        "--dialect", "loggops", "--loggops", "L=1,o=2", "--json", "out.json", "--write-lp", "x.lp",
        "--finish", "--", str(tmp_path / "a.goal"),
    ]  # fmt: skip


def test_a_file_that_is_not_there_is_refused(tmp_path):
    assert "there is no such file" in one_line(plait("simulate", tmp_path / "none.goal"))


@pytest.mark.for_all
@pytest.mark.parametrize(
    "name",
    ["random_plain_0", "random_plain_1", "random_rendezvous_0", "random_rendezvous_5",
     "random_burst_1", "random_wild_0", "random_parts_4", "scatter_0"],
)  # fmt: skip
def test_sensitivities_are_those_of_the_linear_program(name, tmp_path):
    import highspy

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

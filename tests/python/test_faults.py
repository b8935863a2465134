# SPDX-License-Identifier: BSD-3-Clause
"""A few random faults; `./plait faults` has as many as you like."""

import subprocess
import sys

import pytest

from conftest import HERE, ROOT

# Signals to ranks, to mpiexec and to the command, outputs and folders without room, programs that
# do not start: here, in a cluster and under an mpiexec of one's own.
SEEDS = (1, 2)
LIMIT_S = 60  # of a busy machine


@pytest.mark.for_all
@pytest.mark.parametrize("seed", SEEDS)
def test_a_job_that_is_hit_ends_with_one_line_and_leaves_nothing(seed):
    words = ("--faults", "8", "--seed", str(seed), "--limit", str(LIMIT_S), "--verbose")
    done = subprocess.run(
        [sys.executable, HERE / "faults.py", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"8 faults of seed {seed}: 0 wrong" in done.stdout


def test_the_program_of_faults_explains_itself():
    done = subprocess.run(
        [ROOT / "plait", "faults", "--help"], capture_output=True, text=True, check=True
    )
    assert "--seed S" in done.stdout

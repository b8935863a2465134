# SPDX-License-Identifier: BSD-3-Clause
"""Programs under Slurm's srun: attached, of the library, in a batch job, ended from outside."""

import json
import os
import signal
import subprocess
import time

import pytest

import slurm_here
from conftest import ROOT, command, environment, one_line, plait
from test_attach import compile_c

pytestmark = pytest.mark.for_all
PLAIT = str(ROOT / "plait")
RING = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char** words) {
  int rank, ranks, got = 0, steps = count > 1 ? atoi(words[1]) : 20;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < steps; ++i) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(1000);
    if (i == 9 && rank == 0) fprintf(stderr, "ten steps\\n");
  }
  if (rank == 0) printf("a ring of %d\\n", ranks);
  MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if reason := slurm_here.why_not():
        pytest.skip(reason)
    with slurm_here.slurm(tmp_path_factory.mktemp("slurm")) as variables:
        yield {**variables, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture
def ring(tmp_path):
    return compile_with("openmpi", tmp_path / "ring")


def compile_with(mpi, output):
    options = subprocess.run(
        [f"mpicc.{mpi}", "-show"], capture_output=True, text=True, check=True
    ).stdout.split()[1:]
    return compile_c(RING, output, *options)


def run(cluster, folder, *words, seconds=60):
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, timeout=seconds, check=False,
        env=cluster, cwd=folder, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def ranks_and_calls(file):
    result = json.loads(file.read_text())
    sites = result["sites"]
    return result["environment"]["ranks"], {site["call"]: site["count"] for site in sites}


def test_srun_starts_attached_ranks(cluster, ring, tmp_path):
    done = run(cluster, tmp_path, "srun", "--mpi=pmix", "-n", 3, PLAIT, "attach",
               "--json=one.json", ring)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "a ring of 3\n"
    ranks, calls = ranks_and_calls(tmp_path / "one.json")
    assert (ranks, calls["MPI_Sendrecv"]) == (3, 60)


def test_steps_of_a_batch_job_have_a_profile_each(cluster, ring, tmp_path):
    script = tmp_path / "job.sh"
    script.write_text(
        "#!/bin/sh\n"
        f"srun --mpi=pmix -n 2 {PLAIT} attach -q --json=first.json {ring}\n"
        f"srun --mpi=pmix -n 3 {PLAIT} attach -q --json=second.json {ring} 30\n"
    )
    done = run(cluster, tmp_path, "sbatch", "--wait", "-n", 3, "-o", "said", script)
    assert done.returncode == 0, (done.stderr, (tmp_path / "said").read_text())
    assert ranks_and_calls(tmp_path / "first.json")[1]["MPI_Sendrecv"] == 40
    assert ranks_and_calls(tmp_path / "second.json")[1]["MPI_Sendrecv"] == 90


def test_a_step_that_slurm_ends_leaves_its_profile(cluster, ring, tmp_path):
    words = ["srun", "--mpi=pmix", "-n", "2", "-J", "long", PLAIT, "attach", "--json=long.json",
             ring, "1000000"]  # fmt: skip
    with subprocess.Popen(words, env=cluster, cwd=tmp_path, text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as step:  # fmt: skip
        assert any("ten steps" in line for line in step.stderr)
        assert run(cluster, tmp_path, "scancel", "-n", "long").returncode == 0
        step.stderr.read()
        assert step.wait(30) != 0
    done = run(cluster, tmp_path, PLAIT, "attach", "--salvage", "--json=long.json")
    assert done.returncode == 0, done.stderr
    ranks, calls = ranks_and_calls(tmp_path / "long.json")
    assert ranks == 2
    assert calls["MPI_Sendrecv"] >= 20


def by_srun(cluster, *words, **more):
    return plait("run", "--launcher=srun", *words, **{**cluster, **more})


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_plait_run_starts_a_program_by_srun(cluster, tmp_path, mpi):
    program = compile_with(mpi, tmp_path / "ring")
    done = by_srun(cluster, program, "--ranks", 3, "--mpi", mpi)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "a ring of 3\n"


def test_plait_run_profiles_and_measures_by_srun(cluster, ring, tmp_path):
    file = tmp_path / "profile.json"
    assert by_srun(cluster, "--attach", ring, "--ranks", 2, "--json", file).returncode == 0
    assert ranks_and_calls(file)[1]["MPI_Sendrecv"] == 40
    file = tmp_path / "jacobi.json"
    done = by_srun(cluster, "jacobi3d", "--ranks", 2, "--size", "32x32x32", "--steps", 2,
                   "--repeat", 1, "--json", file, PLAIT_BIN_DIR="")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(file.read_text())["variants"]["plait"]["verified"]


def test_an_interrupt_ends_the_step(cluster, ring, tmp_path):
    words = command("run", "--launcher=srun", ring, "--ranks", "2", "--", "1000000")
    with subprocess.Popen(words, env=environment(**cluster), cwd=tmp_path, text=True,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as job:  # fmt: skip
        assert any("ten steps" in line for line in job.stderr)
        os.kill(job.pid, signal.SIGINT)
        job.stderr.read()
        assert job.wait(30) == 130
    until = time.monotonic() + 20
    while (left := run(cluster, tmp_path, "squeue", "-h").stdout) and time.monotonic() < until:
        time.sleep(0.2)
    assert not left
    assert list(tmp_path.iterdir()) == [ring]


def test_what_srun_cannot_do_is_refused(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "--launcher ssh: it can be mpiexec or srun" in one_line(
        plait("run", "--launcher=ssh", "true")
    )
    assert "--lab" in one_line(plait("run", "--launcher=srun", "true", "--lab", "nodes=2"))
    assert "srun is not installed" in one_line(
        plait("run", "fake", PATH="/usr/bin-not-there", PLAIT_LAUNCHER="srun")
    )
    said = {"PATH": "/usr/bin-not-there", "PLAIT_LAUNCHER": "srun"}
    assert "mpiexec.openmpi" in one_line(plait("run", "--launcher=mpiexec", "fake", **said))

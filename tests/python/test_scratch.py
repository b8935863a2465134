# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the files that jobs leave, their removal, and an mpiexec that does not end."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import FAKE, command, environment, one_line, plait
from plait.launch.scratch import library_folders, remove_orphans, remove_stale_folders
from test_run import wait_until

MEMORY = pathlib.Path("/dev/shm")
NOBODY = 2**22 + 1  # more than the kernel gives out

HANGING_MPIEXEC = """#!/usr/bin/python3 -I
import subprocess, sys, time
if "--abort" in sys.argv:
    said = ["MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD", "with errorcode 7."]
    print("-" * 30, *said, "-" * 30, sep="\\n", file=sys.stderr)
subprocess.run(["sleep", "0.3"])
time.sleep(600)
"""


def test_the_librarys_folders_are_gone_after_the_job():
    with library_folders() as settings:
        folders = {pathlib.Path(value) for value in settings.values()}
        assert all(folder.is_dir() for folder in folders)
        assert any(folder.parent == MEMORY for folder in folders)
        next(iter(folders)).joinpath("segment").touch()
    assert not any(folder.exists() for folder in folders)


def test_what_the_user_has_set_stays(monkeypatch):
    monkeypatch.setenv("OMPI_MCA_orte_tmpdir_base", "/somewhere")
    with library_folders() as settings:
        assert "OMPI_MCA_orte_tmpdir_base" not in settings


def test_folders_of_the_dead_are_removed_and_those_of_the_living_stay():
    dead = MEMORY / f"plait-run-{NOBODY}-1-test{os.getpid()}"
    dead.mkdir()
    with library_folders() as settings:
        remove_stale_folders()
        assert not dead.exists()
        assert all(pathlib.Path(value).is_dir() for value in settings.values())


def test_a_segment_that_nobody_holds_is_removed():
    begin = time.time()
    held, orphan = (MEMORY / f"mpich_shar_tmp{name}{os.getpid()}" for name in ("held", "orphan"))
    orphan.touch()
    with held.open("w"):
        remove_orphans(begin)
        assert not orphan.exists()
        assert held.exists()
    remove_orphans(begin)
    assert not held.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "mpiexec did not end when its ranks had"),
        (["--abort"], "rank 1 ended with exit code 7"),
    ],
)
def test_an_mpiexec_that_outlives_its_ranks_is_ended(words, said, tmp_path):
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text(HANGING_MPIEXEC)
    mpiexec.chmod(0o755)
    assert said in one_line(plait("run", FAKE, *words, PLAIT_MPIEXEC=str(mpiexec)), 3)


def test_a_killed_command_leaves_its_clearing_up_to_its_guard(tmp_path):
    temporary, pids = tmp_path / "tmp", tmp_path / "pids"
    temporary.mkdir()
    pids.mkdir()
    process = subprocess.Popen(
        command("run", FAKE, "--sleep", "50", "--pid-folder", pids),
        env=environment(TMPDIR=str(temporary)), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until(lambda: len(list(pids.iterdir())) == 2)
    assert list(temporary.iterdir())
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not list(temporary.iterdir()))
    wait_until(lambda: not list(MEMORY.glob(f"plait-run-{process.pid}-*")))

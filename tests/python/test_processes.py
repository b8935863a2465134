# SPDX-License-Identifier: BSD-3-Clause
"""Processes as the kernel tells of them, whatever they are called."""

import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import plait
from plait.lab.state import alive, identity
from plait.launch.processes import files_in_use, has_living_children, living_family


@pytest.fixture
def nameless(tmp_path):
    """A process whose name, and an open file whose name, is no text in UTF-8."""
    program = pathlib.Path(os.fsdecode(bytes(tmp_path) + b"/\xffsleep\xfe) Z 1"))
    shutil.copy("/bin/sleep", program)
    with open(os.fsdecode(bytes(tmp_path) + b"/open\xff"), "w") as file:
        process = subprocess.Popen([program, "60"], start_new_session=True, stdout=file)
    yield process
    process.kill()
    process.wait()


def test_a_process_may_be_called_anything(nameless):
    assert alive(identity(nameless.pid))
    assert nameless.pid in living_family(nameless.pid)
    assert has_living_children(os.getpid())
    assert any(name.endswith("open\udcff") for name in files_in_use())
    nameless.kill()
    os.waitid(os.P_PID, nameless.pid, os.WEXITED | os.WNOWAIT)
    assert identity(nameless.pid) is None
    assert nameless.pid not in living_family(nameless.pid)


def test_a_run_beside_such_a_process_ends_well(nameless, tmp_path):
    done = plait("run", "fake", "--json", str(tmp_path / "x.json"))
    assert done.returncode == 0, done.stderr

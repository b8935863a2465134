# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests: the command as a process of its own, the fake program, skipping labs."""

import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from plait.errors import BadInput
from plait.lab.privilege import lab_mode

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
FAKE = HERE / "fake_app.py"
# Modules compiled once for all commands that tests start: a third of what a start takes.
PYCACHE = ROOT / "build/pycache"
# Where the fake program is one of plait's own applications.
APPS = pathlib.Path(tempfile.mkdtemp(prefix="plait-test-apps-"))
(APPS / "fake").symlink_to(FAKE)
atexit.register(shutil.rmtree, APPS, ignore_errors=True)


def command(*arguments: str) -> list[str]:
    return [
        sys.executable,
        "-I",
        "-X",
        f"pycache_prefix={PYCACHE}",
        ROOT / "python/plait/start.py",
        "plait",
        *map(str, arguments),
    ]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "80", "PLAIT_BIN_DIR": str(APPS), **more}  # fmt: skip


def plait(*arguments: str, seconds: float = 60, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=seconds, check=False,
        env=environment(**more), stdin=subprocess.DEVNULL,
    )  # fmt: skip


def one_line(done: subprocess.CompletedProcess[str], code: int = 2) -> str:
    """The single line on stderr of a command that refused its input."""
    assert done.returncode == code, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("plait: ")
    return lines[0]


@pytest.fixture(autouse=True)
def _skip_labs_where_forbidden(request):
    if request.node.get_closest_marker("lab"):
        try:
            lab_mode()
        except BadInput as reason:
            pytest.skip(f"an emulated cluster cannot be made here: {reason}")

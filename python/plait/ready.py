# SPDX-License-Identifier: BSD-3-Clause
"""Has `./plait` install and build what a command needs, where `./plait` has started it.

Commands call this once nothing is wrong with their words. Started otherwise they take what is here.
Needs nothing but Python itself, for `plait attach` has no more.
"""

from __future__ import annotations

import os
from typing import Protocol

from plait.errors import BadInput, JobFailed
from plait.interrupts import uninterrupted
from plait.launch import library

_DOOR = os.environ.pop("PLAIT_DOOR", "") or None  # no program is to inherit it
_TOOLS_OF_LAB = ("iproute2", "iputils-ping")


class _Lab(Protocol):
    delay_s: float


def for_job(mpi: str | None, lab: _Lab | None, *targets: str) -> None:
    """Has a job's targets built, and what starts it and its cluster installed."""
    if lab is not None and lab.delay_s:
        targets = (*targets, "delay_line")  # where the kernel can, it is not started
    if targets:
        build(mpi or "openmpi", *targets)
    launcher = [library.PACKAGES[mpi]] if mpi in library.PACKAGES else []
    _install(*launcher, "util-linux", *(_TOOLS_OF_LAB if lab is not None else ()))


def build(mpi: str, *targets: str) -> None:
    """Has these targets built for an MPI library."""
    _ask("build", library.full_name(mpi), *targets)


def peers(mpi: str, benchmark: str, wanted: bool) -> None:
    """Has the peers of a benchmark installed, if they are wanted or a user says yes."""
    if wanted and _DOOR is None:
        raise BadInput("--peers: ./plait of a checkout installs them, and this is another plait")
    _ask("peers", library.full_name(mpi), benchmark, "yes" if wanted else "no")


def _install(*packages: str) -> None:
    from plait.needed import missing

    if _DOOR is not None and (absent := missing(packages)):
        _ask("install", *absent)


def _ask(*words: str) -> None:
    """Ends the command where `./plait` fails, which has said why."""
    import subprocess

    if _DOOR is None:
        return
    door = None
    try:
        with uninterrupted():  # so that what has just been started is ended
            door = subprocess.Popen([_DOOR, "--ready", *words])
        code = door.wait()
    except BaseException:
        if door is not None:
            door.terminate()
            door.wait()
        raise
    if code:
        raise JobFailed("", code if code > 0 else 128 - code)

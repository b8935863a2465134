# SPDX-License-Identifier: BSD-3-Clause
"""Finds the processes that belong to a job."""

import contextlib
import os
import pathlib
from collections.abc import Collection

from plait.proc import runs, stat_fields


def has_living_children(pid: int) -> bool:
    """Returns whether it has children that run; true where the kernel does not tell."""
    try:
        threads = list(pathlib.Path(f"/proc/{pid}/task").iterdir())
        children = b" ".join((thread / "children").read_bytes() for thread in threads).split()
    except OSError:
        return True
    return any(runs(stat_fields(int(child))) for child in children)


def living_family(session: int, spared: Collection[int] = ()) -> list[int]:
    """Living processes of a session, and descendants of this process that are not `spared`."""
    parents: dict[int, int] = {}
    sessions: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and runs(fields := stat_fields(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
            sessions[int(entry.name)] = int(fields[3])
    me = os.getpid()
    found = []
    for pid, parent in parents.items():
        chain = parent
        while chain not in (0, 1, me) and chain in parents:
            chain = parents[chain]
        if sessions[pid] == session or (chain == me and pid not in spared):
            found.append(pid)
    return found


def files_in_use() -> set[str]:
    """Paths of all files that a process which we may look at has open or mapped."""
    found = set()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            for line in (process / "maps").read_bytes().split(b"\n"):
                found.add(os.fsdecode(line[line.find(b"/") :]) if b"/" in line else "")
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    found.add(str(descriptor.readlink()))
    return found

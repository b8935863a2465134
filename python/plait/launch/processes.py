# SPDX-License-Identifier: BSD-3-Clause
"""Which processes belong to a job."""

import contextlib
import os
import pathlib
from collections.abc import Collection


def living_family(session: int, spared: Collection[int] = ()) -> list[int]:
    """Living processes of a session, and descendants of this process that are not `spared`."""
    parents: dict[int, int] = {}
    sessions: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = pathlib.Path(entry.path, "stat").read_text().rpartition(")")[2].split()
                if fields[0] not in "ZX":
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

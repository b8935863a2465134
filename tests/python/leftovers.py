# SPDX-License-Identifier: BSD-3-Clause
"""Finds shared memory and processes that a job left behind."""

import contextlib
import pathlib


def shared_memory() -> set[str]:
    """Returns the names of the segments in shared memory."""
    return {path.name for path in pathlib.Path("/dev/shm").iterdir()}


def orphans(before: set[str], job: int) -> list[str]:
    """Returns new segments in shared memory, of process `job` or of nobody, that nobody holds."""
    others = ("plait-run-", "vader_segment.")  # a job of `plait run` has its segments in a folder
    own = f"plait-run-{job}-"
    found = [name for name in sorted(shared_memory() - before)
             if name.startswith(own) or not name.startswith(others)]  # fmt: skip
    if not found:
        return []
    held = "".join(map(maps_of, pathlib.Path("/proc").glob("[0-9]*")))
    return [name for name in found if f"/dev/shm/{name}" not in held]


def maps_of(process: pathlib.Path) -> str:
    """Returns the lines of a process's mapped files."""
    with contextlib.suppress(OSError):
        return (process / "maps").read_text(errors="replace")
    return ""


def who_is(pid: int) -> str:
    """Describes a process with its parent, its state and its command line."""
    with contextlib.suppress(OSError):
        state, parent = (
            pathlib.Path(f"/proc/{pid}/stat")
            .read_text(errors="replace")
            .rpartition(")")[2]
            .split()[:2]
        )
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
        return f"{pid} of {parent}, {state}: {words[-120:]}"
    return f"{pid}, gone"

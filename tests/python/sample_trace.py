# SPDX-License-Identifier: BSD-3-Clause
"""Traces as plait writes them for Perfetto, made by hand; times are microseconds."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from plait.formats.trace import Trace, read_trace


class MadeTrace:
    """Events of a trace, and the file that has them."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._lanes: dict[tuple[int, str], int] = {}
        self._messages = 0

    def slice(
        self, rank: int, lane: str, name: str, kind: str, begin: float, end: float, **args: object
    ) -> None:
        tid = self._lanes.setdefault((rank, lane), len(self._lanes))
        self.events.append({"ph": "X", "name": name, "pid": rank, "tid": tid, "cat": kind,
                            "ts": begin, "dur": end - begin,
                            "args": {"run": "program", **args}})  # fmt: skip

    def call(
        self, rank: int, name: str, begin: float, end: float, line: int = 1, lane: str = "program"
    ) -> None:
        kind = "posting" if name in ("Isend", "Irecv", "Ibarrier", "Iprobe") else "exposed"
        self.slice(rank, lane, f"{name} at step (halo.c:{line})", kind, begin, end)

    def message(
        self,
        source: int,
        target: int,
        sent: tuple[float, float],
        received: tuple[float, float],
        tag: int = 7,
        size: int = 1000,
        communicator: int = 1,
    ) -> None:
        self._messages += 1
        common = {"tag": tag, "place": self._messages, "bytes": size, "communicator": communicator}
        self.slice(source, "messages", f"to {target}", "message", *sent, peer=target, sent=True,
                   **common)  # fmt: skip
        self.slice(target, "messages", f"from {source}", "message", *received, peer=source,
                   **common)  # fmt: skip

    def collective(
        self,
        name: str,
        number: int,
        parts: dict[int, tuple[float, float]],
        root: int = -1,
        size: int = 8,
        communicator: int = 1,
    ) -> None:
        for rank, times in parts.items():
            self.slice(rank, "collectives", name, "message", *times, collective=number, root=root,
                       bytes=size, communicator=communicator)  # fmt: skip

    def write(self, path: pathlib.Path) -> pathlib.Path:
        names = [{"ph": "M", "name": "thread_name", "pid": rank, "tid": tid, "args": {"name": lane}}
                 for (rank, lane), tid in self._lanes.items()]  # fmt: skip
        path.write_text(json.dumps({"displayTimeUnit": "ms", "traceEvents": names + self.events}))
        return path

    def read(self, folder: pathlib.Path) -> Trace:
        """Returns the trace as it is read back from a file in `folder`."""
        return read_trace(self.write(folder / "run.trace.json"))


def ring_trace(ranks: int = 3) -> MadeTrace:
    """Each rank starts an exchange with both neighbours, computes 10 us, waits, and reduces."""
    made = MadeTrace()
    for rank in range(ranks):
        made.slice(rank, "program", "computation", "compute", 0, 5)
        made.call(rank, "Irecv", 5, 6, 11)
        made.call(rank, "Isend", 6.5, 7, 12)
        made.slice(rank, "program", "computation", "compute", 7, 17)
        made.call(rank, "Waitall", 17, 20 + rank, 14)
        made.call(rank, "Allreduce", 25, 30, 15)
        made.call(rank, "Bcast", 31, 32, 16)
        made.slice(rank, "program", "computation", "compute", 32, 40)
        source = (rank - 1) % ranks
        made.message(source, rank, (6.5, 20 + source), (5, 20 + rank))
    made.collective("Allreduce", 0, dict.fromkeys(range(ranks), (25, 30)))
    made.collective("Bcast", 1, dict.fromkeys(range(ranks), (31, 32)), root=1, size=64)
    return made


def task_trace() -> MadeTrace:
    """A trace of plait's own tasks, on two ranks of two workers each."""
    made = MadeTrace()
    for rank in range(2):
        for worker in range(2):
            made.slice(rank, f"worker {worker}", "inner", "compute", 0, 10, task=worker + 1)
            made.slice(rank, f"worker {worker}", "exposed", "exposed", 10, 12)
        made.slice(rank, "messages", "rim", "message", 1, 11, peer=1 - rank, tag=0, place=3,
                   bytes=64, sent=True)  # fmt: skip
        made.slice(rank, "messages", "ghosts", "message", 0, 11, peer=1 - rank, tag=0, place=3,
                   bytes=64)  # fmt: skip
    return made

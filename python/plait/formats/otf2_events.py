# SPDX-License-Identifier: BSD-3-Clause
"""Events of an OTF2 archive: those of each thread of a trace, in the order of their times.

A thread is in the program's own region all the time, and within that in a region for each call of
MPI or task. Records of messages and collectives lie between the ends of the calls that post and
complete the operations.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Iterable
from typing import Any

from plait.formats.trace import Collective, Message, Side, Slice, Trace

# A record's name is that of the function of OTF2's writer for it.
COLLECTIVES = {
    name: name.upper()
    for name in ("Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather",
                 "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Allreduce", "Reduce",
                 "Reduce_scatter", "Scan", "Exscan", "Reduce_scatter_block")
}  # fmt: skip
_FROM_ROOT = ("Bcast", "Scatter", "Scatterv")
_TO_ROOT = ("Gather", "Gatherv", "Reduce")


@dataclasses.dataclass(frozen=True)
class Record:
    """An event: its time in nanoseconds, the record's name, and what the record holds."""

    at: int
    name: str
    slice: Slice | None = None  # of `enter` and `leave`; None: the program's own region
    holds: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class _Ends:
    """Records by the nanosecond at which an operation of a rank begins or ends."""

    begins: dict[tuple[int, int], list[Record]] = dataclasses.field(default_factory=dict)
    ends: dict[tuple[int, int], list[Record]] = dataclasses.field(default_factory=dict)

    def add(self, side: Side, begin: Record | None, end: Record | None) -> None:
        """Adds the records of one side."""
        if begin is not None:
            self.begins.setdefault((side.rank, side.begin), []).append(begin)
        if end is not None:
            self.ends.setdefault((side.rank, side.end), []).append(end)


def records_of(trace: Trace) -> dict[tuple[int, str], list[Record]]:
    """Returns the records of each thread, by its rank and name, in the order of their times."""
    members = trace.members()
    operations = _Ends()
    calls = {(rank, one.begin): one.end
             for (rank, _), found in trace.lanes.items() for one in found if one.call}  # fmt: skip
    for number, message in enumerate(trace.messages):
        _add_message(operations, number, message, members[message.communicator], calls)
    for number, one in enumerate(trace.collectives, start=len(trace.messages)):
        _add_collective(operations, number, one, members[one.communicator], calls)
    found = {}
    for rank in range(trace.ranks):
        lanes = trace.lanes_of(rank) or [("program", [])]
        nested = [_nested(rank, slices, operations) for _, slices in lanes]
        left = _left(rank, operations)  # in no call: tasks' messages are posted by an engine
        nested[0] = _enclosed(list(heapq.merge(nested[0], left, key=lambda one: one.at)))
        nested[1:] = map(_enclosed, nested[1:])
        found |= {(rank, lane): records for (lane, _), records in zip(lanes, nested)}
    return found


def _add_message(
    to: _Ends, number: int, message: Message, members: list[int], calls: dict[tuple[int, int], int]
) -> None:
    sent, received = message.sent, message.received
    about = {"communicator": message.communicator, "msg_tag": message.tag,
             "msg_length": message.bytes}  # fmt: skip
    to_whom = {"receiver": members.index(received.rank), **about}
    from_whom = {"sender": members.index(sent.rank), **about}
    if _is_blocking(sent, calls):
        to.add(sent, Record(sent.begin, "mpi_send", holds=to_whom), None)
    else:
        request = {"request_id": 2 * number}
        to.add(sent, Record(sent.begin, "mpi_isend", holds={**to_whom, **request}),
               Record(sent.end, "mpi_isend_complete", holds=request))  # fmt: skip
    if _is_blocking(received, calls):
        to.add(received, None, Record(received.end, "mpi_recv", holds=from_whom))
    else:
        request = {"request_id": 2 * number + 1}
        to.add(received, Record(received.begin, "mpi_irecv_request", holds=request),
               Record(received.end, "mpi_irecv", holds={**from_whom, **request}))  # fmt: skip


def _is_blocking(side: Side, calls: dict[tuple[int, int], int]) -> bool:
    """Says if the call that posted an operation completed it."""
    return side.begin == side.end or calls.get((side.rank, side.begin)) == side.end


def _add_collective(
    to: _Ends, number: int, one: Collective, members: list[int], calls: dict[tuple[int, int], int]
) -> None:
    """Neighbourhood collectives, and what OTF2 has no name for, are regions alone."""
    if one.name not in COLLECTIVES:
        return
    root = members.index(one.root) if one.root in members else -1
    for part, size in zip(one.parts, one.bytes):
        holds = {"collective_op": COLLECTIVES[one.name], "communicator": one.communicator,
                 "root": root, **_moved(one, part.rank, size)}  # fmt: skip
        if _is_blocking(part, calls):
            to.add(part, Record(part.begin, "mpi_collective_begin"),
                   Record(part.end, "mpi_collective_end", holds=holds))  # fmt: skip
        else:
            request = {"request_id": 2 * number}
            to.add(part, Record(part.begin, "non_blocking_collective_request", holds=request),
                   Record(part.end, "non_blocking_collective_complete",
                          holds={**holds, **request}))  # fmt: skip


def _moved(one: Collective, rank: int, size: int) -> dict[str, int]:
    sends = one.name not in _FROM_ROOT or rank == one.root
    receives = one.name not in _TO_ROOT or rank == one.root
    if one.name in _FROM_ROOT and rank == one.root:
        receives = False
    if one.name in _TO_ROOT and rank == one.root:
        sends = False
    return {"size_sent": size * sends, "size_received": size * receives}


def _nested(rank: int, slices: list[Slice], operations: _Ends) -> list[Record]:
    """Enters and leaves regions, one within the other; a slice that sticks out is cut."""
    records: list[Record] = []
    opened: list[tuple[Slice, int]] = []

    def leave_those_that_end(by: float) -> None:
        while opened and opened[-1][1] <= by:
            one, end = opened.pop()
            records.extend(operations.ends.pop((rank, end), []) if one.call else [])
            records.append(Record(end, "leave", one))

    for one in slices:
        if one.name == "computation":
            continue
        leave_those_that_end(one.begin)
        opened.append((one, min(one.end, opened[-1][1] if opened else one.end)))
        records.append(Record(one.begin, "enter", one))
        records.extend(operations.begins.pop((rank, one.begin), []) if one.call else [])
    leave_those_that_end(float("inf"))
    return records


def _left(rank: int, operations: _Ends) -> list[Record]:
    """The records of a rank's operations that are not of a call in the trace."""
    left = [
        record
        for found in (operations.begins, operations.ends)
        for key in [key for key in found if key[0] == rank]
        for record in found.pop(key)
    ]
    return sorted(left, key=lambda one: one.at)


def _enclosed(records: Iterable[Record]) -> list[Record]:
    """The records within the program's own region, which begins with the trace."""
    inner = list(records)
    last = max((one.at for one in inner), default=0)
    return [Record(0, "enter"), *inner, Record(last, "leave")]

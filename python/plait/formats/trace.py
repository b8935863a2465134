# SPDX-License-Identifier: BSD-3-Clause
"""A trace as plait has written it for Perfetto, read back: calls, messages, collectives.

Times are nanoseconds since the first event, on one clock. A message begins with the call that posts
it and ends with the call that completes it, on each side, to the nanosecond. So the calls of a
message are found by their times.
"""

from __future__ import annotations

import bisect
import dataclasses
import json
import pathlib
import re
from typing import Any

from plait.errors import BadInput

_CALL = re.compile(r"(?P<call>\w+) at (?P<site>.*?)(?:, \d+ times)?")
_LINE = re.compile(r"\((?P<file>[^()]*):(?P<line>\d+)\)")
_KINDS_OF_CALLS = ("posting", "exposed")
_REGIONS = "regions"  # of a thread


@dataclasses.dataclass(frozen=True)
class Slice:
    """A slice of a thread's time; of a call of MPI also which call it was, and where."""

    name: str
    kind: str
    begin: int
    end: int
    call: str = ""  # "Sendrecv"; "" of what is no call of MPI
    file: str = ""
    line: int = 0


@dataclasses.dataclass(frozen=True)
class Side:
    """One side of an operation: from its post to its completion."""

    rank: int
    begin: int
    end: int


@dataclasses.dataclass(frozen=True)
class Message:
    """A message between two ranks of the world, both sides of which are in the trace."""

    sent: Side
    received: Side
    tag: int
    bytes: int
    communicator: int


@dataclasses.dataclass(frozen=True)
class Collective:
    """A collective operation, with the parts of all ranks that take part, by rank."""

    call: str  # "Allreduce" or "Iallreduce", as the first rank calls it
    communicator: int
    root: int  # of the world; -1: none
    parts: tuple[Side, ...]
    bytes: tuple[int, ...]  # of each part, as the call names them; 0: they are not noted

    @property
    def name(self) -> str:
        """The blocking call of the operation: "Allreduce" of both."""
        return blocking_name(self.call)


@dataclasses.dataclass(frozen=True)
class _Stay:
    """The time of a rank in a region."""

    begin: int
    end: int

    def has(self, time: int) -> bool:
        return self.begin <= time < self.end

    def cut(self, lane: list[Slice]) -> list[Slice]:
        """Returns the parts that are inside, of calls, too: a thread may wait across the begin."""
        found = []
        for one in lane:
            if not self.has(one.begin) and one.end <= self.begin:
                continue
            begin = max(one.begin, self.begin) - self.begin
            end = min(one.end, self.end) - self.begin
            if end >= begin:
                found.append(dataclasses.replace(one, begin=begin, end=end))
        return found


@dataclasses.dataclass
class Trace:
    """A file's content, ready for the writers of other formats."""

    ranks: int = 0
    lanes: dict[tuple[int, str], list[Slice]] = dataclasses.field(default_factory=dict)
    messages: list[Message] = dataclasses.field(default_factory=list)
    collectives: list[Collective] = dataclasses.field(default_factory=list)

    def within(self, region: str, stay: int) -> Trace:
        """Returns what each rank did in one of its stays in a region, counted from 0.

        Times are since the rank entered it. Operations that any side posts outside are left out.
        Errors: `BadInput` where a rank was not there so often.
        """
        stays = [self._stay(rank, region, stay) for rank in range(self.ranks)]

        def cut(side: Side) -> Side:
            begin = stays[side.rank].begin
            return Side(side.rank, side.begin - begin, side.end - begin)

        def are_inside(*sides: Side) -> bool:
            return all(stays[one.rank].has(one.begin) for one in sides)

        # Threads that make no call there are not in it.
        lanes = {}
        for (rank, lane), found in self.lanes.items():
            inside = stays[rank].cut(found)
            if lane == "program" or any(one.call for one in inside):
                lanes[rank, lane] = inside
        for rank, (begin, end) in enumerate(map(dataclasses.astuple, stays)):
            left = Slice(region, "compute", end - begin, end - begin)
            lanes.setdefault((rank, "program"), []).append(left)
        return Trace(
            self.ranks,
            lanes,
            [
                dataclasses.replace(one, sent=cut(one.sent), received=cut(one.received))
                for one in self.messages
                if are_inside(one.sent, one.received)
            ],
            [
                dataclasses.replace(one, parts=tuple(map(cut, one.parts)))
                for one in self.collectives
                if are_inside(*one.parts)
            ],
        )

    def _stay(self, rank: int, region: str, number: int) -> _Stay:
        lanes = [found for lane, found in self.lanes_of(rank) if lane.startswith(_REGIONS)]
        stays = sorted((one.begin, one.end) for found in lanes for one in found
                       if one.name == region)  # fmt: skip
        if number < len(stays):
            return _Stay(*stays[number])
        if stays:
            raise BadInput(f"--region: rank {rank} was in '{region}' {len(stays)} times; the first"
                           " is number 0")  # fmt: skip
        known = sorted({one.name for found in lanes for one in found})
        there = f"; there are: {', '.join(known)}" if known else ""
        raise BadInput(f"--region: rank {rank} was in no region '{region}'{there}")

    def stay_s(self, region: str, stay: int) -> float:
        """Returns how long the slowest rank stayed there."""
        stays = [self._stay(rank, region, stay) for rank in range(self.ranks)]
        return 1e-9 * max(one.end - one.begin for one in stays)

    @property
    def is_of_calls(self) -> bool:
        """Says if it is of an unmodified program, whose threads are seen at their calls of MPI."""
        return any(lane.startswith("program") for _, lane in self.lanes)

    def lanes_of(self, rank: int) -> list[tuple[str, list[Slice]]]:
        """Returns the threads of a rank with what they did, the first thread first."""
        return [(lane, found) for (of, lane), found in self.lanes.items() if of == rank]

    def members(self) -> dict[int, list[int]]:
        """Returns the ranks of the world that were seen on each communicator, in their order."""
        seen: dict[int, set[int]] = {}
        for message in self.messages:
            on = seen.setdefault(message.communicator, set())
            on |= {message.sent.rank, message.received.rank}
        for one in self.collectives:
            seen.setdefault(one.communicator, set()).update(part.rank for part in one.parts)
        return {number: sorted(ranks) for number, ranks in sorted(seen.items())}


def blocking_name(call: str) -> str:
    """Returns "Allreduce" of "Iallreduce", and other calls as they are."""
    begins_one = call[:1] == "I" and call[1:2].islower() and call not in ("Init", "Info")
    return call[1:].capitalize() if begins_one else call


def read_trace(path: pathlib.Path) -> Trace:
    """Returns the trace of a file. Errors: `BadInput` for what is no trace of plait."""
    try:
        events = json.loads(path.read_bytes())["traceEvents"]
        return _trace_of(events)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise BadInput(f"{path}: is no trace of plait, or its end is missing") from None


def _trace_of(events: list[dict[str, Any]]) -> Trace:
    names = {event["tid"]: event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}  # fmt: skip
    trace = Trace()
    sides: dict[tuple[Any, ...], dict[bool, dict[str, Any]]] = {}
    parts: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    for event in events:
        if event["ph"] != "X" or names[event["tid"]] == "critical path":
            continue
        args = event["args"]
        trace.ranks = max(trace.ranks, event["pid"] + 1)
        if "peer" in args:
            is_sent, key = _end_of(event)
            sides.setdefault(key, {})[is_sent] = event
        elif "collective" in args:
            key = (args["run"], args.get("communicator", 0), args["collective"])
            parts.setdefault(key, []).append(event)
        elif event["cat"] != "message":
            lane = trace.lanes.setdefault((event["pid"], names[event["tid"]]), [])
            lane.append(_slice(event))
    for found in trace.lanes.values():
        found.sort(key=lambda one: (one.begin, -one.end))
    sides_of = _Sides(trace)
    trace.messages = [_message(ends, sides_of) for ends in sides.values() if len(ends) == 2]
    trace.messages.sort(key=lambda one: (one.sent.begin, one.sent.rank))
    trace.collectives = _collectives(parts, sides_of)
    return trace


class _Sides:
    """Sides of operations. One begins with the call that posts it.

    Tests in a row are one call in a trace, and the last of them may have posted: a probe that has
    found a message is the post of the receive.
    """

    def __init__(self, trace: Trace) -> None:
        self._calls: dict[int, list[list[Slice]]] = {}
        for (rank, _), found in trace.lanes.items():
            self._calls.setdefault(rank, []).append([one for one in found if one.call])
        self._begins = {rank: [[one.begin for one in calls] for calls in lanes]
                        for rank, lanes in self._calls.items()}  # fmt: skip

    def side(self, event: dict[str, Any]) -> Side:
        """Returns the side that an event is."""
        rank, (begin, end) = event["pid"], _ns(event)
        around = []
        for calls, begins in zip(self._calls.get(rank, []), self._begins.get(rank, [])):
            at = bisect.bisect_right(begins, begin) - 1
            if at >= 0 and begin <= calls[at].end:
                around.append(calls[at].begin)
        return Side(rank, begin if begin in around or not around else around[0], end)


def _ns(event: dict[str, Any]) -> tuple[int, int]:
    begin = round(1000 * event["ts"])
    return begin, begin + round(1000 * event["dur"])


def _end_of(event: dict[str, Any]) -> tuple[bool, tuple[Any, ...]]:
    """Says if it is a message's sending side, and what both of its sides have in common."""
    args = event["args"]
    is_sent = args.get("sent", False)
    source, target = (event["pid"], args["peer"]) if is_sent else (args["peer"], event["pid"])
    common = (args["run"], args.get("communicator", 0), source, target, args["tag"], args["place"])
    return is_sent, common


def _slice(event: dict[str, Any]) -> Slice:
    name, kind = event["name"], event["cat"]
    begin, end = _ns(event)
    found = _CALL.fullmatch(name) if kind in _KINDS_OF_CALLS else None
    if found is None:
        return Slice(name, kind, begin, end)
    at = _LINE.search(found["site"])  # the first place is the program's own
    where = (at["file"], int(at["line"])) if at else ("", 0)
    return Slice(found["site"], kind, begin, end, found["call"], *where)


def _message(ends: dict[bool, dict[str, Any]], sides: _Sides) -> Message:
    args = ends[True]["args"]
    return Message(
        sides.side(ends[True]),
        sides.side(ends[False]),
        args["tag"],
        args["bytes"],
        args.get("communicator", 0),
    )


def _collectives(
    parts: dict[tuple[str, int, int], list[dict[str, Any]]], sides: _Sides
) -> list[Collective]:
    """Those with a part of every rank that the communicator has: a trace that is cut lacks some."""
    members: dict[tuple[str, int], int] = {}
    for (run, communicator, _), events in parts.items():
        of = (run, communicator)
        members[of] = max(members.get(of, 0), len(events))
    found = []
    for (run, communicator, _), events in parts.items():
        if len(events) < members[run, communicator]:
            continue
        events.sort(key=lambda event: event["pid"])
        found.append(
            Collective(
                events[0]["name"],
                communicator,
                max(event["args"]["root"] for event in events),
                tuple(map(sides.side, events)),
                tuple(event["args"]["bytes"] for event in events),
            )
        )
    return sorted(found, key=lambda one: (one.parts[0].begin, one.communicator))

# SPDX-License-Identifier: BSD-3-Clause
"""The middle of a trace that `plait attach` has written, as a timeline that a report draws."""

import json
import pathlib
from typing import Any

from plait.results.base import Result

MOST_EVENTS = 20_000
_LARGEST_TRACE_BYTES = 1 << 28
_COMPUTING = "computing"


def with_timeline(result: Result, trace: pathlib.Path | None) -> Result:
    """Returns the result with as much of the trace as a report can show; as it was without one."""
    if trace is None or not trace.exists() or trace.stat().st_size > _LARGEST_TRACE_BYTES:
        return result
    try:
        found = json.loads(trace.read_bytes())
        calls = [event for event in found["traceEvents"] if event["ph"] == "X"]
        events = _events(calls)
    except (ValueError, LookupError, TypeError, AttributeError):  # an abnormal end has cut it off
        return result
    return (
        {**result, "timeline": {result["program"].rsplit("/", 1)[-1]: events}} if events else result
    )


def _events(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls in the middle of the run, each with its rank, and the time between them."""
    calls.sort(key=lambda call: call["ts"])
    spare = max(0, len(calls) - MOST_EVENTS // 2)
    events, ended = [], {}
    for call in calls[spare // 2 : len(calls) - spare // 2]:
        rank, start, end = call["pid"], call["ts"], call["ts"] + call["dur"]
        if start > ended.get(rank, start):
            events.append(_event(rank, _COMPUTING, "compute", ended[rank], start))
        events.append(_event(rank, call["name"], _kind(call["name"]), start, end))
        ended[rank] = max(end, ended.get(rank, end))
    return events


def _kind(name: str) -> str:
    """What a call's time is, by its name: calls that return at once post, others wait."""
    call = name.split()[0].removeprefix("MPI_")
    posts = call.startswith(("I", "Start", "Test")) and call not in ("Init", "Init_thread")
    return "posting" if posts else "exposed"


def _event(rank: int, name: str, kind: str, start_us: float, end_us: float) -> dict[str, Any]:
    return {"rank": rank, "lane": "program", "name": name, "kind": kind, "start_us": start_us,
            "end_us": end_us}  # fmt: skip

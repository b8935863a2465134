# SPDX-License-Identifier: BSD-3-Clause
"""The middle of a trace that `plait attach` has written, as a timeline that a report draws."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from plait.results.base import LEDGER_PARTS, Result

MOST_EVENTS = 20_000
_LARGEST_TRACE_BYTES = 1 << 28
_KINDS = (*LEDGER_PARTS, "message")


def with_timeline(result: Result, trace: pathlib.Path | None) -> Result:
    """Returns the result with as much of the trace as a report can show; as it was without one."""
    if trace is None or not trace.exists() or trace.stat().st_size > _LARGEST_TRACE_BYTES:
        return result
    try:
        events = _events(json.loads(trace.read_bytes())["traceEvents"])
    except (ValueError, LookupError, TypeError, AttributeError):  # an abnormal end has cut it off
        return result
    name = result["program"].rsplit("/", 1)[-1]
    return {**result, "timeline": {name: events}} if events else result


def _events(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The middle of the run: what each rank's program did, and its messages."""
    lanes = {event["tid"]: event["args"]["name"] for event in found
             if event["ph"] == "M" and event["name"] == "thread_name"}  # fmt: skip
    slices = [e for e in found if e["ph"] == "X" and e["cat"] in _KINDS
              and not lanes.get(e["tid"], "").startswith("regions")]  # fmt: skip
    shown = [e for e in slices if "collective" not in e.get("args", {})]
    shown.sort(key=lambda event: event["ts"])
    spare = max(0, len(shown) - MOST_EVENTS)
    return [
        {"rank": event["pid"], "lane": lanes.get(event["tid"], "program"), "name": event["name"],
         "kind": event["cat"], "start_us": event["ts"], "end_us": event["ts"] + event["dur"]}
        for event in shown[spare // 2 : len(shown) - (spare + 1) // 2]
    ]  # fmt: skip

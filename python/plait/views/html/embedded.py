# SPDX-License-Identifier: BSD-3-Clause
"""Gives the page's scripts what they draw in a browser: a result, or its timelines and ledgers."""

import json
from typing import Any

from plait.results.base import Result
from plait.results.figures.speedup import iteration_s
from plait.views.html.drawn.svg import element

Event = dict[str, Any]


def timelines(result: Result) -> str:
    """Returns the timelines of a result, to zoom into."""
    return _drawn("timelines", {"timeline": result["timeline"]})


def iterations(result: Result) -> str:
    """Returns a timeline per variant that first shows an iteration, and what their traces say.

    All timelines are at one scale.
    """
    timeline = {name: events for name, events in (result.get("timeline") or {}).items() if events}
    excerpts = {}
    for name, events in timeline.items():
        length_us = max(iteration_s(result, name) * 1e6, 1e-3)
        start_us = _start(events, length_us)
        excerpts[name] = [start_us, start_us + length_us]
    summaries = result.get("trace_summary") or {}
    content = {"timeline": timeline, "excerpts": excerpts, "trace_summary": summaries}
    return _drawn("timelines", content)


def ledgers(by_name: dict[str, list[dict[str, Any]]]) -> str:
    """Returns every worker's account of its time, a foldable table per variant."""
    return _drawn("ledgers", by_name)


def _start(events: list[Event], length_us: float) -> float:
    """Returns the time from which an excerpt of this length shows all ranks at work.

    Ranks that need not wait for each other are apart, so it begins when the last of them has begun
    what was recorded of it, or earlier where the first ends too soon after that.
    """
    begun, ended = {}, {}
    for event in [e for e in events if e["kind"] != "message"] or events:
        rank = event["rank"]
        begun[rank] = min(begun.get(rank, event["start_us"]), event["start_us"])
        ended[rank] = max(ended.get(rank, event["end_us"]), event["end_us"])
    last_begin = max(begun.values())
    return max(min(begun.values()), min(last_begin, min(ended.values()) - length_us))


def _drawn(what: str, content: dict[str, Any]) -> str:
    return element("div", data(content), data_draw=what)


def data(content: dict[str, Any]) -> str:
    """Returns what a script draws; a whole result is as the library writes it into its page."""
    said = json.dumps(content, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return element("script", said, type="application/json")

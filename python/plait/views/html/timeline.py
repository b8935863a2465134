# SPDX-License-Identifier: BSD-3-Clause
"""Draws an excerpt of the trace: a lane per worker, and the messages of the rank beneath.

A variant's excerpt is as long as an iteration on average, a program's as long as can be read.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from plait.results.base import Result
from plait.results.figures.speedup import iteration_s
from plait.units import seconds_text, tick_text
from plait.views.html.svg import bar, drawing, element, label, line, nice_step, text

WIDTH, LEFT, TOP = 960.0, 118.0, 12.0
WORKER, MESSAGE, GAP = 26.0, 13.0, 14.0
READABLE = 150  # events of a rank
FEW = 8  # messages of a rank that get a bar each
Event = dict[str, Any]
Stretch = tuple[float, float]  # its start and its length, in µs


@dataclasses.dataclass(frozen=True)
class Excerpt:
    """Holds what is drawn of the clock, at a scale at which `span_us` would fill the drawing."""

    start_us: float
    end_us: float
    span_us: float

    def x(self, time_us: float) -> float:
        """Place of a time, kept inside the excerpt."""
        share = (min(max(time_us, self.start_us), self.end_us) - self.start_us) / self.span_us
        return LEFT + share * (WIDTH - LEFT - 8)

    def shows(self, event: Event) -> bool:
        """Returns whether some of the event lies in the excerpt."""
        return event["end_us"] > self.start_us and event["start_us"] < self.end_us


def iterations(result: Result) -> str:
    """A drawing per variant of as long as an iteration takes on average."""
    return _drawings(result, lambda name, events: _iteration(result, name, events))


def middles(result: Result) -> str:
    """A drawing per timeline of as much as can be read, from its middle."""
    return _drawings(result, lambda _name, events: _readable(events))


def _drawings(result: Result, stretch_of: Callable[[str, list[Event]], Stretch]) -> str:
    """Drawings at one scale, so that lengths compare."""
    timeline = {name: events for name, events in (result.get("timeline") or {}).items() if events}
    if not timeline:
        return element("p", "This result has no timeline.", class_="quiet")
    stretches = {name: stretch_of(name, events) for name, events in timeline.items()}
    span_us = 1.02 * max(length_us for _, length_us in stretches.values())
    parts = []
    for name, events in timeline.items():
        start_us, length_us = stretches[name]
        excerpt = Excerpt(start_us, start_us + length_us, span_us)
        length = seconds_text(length_us * 1e-6)
        caption = element("figcaption", element("b", text(name)), text(f"  {length}"))
        parts.append(element("figure", caption, _draw(name, events, excerpt), class_="timeline"))
    return "".join(parts)


def _iteration(result: Result, name: str, events: list[Event]) -> Stretch:
    """Start and length of an iteration of a variant."""
    length_us = max(iteration_s(result, name) * 1e6, 1e-3)
    return _start(events, length_us), length_us


def _readable(events: list[Event]) -> Stretch:
    """Start and length of as much as can be read, out of the middle: no iterations are known."""
    start, end = min(e["start_us"] for e in events), max(e["end_us"] for e in events)
    share = min(1.0, READABLE * len({e["rank"] for e in events}) / len(events))
    length = max(share * (end - start), 1e-3)
    return (start + end - length) / 2, length


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


def _draw(name: str, events: list[Event], excerpt: Excerpt) -> str:
    y, parts = TOP, []
    for rank in sorted({e["rank"] for e in events}):
        mine = [e for e in events if e["rank"] == rank]
        first = y
        for lane in sorted({e["lane"] for e in mine if e["kind"] != "message"}):
            parts.append(_worker_lane(rank, lane, mine, excerpt, y))
            y += WORKER + 3
        messages = [e for e in mine if e["kind"] == "message" and excerpt.shows(e)]
        lanes = _few(messages, excerpt, y) if len(messages) <= FEW else _many(messages, excerpt, y)
        parts += [drawn for lane in lanes for drawn in lane]
        y += (MESSAGE + 2) * len(lanes)
        parts.append(label(f"rank {rank}", 0, first + 17, "name"))
        y += GAP
    y -= GAP - 4
    return drawing(WIDTH, y + 24, f"One iteration of {name}", _grid(excerpt, y), *parts)


def _worker_lane(rank: int, lane: str, events: list[Event], excerpt: Excerpt, y: float) -> str:
    parts = [
        label(lane, LEFT - 10, y + 17, "lane", "end"),
        element(
            "rect",
            x=LEFT,
            y=y,
            width=excerpt.x(excerpt.end_us) - LEFT,
            height=WORKER,
            class_="track",
        ),
    ]
    every = [e for e in events if e["lane"] == lane and e["kind"] != "message"]
    own = [e for e in every if excerpt.shows(e)]
    for event in [*filter(excerpt.shows, _gaps(every, events)), *own]:
        x, width = _extent(event, excerpt)
        parts.append(bar(x, y, width, WORKER, event["kind"], _tip(event)))
        if width > 8 * len(event["name"]):
            parts.append(
                label(event["name"], x + width / 2, y + 17, f"in in-{event['kind']}", "middle")
            )
    return "".join([*parts, *_outlines(own, excerpt, y, WORKER)])


def _outlines(events: list[Event], excerpt: Excerpt, y: float, height: float) -> list[str]:
    """Frames around what is on the critical path.

    What adjoins shares one: small tasks would disappear under frames of their own.
    """
    frames: list[tuple[float, float]] = []
    critical = [_extent(e, excerpt) for e in events if e.get("critical")]
    for x, width in sorted(critical):
        if frames and x - frames[-1][1] < 1.5:
            frames[-1] = (frames[-1][0], max(frames[-1][1], x + width))
        else:
            frames.append((x, x + width))
    return [
        element(
            "rect", x=x + 1, y=y + 1, width=max(end - x - 2, 0.5), height=height - 2,
            class_="critical",
        )
        for x, end in frames
    ]  # fmt: skip


def _gaps(own: list[Event], events: list[Event]) -> list[Event]:
    """MPI's calls and the runtime: what lies between events, which tell of idle time too."""
    flights = _union([e for e in events if e["kind"] == "message"])
    gaps, last = [], None
    for event in sorted(own, key=lambda e: e["start_us"]):
        if last is not None and event["start_us"] - last > 1.0:
            middle = (last + event["start_us"]) / 2
            posting = any(start <= middle <= end for start, end in flights)
            name, kind = ("MPI's calls", "posting") if posting else ("the runtime", "overhead")
            gaps.append(
                {**event, "name": name, "kind": kind, "start_us": last, "end_us": event["start_us"]}
            )
        last = max(last or event["end_us"], event["end_us"])
    return gaps


def _few(messages: list[Event], excerpt: Excerpt, y: float) -> list[list[str]]:
    """Each message a bar; those in flight together lie beneath each other."""
    lanes = []
    for index, row in enumerate(_pack(messages)):
        lane = [label("messages", LEFT - 10, y + 10, "lane", "end")] if index == 0 else []
        for event in row:
            x, width = _extent(event, excerpt)
            kind = "receive" if _incoming(event) else "message"
            lane.append(bar(x, y, width, MESSAGE, kind, _tip(event)))
            if width > 6.2 * len(event["name"]) + 6:
                lane.append(label(event["name"], x + 5, y + 10, "in small in-message"))
        lanes.append(lane + _outlines(row, excerpt, y, MESSAGE))
        y += MESSAGE + 2
    return lanes


def _many(messages: list[Event], excerpt: Excerpt, y: float) -> list[list[str]]:
    """A lane for what is being sent; one for what is awaited, with a mark where each arrives."""
    sent = [e for e in messages if not _incoming(e)]
    awaited = [e for e in messages if _incoming(e)]
    lanes = []
    if sent:
        lane = [label("being sent", LEFT - 10, y + 10, "lane", "end")]
        for event in sent:
            x, width = _extent(event, excerpt)
            lane.append(bar(x, y, width, MESSAGE, "message", _tip(event)))
        lanes.append(lane + _outlines(sent, excerpt, y, MESSAGE))
        y += MESSAGE + 2
    if awaited:
        lane = [label("arrivals", LEFT - 10, y + 10, "lane", "end")]
        for start, end in _union(awaited):
            x = excerpt.x(start)
            tip = "messages awaited; a mark where each has arrived"
            lane.append(bar(x, y + 5, excerpt.x(end) - x, 3, "receive", tip))
        ends = [e for e in awaited if e["end_us"] <= excerpt.end_us]
        lane += [bar(excerpt.x(e["end_us"]) - 1, y, 2, MESSAGE, "receive", _tip(e)) for e in ends]
        lanes.append(lane + _outlines(awaited, excerpt, y, MESSAGE))
    return lanes


def _incoming(event: Event) -> bool:
    return not event.get("sent", not event["name"].startswith(("receive", "recv")))


def _union(events: list[Event]) -> list[tuple[float, float]]:
    """The times at which any of the events goes on."""
    merged: list[tuple[float, float]] = []
    for event in sorted(events, key=lambda e: e["start_us"]):
        if merged and event["start_us"] <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], event["end_us"]))
        else:
            merged.append((event["start_us"], event["end_us"]))
    return merged


def _extent(event: Event, excerpt: Excerpt) -> tuple[float, float]:
    x = excerpt.x(event["start_us"])
    return x, excerpt.x(event["end_us"]) - x


def _tip(event: Event) -> str:
    length = seconds_text((event["end_us"] - event["start_us"]) * 1e-6)
    when = f"from {event['start_us']:.0f} to {event['end_us']:.0f} µs"
    return f"{event['name']} ({event['kind']}), rank {event['rank']}: {length}, {when}"


def _pack(messages: list[Event]) -> list[list[Event]]:
    """Messages that are in flight together lie in rows beneath each other."""
    rows: list[list[Event]] = []
    for event in sorted(messages, key=lambda e: (e["start_us"], e["end_us"])):
        for row in rows:
            if row[-1]["end_us"] <= event["start_us"]:
                row.append(event)
                break
        else:
            rows.append([event])
    return rows


def _grid(excerpt: Excerpt, bottom: float) -> str:
    step = nice_step(excerpt.span_us, 8)
    parts = []
    for index in range(int((excerpt.end_us - excerpt.start_us) / step) + 1):
        x = excerpt.x(excerpt.start_us + index * step)
        parts.append(line(x, TOP - 6, x, bottom, "grid"))
        parts.append(label(tick_text(index * step * 1e-6), x, bottom + 16, "tick", "middle"))
    return "".join(parts)

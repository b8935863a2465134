# SPDX-License-Identifier: BSD-3-Clause
"""Slowdowns over conditions: a curve a variant, medians as points, quartiles as bars."""

import dataclasses
import math
from collections.abc import Iterator, Sequence

from plait.results.base import Spread
from plait.units import number_text
from plait.views.html.curves import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, curve_legend
from plait.views.html.svg import dot, drawing, element, label, line, nice_step, polyline, text


@dataclasses.dataclass(frozen=True)
class Place:
    """A condition on the horizontal axis."""

    x: float
    label: str
    limit: float | None  # what the condition costs by itself


@dataclasses.dataclass(frozen=True)
class Slowdowns:
    """One variant's slowdown at every place; None where it was not measured."""

    name: str
    colour: str  # of the style sheet
    spreads: list[Spread | None]


def slowdown_curves(
    title: str, limit: str, places: Sequence[Place], variants: Sequence[Slowdowns]
) -> str:
    """Returns a legend and a drawing; `limit` names the dashed line of what conditions cost."""
    frame = _Frame(places, variants)
    limits = [(frame.x(each.x), frame.y(each.limit)) for each in places if each.limit is not None]
    parts = [frame.axes(places), polyline(limits, "curve c-limit")]
    for variant in variants:
        parts += _drawn(variant, places, frame)
    named = [*variants, Slowdowns(limit, "limit", [])]
    return element("h3", text(title)) + curve_legend(named) + drawing(WIDTH, HEIGHT, title, *parts)


class _Frame:
    """Places and slowdowns as positions in the drawing."""

    def __init__(self, places: Sequence[Place], variants: Sequence[Slowdowns]) -> None:
        self._first, self._last = min(p.x for p in places), max(p.x for p in places)
        limits = (place.limit for place in places if place.limit is not None)
        values = [1.0, *limits, *_values(variants)]
        low, high = min(values), max(values)
        self._step = nice_step(max(high - low, 0.05), 5)
        self._low = math.floor(low / self._step) * self._step
        self._high = max(math.ceil(high / self._step) * self._step, self._low + self._step)

    def x(self, place: float) -> float:
        span = self._last - self._first
        share = (place - self._first) / span if span else 0.5
        return LEFT + 24 + share * (WIDTH - LEFT - RIGHT - 48)

    def y(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def axes(self, places: Sequence[Place]) -> str:
        parts = []
        for index in range(round((self._high - self._low) / self._step) + 1):
            value = self._low + index * self._step
            parts.append(line(LEFT, self.y(value), WIDTH - RIGHT, self.y(value), "grid"))
            tick = number_text(round(value, 6))
            parts.append(label(tick, LEFT - 8, self.y(value) + 4, "tick", "end"))
        for place in places:
            x = self.x(place.x)
            parts.append(line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "grid"))
            parts.append(label(place.label, x, HEIGHT - BOTTOM + 20, "tick", "middle"))
        return "".join(parts)


def _values(variants: Sequence[Slowdowns]) -> Iterator[float]:
    for variant in variants:
        for spread in filter(None, variant.spreads):
            yield from (spread["median"], spread["q1"], spread["q3"])


def _drawn(variant: Slowdowns, places: Sequence[Place], frame: _Frame) -> list[str]:
    colour = f"c-{variant.colour}"
    found = [(p, s) for p, s in zip(places, variant.spreads, strict=True) if s]
    points = [(frame.x(place.x), frame.y(spread["median"])) for place, spread in found]
    parts = [polyline(points, f"curve {colour}")]
    for (x, y), (place, spread) in zip(points, found, strict=True):
        median, q1, q3 = (number_text(round(spread[q], 3)) for q in ("median", "q1", "q3"))
        parts.append(
            line(x, frame.y(spread["q1"]), x, frame.y(spread["q3"]), f"quartiles {colour}")
        )
        tip = f"{variant.name}, {place.label}: {median} ({q1} – {q3})"
        parts.append(dot(x, y, f"dot {colour}", tip))
    return parts

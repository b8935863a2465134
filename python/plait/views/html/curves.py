# SPDX-License-Identifier: BSD-3-Clause
"""Figures against message sizes: a curve a row, medians as points, quartiles as bars."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Protocol

from plait.units import number_text, seconds_text, tick_text
from plait.views.html.svg import dot, drawing, element, label, line, nice_step, polyline, text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960.0, 300.0, 64.0, 24.0, 14.0, 44.0
COLOURS = 8


@dataclasses.dataclass(frozen=True)
class Point:
    """A figure at a size."""

    size_bytes: int
    median: float
    q1: float
    q3: float


@dataclasses.dataclass(frozen=True)
class Curve:
    """One row's figure at every size it was measured at."""

    name: str
    points: list[Point]
    colour: str  # of the style sheet: 0 to 7, or "limit"


# Shares outside are drawn at the edge: one row that costs many times what it hides would flatten
# all others.
_LEAST_SHARE, _LARGEST_SHARE = -50.0, 150.0


def curves(title: str, unit: str, all_curves: list[Curve]) -> str:
    """A legend and a drawing; nothing where there are no points.  The unit is % or µs.

    Sizes are on a logarithmic scale. The vertical scale begins at 0, or below where figures do.
    """
    drawn = [curve for curve in all_curves if curve.points]
    if not drawn:
        return ""
    points = [point for curve in drawn for point in curve.points]
    frame = _Frame(
        sorted({point.size_bytes for point in points}),
        min(0.0, *(point.q1 for point in points)),
        max(*(point.q3 for point in points), 1e-9),
        unit == "%",
    )
    parts = [frame.axes(unit)]
    for curve in drawn:
        parts += _drawn(curve, frame, unit)
    heading = element("h3", text(title))
    return heading + curve_legend(drawn) + drawing(WIDTH, HEIGHT, title, *parts)


class _Frame:
    """Turns values into places in the drawing."""

    def __init__(self, sizes: list[int], low: float, high: float, shares: bool) -> None:
        self.sizes = sizes
        if shares:
            low, high = max(low, _LEAST_SHARE), min(max(high, 100.0), _LARGEST_SHARE)
        self.step = nice_step(high - low, 5)
        self.low = math.floor(low / self.step) * self.step
        self.high = math.ceil(high / self.step) * self.step

    def x(self, size: int) -> float:
        first, last = (math.log2(self.sizes[i]) for i in (0, -1))
        share = (math.log2(size) - first) / (last - first) if last > first else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def axes(self, unit: str) -> str:
        parts = []
        for index in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + index * self.step
            parts.append(line(LEFT, self.y(value), WIDTH - RIGHT, self.y(value), "grid"))
            parts.append(label(_tick_text(value, unit), LEFT - 8, self.y(value) + 4, "tick", "end"))
        last = -math.inf
        for size in self.sizes:
            if self.x(size) - last < 46:
                continue
            last = self.x(size)
            parts.append(label(size_text(size), last, HEIGHT - BOTTOM + 20, "tick", "middle"))
        return "".join(parts)


def _drawn(curve: Curve, frame: _Frame, unit: str) -> list[str]:
    colour = f"c-{curve.colour}"
    places = [(frame.x(p.size_bytes), frame.y(p.median)) for p in curve.points]
    parts = [polyline(places, f"curve {colour}")]
    for point, (x, y) in zip(curve.points, places, strict=True):
        parts.append(line(x, frame.y(point.q1), x, frame.y(point.q3), f"quartiles {colour}"))
        tip = f"{curve.name}, {size_text(point.size_bytes)}: {_spread_text(point, unit)}"
        parts.append(dot(x, y, f"dot {colour}", tip))
    return parts


def _spread_text(point: Point, unit: str) -> str:
    values = (point.median, point.q1, point.q3)
    if unit == "%":
        return "{} ({} – {}) %".format(*(number_text(round(value, 2) + 0) for value in values))
    return "{} ({} – {})".format(*(seconds_text(1e-6 * value) for value in values))


def _tick_text(value: float, unit: str) -> str:
    return f"{value:g} %" if unit == "%" else tick_text(1e-6 * value)


class Named(Protocol):
    """A curve of any kind of drawing."""

    name: str
    colour: str


def curve_legend(drawn: Sequence[Named]) -> str:
    """Returns names and colours."""
    items = (
        element("li", element("span", class_=f"swatch c-{c.colour}"), text(c.name)) for c in drawn
    )
    return element("ul", *items, class_="legend")


def size_text(size_bytes: int) -> str:
    """Writes a size as the programs do: in the largest unit that divides it."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes % factor == 0:
            return f"{size_bytes // factor}{unit}"
    return f"{size_bytes}B"

# SPDX-License-Identifier: BSD-3-Clause
"""Figures against message sizes: a curve a row, medians as points, quartiles as bars."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Protocol

from plait.units import number_text, seconds_text, tick_text
from plait.views.html.drawn.axes import Axes, rounded
from plait.views.html.drawn.svg import element, legend, text

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
    low = min(0.0, *(point.q1 for point in points))
    high = max(*(point.q3 for point in points), 1e-9)
    if unit == "%":
        low, high = max(low, _LEAST_SHARE), min(max(high, 100.0), _LARGEST_SHARE)
    sizes = sorted({point.size_bytes for point in points})
    axes = Axes((sizes[0], sizes[-1]), rounded(low, high, 5), scale=math.log2)
    parts = [
        axes.rows(lambda value: _tick_text(value, unit), 5),
        axes.columns(((size, size_text(size)) for size in sizes), gap=46),
    ]
    for curve in drawn:
        said = (f"{curve.name}, {size_text(p.size_bytes)}: {_spread_text(p, unit)}"
                for p in curve.points)  # fmt: skip
        spreads = ((p.size_bytes, (p.median, p.q1, p.q3)) for p in curve.points)
        marked = [(*spread, tip) for spread, tip in zip(spreads, said)]
        parts.append(axes.curve(curve.colour, marked))
    return element("h3", text(title)) + curve_legend(drawn) + axes.drawing(title, *parts)


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
    return legend((f"c-{curve.colour}", curve.name) for curve in drawn)


def size_text(size_bytes: int) -> str:
    """Writes a size as the programs do: in the largest unit that divides it."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes % factor == 0:
            return f"{size_bytes // factor}{unit}"
    return f"{size_bytes}B"

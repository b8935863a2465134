# SPDX-License-Identifier: BSD-3-Clause
"""Measured times over sizes: points with their quartiles, lines through them, limits between."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from plait.units import seconds_text, size_text, tick_text
from plait.views.html.drawn.axes import Axes, steps
from plait.views.html.drawn.svg import element, label, line


@dataclasses.dataclass(frozen=True)
class Series:
    """One kind of point: size in bytes, and a spread in seconds."""

    name: str
    kind: str  # the colour: see page.css
    points: Sequence[tuple[float, dict[str, Any]]]


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A straight line in seconds over sizes in bytes, and the sizes it is for."""

    first_bytes: float
    last_bytes: float
    at_zero_s: float
    per_byte_s: float

    def at(self, size_bytes: float) -> float:
        """Its time at a size."""
        return self.at_zero_s + self.per_byte_s * size_bytes


def plot(
    title: str, series: Sequence[Series], lines: Sequence[Fitted], limits: Sequence[float] = ()
) -> str:
    """The drawing; `limits` are sizes marked by a vertical line."""
    sizes = [size for each in series for size, _ in each.points]
    medians = [spread["median"] for each in series for _, spread in each.points]
    lowest, highest = min(0.0, *medians), max(0.0, *medians)
    # Room for quartiles, of which a wild one may leave the frame: it must not make the rest small.
    up = (1.1 * lowest, 1.1 * highest if highest > lowest else 1.0)
    axes = Axes((0.0, 1.02 * max(sizes)), up, height=380, left=84, right=20, top=30, bottom=46)
    marks = ((1024 * kib, f"{kib:g}") for kib in steps(0, axes.across[1] / 1024, 8))
    parts = [axes.rows(tick_text, unit=1e-6), axes.columns(marks, "size in KiB", marked=True)]
    parts += [_limit(axes, limit) for limit in limits]
    parts += [_fitted(axes, fitted) for fitted in lines]
    parts += [_point(axes, each, *point) for each in series for point in each.points]
    return axes.drawing(title, *parts)


def _limit(axes: Axes, size_bytes: float) -> str:
    x = axes.x(size_bytes)
    mark = line(x, axes.top - 6, x, axes.bottom, "mark mark-attainable")
    return mark + label(size_text(size_bytes), x, axes.top - 12, "marked attainable", "middle")


def _fitted(axes: Axes, fitted: Fitted) -> str:
    ends = (fitted.first_bytes, fitted.last_bytes)
    (x1, y1), (x2, y2) = ((axes.x(size), axes.y(fitted.at(size))) for size in ends)
    return line(x1, y1, x2, y2, "fit")


def _point(axes: Axes, series: Series, size_bytes: float, spread: dict[str, Any]) -> str:
    x, y = axes.x(size_bytes), axes.y(spread["median"])
    low, high = (axes.y(spread[q]) for q in ("q1", "q3"))
    quartiles = " – ".join(seconds_text(spread[q]) for q in ("q1", "q3"))
    tip = f"{series.name} at {size_text(size_bytes)}: {seconds_text(spread['median'])}"
    dot = element(
        "circle", cx=x, cy=y, r=3.2, class_=f"k-{series.kind}", data_tip=f"{tip} ({quartiles})"
    )
    return line(x, low, x, high, f"whisker s-{series.kind}") + dot

# SPDX-License-Identifier: BSD-3-Clause
"""Measured times over sizes: points with their quartiles, lines through them, limits between."""

from collections.abc import Sequence
from typing import Any

from plait.units import seconds_text, size_text, tick_text
from plait.views.html.drawn.axes import Axes, steps
from plait.views.html.drawn.svg import element, label, line


def plot(
    title: str, series: Sequence[tuple[str, str, str]], sizes: Sequence[dict[str, Any]],
    segments: Sequence[dict[str, Any]],
) -> str:  # fmt: skip
    """Returns the drawing of sizes and segments as results have them.

    A series is the key of its spread, what it is called, and its colour. A vertical line is where
    each segment but the first begins.
    """
    medians = [size[key]["median"] for key, _, _ in series for size in sizes]
    largest = sizes[-1]["size_bytes"]
    lowest, highest = min(0.0, *medians), max(0.0, *medians)
    # Room for quartiles, of which a wild one may leave the frame: it must not make the rest small.
    up = (1.1 * lowest, 1.1 * highest if highest > lowest else 1.0)
    axes = Axes((0.0, 1.02 * largest), up, height=380, left=84, right=20, top=30, bottom=46)
    marks = ((1024 * kib, f"{kib:g}") for kib in steps(0, axes.across[1] / 1024, 8))
    parts = [axes.rows(tick_text, unit=1e-6), axes.columns(marks, "size in KiB", marked=True)]
    parts += [_limit(axes, segment["first_bytes"]) for segment in segments[1:]]
    parts += [_fitted(axes, segment) for segment in segments]
    for key, name, kind in series:
        parts += [_point(axes, name, kind, size["size_bytes"], size[key]) for size in sizes]
    return axes.drawing(title, *parts)


def _limit(axes: Axes, size_bytes: float) -> str:
    x = axes.x(size_bytes)
    mark = line(x, axes.top - 6, x, axes.bottom, "mark mark-attainable")
    return mark + label(size_text(size_bytes), x, axes.top - 12, "marked attainable", "middle")


def _fitted(axes: Axes, segment: dict[str, Any]) -> str:
    fitted, ends = segment["line"], (segment["first_bytes"], segment["last_bytes"])
    (x1, y1), (x2, y2) = (
        (axes.x(size), axes.y(fitted["at_zero_s"] + fitted["per_byte_s"] * size)) for size in ends
    )
    return line(x1, y1, x2, y2, "fit")


def _point(axes: Axes, name: str, kind: str, size_bytes: float, spread: dict[str, Any]) -> str:
    x, y = axes.x(size_bytes), axes.y(spread["median"])
    low, high = (axes.y(spread[q]) for q in ("q1", "q3"))
    quartiles = " – ".join(seconds_text(spread[q]) for q in ("q1", "q3"))
    tip = f"{name} at {size_text(size_bytes)}: {seconds_text(spread['median'])}"
    dot = element("circle", cx=x, cy=y, r=3.2, class_=f"k-{kind}", data_tip=f"{tip} ({quartiles})")
    return line(x, low, x, high, f"whisker s-{kind}") + dot

# SPDX-License-Identifier: BSD-3-Clause
"""Measured times over sizes: points with their quartiles, lines through them, limits between."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from plait.units import seconds_text, size_text, tick_text
from plait.views.html.svg import drawing, element, label, line, nice_step

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960.0, 380.0, 84.0, 20.0, 30.0, 46.0


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


@dataclasses.dataclass(frozen=True)
class Frame:
    """Turns sizes and times into places on the drawing."""

    largest_bytes: float
    lowest_s: float
    highest_s: float

    def x(self, size_bytes: float) -> float:
        """The place of a size."""
        return LEFT + size_bytes / self.largest_bytes * (WIDTH - LEFT - RIGHT)

    def y(self, time_s: float) -> float:
        """The place of a time."""
        share = (time_s - self.lowest_s) / (self.highest_s - self.lowest_s)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def plot(
    title: str, series: Sequence[Series], lines: Sequence[Fitted], limits: Sequence[float] = ()
) -> str:
    """The drawing; `limits` are sizes marked by a vertical line."""
    frame = _frame(series)
    parts = [_axes(frame)]
    parts += [_limit(frame, limit) for limit in limits]
    parts += [_fitted(frame, fitted) for fitted in lines]
    parts += [_point(frame, each, *point) for each in series for point in each.points]
    return drawing(WIDTH, HEIGHT, title, *parts)


def _frame(series: Sequence[Series]) -> Frame:
    sizes = [size for each in series for size, _ in each.points]
    medians = [spread["median"] for each in series for _, spread in each.points]
    lowest, highest = min(0.0, *medians), max(0.0, *medians)
    # Room for quartiles, of which a wild one may leave the frame: it must not make the rest small.
    return Frame(1.02 * max(sizes), 1.1 * lowest, 1.1 * highest if highest > lowest else 1.0)


def _steps(low: float, high: float, pieces: int = 6) -> list[float]:
    step = nice_step(high - low, pieces)
    return [k * step for k in range(int(low / step), int(high / step) + 1)]


def _axes(frame: Frame) -> str:
    parts = []
    for time_us in _steps(1e6 * frame.lowest_s, 1e6 * frame.highest_s):
        y = frame.y(time_us / 1e6)
        parts.append(line(LEFT, y, WIDTH - RIGHT, y, "grid"))
        parts.append(label(tick_text(time_us / 1e6), LEFT - 10, y + 4, "tick", "end"))
    for kib in _steps(0, frame.largest_bytes / 1024, 8):
        x = frame.x(1024 * kib)
        parts.append(line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "grid"))
        parts.append(label(f"{kib:g}", x, HEIGHT - BOTTOM + 20, "tick", "middle"))
    parts.append(label("size in KiB", WIDTH - RIGHT, HEIGHT - 8, "tick", "end"))
    return "".join(parts)


def _limit(frame: Frame, size_bytes: float) -> str:
    x = frame.x(size_bytes)
    mark = line(x, TOP - 6, x, HEIGHT - BOTTOM, "mark mark-attainable")
    return mark + label(size_text(size_bytes), x, TOP - 12, "marked attainable", "middle")


def _fitted(frame: Frame, fitted: Fitted) -> str:
    ends = (fitted.first_bytes, fitted.last_bytes)
    (x1, y1), (x2, y2) = ((frame.x(size), frame.y(fitted.at(size))) for size in ends)
    return line(x1, y1, x2, y2, "fit")


def _point(frame: Frame, series: Series, size_bytes: float, spread: dict[str, Any]) -> str:
    x, y = frame.x(size_bytes), frame.y(spread["median"])
    low, high = (
        frame.y(min(max(frame.lowest_s, spread[q]), frame.highest_s)) for q in ("q1", "q3")
    )
    quartiles = " – ".join(seconds_text(spread[q]) for q in ("q1", "q3"))
    tip = f"{series.name} at {size_text(size_bytes)}: {seconds_text(spread['median'])}"
    dot = element(
        "circle", cx=x, cy=y, r=3.2, class_=f"k-{series.kind}", data_tip=f"{tip} ({quartiles})"
    )
    return line(x, low, x, high, f"whisker s-{series.kind}") + dot

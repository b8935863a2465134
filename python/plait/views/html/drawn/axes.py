# SPDX-License-Identifier: BSD-3-Clause
"""The two axes of a drawing: places of values, lines across, figures beside and beneath."""

import math
from collections.abc import Callable, Iterable, Sequence

from plait.units import tick_text
from plait.views.html.drawn.svg import dot, drawing, label, line, nice_step, polyline

WIDTH = 960.0
_MOST_DECADES = 24
Range = tuple[float, float]


def steps(low: float, high: float, pieces: int) -> list[float]:
    """Round values from `low` to `high`, about so many."""
    step = nice_step(high - low, pieces)
    return [k * step for k in range(int(low / step), int(high / step) + 1)]


def rounded(low: float, high: float, pieces: int) -> Range:
    """The range from a round value at or below `low` to one at or above `high`."""
    step = nice_step(high - low, pieces)
    return math.floor(low / step) * step, math.ceil(high / step) * step


def decade_axes(across: Range, times_s: Sequence[float]) -> "Axes":
    """Returns axes that are both logarithmic, upwards from one power of ten to another."""
    low, high = math.floor(math.log10(min(times_s))), math.ceil(math.log10(max(times_s)))
    up = (10.0**low, 10.0 ** max(high, low + 1))
    return Axes(across, up, height=320, left=92, top=12, bottom=40, inset=24, scale=math.log,
                up_scale=math.log)  # fmt: skip


def decade_rows(axes: "Axes") -> str:
    """Returns lines across at powers of ten of a second, as many as can be read."""
    first, last = (round(math.log10(edge)) for edge in axes.up)
    return axes.rows_at(
        [10.0**power for power in range(first, last + 1)[:_MOST_DECADES]], tick_text
    )


class Axes:
    """Turns values into places on a drawing; a value outside the range is at its edge."""

    def __init__(
        self, across: Range, up: Range, *, height: float = 300.0, left: float = 64.0,
        right: float = 24.0, top: float = 14.0, bottom: float = 44.0, inset: float = 0.0,
        scale: Callable[[float], float] = float, up_scale: Callable[[float], float] = float,
    ) -> None:  # fmt: skip
        self.across, self.up, self.height = across, up, height
        self.up_scale = up_scale
        self.left, self.right = left, WIDTH - right
        self.top, self.bottom = top, height - bottom
        self.inset, self.scale = inset, scale

    def x(self, value: float) -> float:
        """The place of a value, in the middle where there is only one."""
        first, last = map(self.scale, self.across)
        share = (self.scale(value) - first) / (last - first) if last > first else 0.5
        room = self.right - self.left - 2 * self.inset
        return self.left + self.inset + share * room

    def y(self, value: float) -> float:
        """The height of a value."""
        low, high = map(self.up_scale, self.up)
        share = (self.up_scale(min(max(value, self.up[0]), self.up[1])) - low) / (high - low)
        return self.bottom - share * (self.bottom - self.top)

    def rows(self, text_of: Callable[[float], str], pieces: int = 6, unit: float = 1.0) -> str:
        """Lines across at values that are round in this unit, with figures beside them."""
        low, high = self.up
        return self.rows_at([unit * k for k in steps(low / unit, high / unit, pieces)], text_of)

    def rows_at(self, values: Iterable[float], text_of: Callable[[float], str]) -> str:
        """Lines across, with figures beside them."""
        parts = []
        for value in values:
            y = self.y(value)
            parts.append(line(self.left, y, self.right, y, "grid"))
            parts.append(label(text_of(value), self.left - 8, y + 4, "tick", "end"))
        return "".join(parts)

    def columns(
        self, named: Iterable[tuple[float, str]], name: str = "", gap: float = 0.0,
        marked: bool = False,
    ) -> str:  # fmt: skip
        """Figures beneath, as far as they are not closer than `gap`; `name` says what they are."""
        parts, last = [], -math.inf
        for value, text in named:
            x = self.x(value)
            if x - last < gap:
                continue
            last = x
            if marked:
                parts.append(line(x, self.bottom, x, self.bottom + 5, "grid"))
            parts.append(label(text, x, self.bottom + 20, "tick", "middle"))
        parts.append(label(name, self.right, self.height - 8, "tick", "end") if name else "")
        return "".join(parts)

    def curve(self, colour: str, points: Sequence[tuple[float, Sequence[float], str]]) -> str:
        """Points with a line through them: value, median with its quartiles, and what it says."""
        places = [(self.x(value), self.y(median)) for value, (median, *_), _ in points]
        parts = [polyline(places, f"curve c-{colour}")]
        for (x, y), (_, (_, q1, q3), tip) in zip(places, points):
            parts.append(line(x, self.y(q1), x, self.y(q3), f"quartiles c-{colour}"))
            parts.append(dot(x, y, f"dot c-{colour}", tip))
        return "".join(parts)

    def drawing(self, title: str, *parts: str) -> str:
        """An SVG as large as the axes."""
        return drawing(WIDTH, self.height, title, *parts)

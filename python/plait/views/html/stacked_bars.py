# SPDX-License-Identifier: BSD-3-Clause
"""Bars in groups, upright and stacked of parts, as the figures of the architectural probes are."""

import dataclasses
from collections.abc import Mapping, Sequence

from plait.units import seconds_text, tick_text
from plait.views.html.svg import bar, drawing, element, label, line, nice_step, text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960.0, 400.0, 84.0, 16.0, 26.0, 58.0
WIDEST_BAR = 64.0
# Colours of page.css: computation blue, beginning communication green and light blue, waiting red.
_KINDS = {
    "local computation": "compute", "computation": "compute",
    "remote dependent computation": "slower", "prefetch init": "posting", "comm init": "posting",
    "pipeline init": "message", "comm sync": "exposed", "exposed communication": "exposed",
    "wait": "exposed", "barrier": "idle",
}  # fmt: skip
_OTHER_KINDS = ("receive", "overhead", "message", "idle")


@dataclasses.dataclass(frozen=True)
class Bar:
    """A bar of seconds: its parts from the bottom to the top, and where its runs lie."""

    name: str
    parts_s: Mapping[str, float]
    total_s: float
    quartiles_s: tuple[float, float] | None = None  # nothing for a model


@dataclasses.dataclass(frozen=True)
class Group:
    """Bars that stand together."""

    name: str
    bars: Sequence[Bar]


def stacked_bars(title: str, parts: Sequence[str], groups: Sequence[Group]) -> str:
    """Returns a legend and a drawing."""
    kinds = _kinds_of(parts)
    items = (
        element("li", element("span", class_=f"swatch k-{kinds[part]}"), text(part))
        for part in parts
    )
    legend = element("ul", *items, class_="legend")
    return legend + drawing(WIDTH, HEIGHT, title, *_Frame(groups).drawn(kinds))


def _kinds_of(parts: Sequence[str]) -> dict[str, str]:
    others = iter(_OTHER_KINDS * len(parts))
    return {part: _KINDS.get(part) or next(others) for part in parts}


class _Frame:
    """Turns groups and times into places in the drawing."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self.groups = groups
        self.highest_s = 1.04 * max(
            [max(one.total_s, *(one.quartiles_s or (0.0,))) for g in groups for one in g.bars]
        ) or 1.0  # fmt: skip
        places = sum(len(group.bars) + 1 for group in groups)
        self.slot = (WIDTH - LEFT - RIGHT) / places
        self.width = min(WIDEST_BAR, 0.86 * self.slot)

    def y(self, seconds: float) -> float:
        return HEIGHT - BOTTOM - seconds / self.highest_s * (HEIGHT - TOP - BOTTOM)

    def drawn(self, kinds: Mapping[str, str]) -> list[str]:
        drawn = [self._axis()]
        place = 0.5
        for group in self.groups:
            middle = LEFT + (place + len(group.bars) / 2) * self.slot
            drawn.append(label(group.name, middle, HEIGHT - 14, "tick", "middle"))
            for one in group.bars:
                drawn.append(self._bar(group.name, one, kinds, LEFT + (place + 0.5) * self.slot))
                place += 1
            place += 1
        return drawn

    def _axis(self) -> str:
        step = nice_step(self.highest_s * 1e6) / 1e6
        parts = []
        for index in range(int(self.highest_s / step) + 1):
            y = self.y(index * step)
            parts.append(line(LEFT, y, WIDTH - RIGHT, y, "grid"))
            parts.append(label(tick_text(index * step), LEFT - 10, y + 4, "tick", "end"))
        return "".join(parts)

    def _bar(self, group: str, one: Bar, kinds: Mapping[str, str], middle: float) -> str:
        parts = []
        left = middle - self.width / 2
        done_s = 0.0
        for part, seconds in one.parts_s.items():
            if seconds <= 0:  # what a model finds exposed may be negative by rounding
                continue
            top = self.y(done_s + seconds)
            share = seconds / one.total_s if one.total_s else 0.0
            tip = f"{group}, {one.name}: {part} {seconds_text(seconds)} ({share:.1%})"
            height = self.y(done_s) - top
            parts.append(bar(left, top, self.width, height, kinds[part], tip))
            done_s += seconds
        if one.quartiles_s:
            low, high = map(self.y, one.quartiles_s)
            parts.append(line(middle, low, middle, high, "whisker"))
        if self.width > 30:
            above = self.y(max(done_s, *(one.quartiles_s or (0.0,))))
            parts.append(label(seconds_text(one.total_s), middle, above - 6, "note", "middle"))
        parts.append(label(one.name, middle, HEIGHT - BOTTOM + 18, "name", "middle"))
        return "".join(parts)

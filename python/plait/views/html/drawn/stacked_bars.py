# SPDX-License-Identifier: BSD-3-Clause
"""Bars in groups, upright and stacked of parts, as the figures of the architectural probes are."""

import dataclasses
from collections.abc import Mapping, Sequence

from plait.units import seconds_text, tick_text
from plait.views.html.drawn.axes import Axes
from plait.views.html.drawn.svg import bar, label, legend, line

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
    names = legend((f"k-{kinds[part]}", part) for part in parts)
    return names + _drawing(title, groups, kinds)


def _kinds_of(parts: Sequence[str]) -> dict[str, str]:
    others = iter(_OTHER_KINDS * len(parts))
    return {part: _KINDS.get(part) or next(others) for part in parts}


def _drawing(title: str, groups: Sequence[Group], kinds: Mapping[str, str]) -> str:
    highest_s = 1.04 * max(
        max(one.total_s, *(one.quartiles_s or (0.0,))) for g in groups for one in g.bars
    ) or 1.0  # fmt: skip
    places = sum(len(group.bars) + 1 for group in groups)
    axes = Axes((0.0, places), (0.0, highest_s), height=400, left=84, right=16, top=26, bottom=58)
    width = min(WIDEST_BAR, 0.86 * (axes.x(1) - axes.x(0)))
    parts = [axes.rows(tick_text, unit=1e-6)]
    place = 0.5
    for group in groups:
        middle = axes.x(place + len(group.bars) / 2)
        parts.append(label(group.name, middle, axes.height - 14, "tick", "middle"))
        for one in group.bars:
            parts += _bar(axes, group.name, one, kinds, (axes.x(place + 0.5), width))
            place += 1
        place += 1
    return axes.drawing(title, *parts)


def _bar(
    axes: Axes, group: str, one: Bar, kinds: Mapping[str, str], at: tuple[float, float]
) -> list[str]:
    middle, width = at
    parts = []
    done_s = 0.0
    for part, seconds in one.parts_s.items():
        if seconds <= 0:  # what a model finds exposed may be negative by rounding
            continue
        top = axes.y(done_s + seconds)
        share = seconds / one.total_s if one.total_s else 0.0
        tip = f"{group}, {one.name}: {part} {seconds_text(seconds)} ({share:.1%})"
        parts.append(bar(middle - width / 2, top, width, axes.y(done_s) - top, kinds[part], tip))
        done_s += seconds
    if one.quartiles_s:
        low, high = map(axes.y, one.quartiles_s)
        parts.append(line(middle, low, middle, high, "whisker"))
    if width > 30:
        above = axes.y(max(done_s, *(one.quartiles_s or (0.0,))))
        parts.append(label(seconds_text(one.total_s), middle, above - 6, "note", "middle"))
    return [*parts, label(one.name, middle, axes.bottom + 18, "name", "middle")]

# SPDX-License-Identifier: BSD-3-Clause
"""Bars in groups, upright and stacked of parts, as the figures of the architectural probes are."""

from collections.abc import Mapping, Sequence
from typing import Any

from plait.units import part_text, seconds_text, tick_text
from plait.views.html.drawn.axes import Axes
from plait.views.html.drawn.svg import bar, label, legend, line

WIDEST_BAR = 64.0
# Colours of page.css: computation blue, beginning communication green and light blue, waiting red.
_KINDS = {
    "local computation": "compute", "computation": "compute",
    "remote dependent computation": "slower", "prefetch init": "posting", "comm init": "posting",
    "pipeline init": "message", "comm sync": "exposed", "exposed communication": "exposed",
    "wait": "exposed", "barrier": "idle",
    # Of a simulation, by each dialect.
    "core": "slower", "latency": "receive", "bytes": "message", "looks": "exposed",
    "overhead": "overhead",
    "measured": "idle", "L": "receive", "o": "overhead", "g": "posting", "G": "message",
    "O": "slower",
}  # fmt: skip
_OTHER_KINDS = ("receive", "overhead", "message", "idle")


def stacked_bars(figure: Mapping[str, Any]) -> str:
    """Returns a legend and a drawing of a figure as results have it.

    A model has no quartiles.  `highest_s` is shared by drawings of one scale.
    """
    groups = figure["groups"]
    kinds = _kinds_of(figure["parts"])
    names = legend((f"k-{kind}", part_text(part)) for part, kind in kinds.items())
    bars = [one for group in groups for one in group["bars"]]
    highest_s = max(max(one["total_s"]["median"], *_quartiles(one)) for one in bars)
    highest_s = 1.04 * max(highest_s, figure.get("highest_s", 0.0)) or 1.0
    places = len(bars) + len(groups)
    axes = Axes((0.0, places), (0.0, highest_s), height=400, left=84, right=16, top=26, bottom=58)
    width = min(WIDEST_BAR, 0.86 * (axes.x(1) - axes.x(0)))
    parts = [axes.rows(tick_text, unit=1e-6)]
    place = 0.5
    for group in groups:
        middle = axes.x(place + len(group["bars"]) / 2)
        parts.append(label(group["name"], middle, axes.height - 14, "tick", "middle"))
        for one in group["bars"]:
            parts += _bar(axes, group["name"], one, kinds, (axes.x(place + 0.5), width))
            place += 1
        place += 1
    return names + axes.drawing(figure["title"], *parts)


def _kinds_of(parts: Sequence[str]) -> dict[str, str]:
    others = iter(_OTHER_KINDS * len(parts))
    return {part: _KINDS.get(part_text(part)) or next(others) for part in parts}


def _quartiles(one: Mapping[str, Any]) -> tuple[float, float]:
    total = one["total_s"]
    return (0.0, 0.0) if one["verified"] is None else (total["q1"], total["q3"])


def _bar(
    axes: Axes, group: str, one: Mapping[str, Any], kinds: Mapping[str, str],
    at: tuple[float, float],
) -> list[str]:  # fmt: skip
    (middle, width), (low_s, high_s) = at, _quartiles(one)
    parts = []
    done_s, total_s = 0.0, one["total_s"]["median"]
    for part, seconds in one["parts_s"].items():
        if seconds <= 0:  # what a model finds exposed may be negative by rounding
            continue
        top = axes.y(done_s + seconds)
        share = seconds / total_s if total_s else 0.0
        tip = f"{group}, {one['name']}: {part_text(part)} {seconds_text(seconds)} ({share:.1%})"
        parts.append(bar(middle - width / 2, top, width, axes.y(done_s) - top, kinds[part], tip))
        done_s += seconds
    if one["verified"] is not None:
        parts.append(line(middle, axes.y(low_s), middle, axes.y(high_s), "whisker"))
    if width > 30:
        above = axes.y(max(done_s, low_s, high_s))
        parts.append(label(seconds_text(total_s), middle, above - 6, "note", "middle"))
    return [*parts, label(one["name"], middle, axes.bottom + 18, "name", "middle")]

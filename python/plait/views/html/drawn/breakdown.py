# SPDX-License-Identifier: BSD-3-Clause
"""Draws the time of each variant in stacked bars, with bound and attainable as lines."""

from plait.results.base import LEDGER_PARTS, Result
from plait.results.figures.hiding import hidden_text, own_ideal_text, slower_parts, slower_s
from plait.units import seconds_text, tick_text
from plait.views.html.drawn.svg import bar, drawing, label, legend, line, nice_step

WIDTH, RIGHT, ROW, TOP = 960.0, 170.0, 46.0, 46.0
LETTER, LEAST_LEFT = 7.8, 92.0  # of a variant's name, and the room for it
LABELS = {
    "compute": "compute", "posting": "posting", "exposed": "exposed communication",
    "overhead": "runtime overhead", "idle": "other idle",
    "slower": "computation slower beside messages",
}  # fmt: skip
# Computation is drawn in two pieces: as long as it takes alone, and what it takes longer.
BREAKDOWN_KINDS = ("compute", "slower", *LEDGER_PARTS[1:])


def kinds_legend(kinds: tuple[str, ...] = LEDGER_PARTS) -> str:
    """Colours and their meaning."""
    return legend((f"k-{kind}", LABELS[kind]) for kind in kinds)


def breakdown(result: Result) -> str:
    """One stacked bar per variant."""
    variants = result["variants"]
    marks = [(name, result[f"{name}_s"]) for name in ("bound", "attainable")]
    marks = [(name, value) for name, value in marks if value]
    longest = max([v["total_s"]["q3"] for v in variants.values()] + [value for _, value in marks])
    left = max(LEAST_LEFT, 16 + LETTER * max(map(len, variants)))
    scale = (WIDTH - left - RIGHT) / (longest * 1.02)
    bottom = TOP + ROW * len(variants)
    parts = [_axis(longest, scale, left, bottom)]
    for index, (name, variant) in enumerate(variants.items()):
        parts.append(_row(name, variant, result, scale, (left, TOP + ROW * index)))
    parts += _marks(marks, scale, left, bottom)
    return drawing(WIDTH, bottom + 34, "Time of each variant by what it went to", *parts)


def _axis(longest: float, scale: float, left: float, bottom: float) -> str:
    step = nice_step(longest * 1e6) / 1e6
    parts = []
    for index in range(int(longest / step * 1.02) + 1):
        x = left + index * step * scale
        parts.append(line(x, TOP - 4, x, bottom, "grid"))
        parts.append(label(tick_text(index * step), x, bottom + 18, "tick", "middle"))
    return "".join(parts)


def _row(name: str, variant: dict, result: Result, scale: float, at: tuple[float, float]) -> str:
    left, y = at
    parts = [label(name, left - 12, y + 25, "name", "end")]
    x = left
    for kind, seconds in _pieces(variant):
        if seconds > 0:
            share = seconds / variant["total_s"]["median"]
            tip = f"{name}: {LABELS[kind]} {seconds_text(seconds)} ({share:.1%})"
            if kind == "slower" and (explained := slower_parts(variant)):
                tip += f", {explained}"
            parts.append(bar(x, y + 6, seconds * scale, 28, kind, tip))
            if seconds * scale > 64:
                parts.append(
                    label(
                        seconds_text(seconds),
                        x + seconds * scale / 2,
                        y + 24.5,
                        f"in in-{kind}",
                        "middle",
                    )
                )
            x += seconds * scale
    total = variant["total_s"]
    q1, q3 = (left + total[q] * scale for q in ("q1", "q3"))
    parts.append(line(q1, y + 20, q3, y + 20, "whisker"))
    parts += [line(q, y + 15, q, y + 25, "whisker") for q in (q1, q3)]
    right = f"{seconds_text(total['median'], 4)}"
    base = result["variants"].get("base")
    if base and name != "base":
        right += f"   × {total['median'] / base['total_s']['median']:.3f}"
    parts.append(label(right, WIDTH - RIGHT + 24, y + 18, "figure"))
    note = f"hidden {hidden}" if (hidden := hidden_text(result, name)) else ""
    if own := own_ideal_text(variant):
        note = f"{own} of its own ideal"
    if not variant["verified"]:
        note += "   NOT VERIFIED"
    parts.append(label(note, WIDTH - RIGHT + 24, y + 34, "note"))
    return "".join(parts)


def _pieces(variant: dict) -> list[tuple[str, float]]:
    slower = min(slower_s(variant), variant["compute_s"])
    others = [(kind, variant[f"{kind}_s"]) for kind in LEDGER_PARTS[1:]]
    return [("compute", variant["compute_s"] - slower), ("slower", slower), *others]


def _marks(marks: list[tuple[str, float]], scale: float, left: float, bottom: float) -> list[str]:
    """The two lines; their names are kept apart where they fall together."""
    parts = []
    places = [left + value * scale for _, value in marks]
    together = len(places) == 2 and abs(places[0] - places[1]) < 190
    for index, ((name, value), x) in enumerate(zip(marks, places)):
        parts.append(line(x, TOP - 8, x, bottom, f"mark mark-{name}"))
        anchor = "middle" if not together else ("end" if index == 0 else "start")
        shift = 0 if not together else (-5 if index == 0 else 5)
        parts.append(
            label(f"{name} {seconds_text(value, 4)}", x + shift, TOP - 16, f"marked {name}", anchor)
        )
    return parts

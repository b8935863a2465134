# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times as lines, measured ones as points with their quartiles, both logarithmic."""

from plait.results.base import Result
from plait.results.figures.collective import Held, error_sentences, held_of
from plait.results.figures.prediction import network_text
from plait.units import seconds_text
from plait.views.html.article import article, facts
from plait.views.html.prediction import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    decades,
    legend,
    place,
    time_axis,
)
from plait.views.html.svg import dot, drawing, element, label, line, polyline, table, text

_READING = """Lines: what the model predicts from messages measured between two ranks in the same
session. Points and bars: median and quartiles of the measured time, from the common start of all
ranks to the end of the last one."""


def collective(heading: str, result: Result) -> str:
    """The network, the curves of each operation, the figures."""
    held = held_of(result)
    algorithms = list(dict.fromkeys(each.algorithm for each in held))
    parts = [
        element("p", text(network_text(result["network"])), class_="reading"),
        element("p", text(_READING), class_="reading"),
        facts(error_sentences(result)),
        legend(algorithms),
    ]
    for name in dict.fromkeys(each.operation for each in held):
        parts.append(element("h3", text(name)))
        parts.append(_chart(name, [each for each in held if each.operation == name], algorithms))
    drawn = "".join(parts) + _figures(held)
    return article(heading, result, [("Measured and predicted time", drawn)])


def _chart(title: str, held: list[Held], algorithms: list[str]) -> str:
    low, high = decades([s for each in held for s in (each.q1_s, each.q3_s, each.predicted_s)])
    up = place(low, high, HEIGHT - BOTTOM, TOP)
    sizes = {each.size_bytes: each.size for each in held}
    along = place(min(sizes), max(sizes), LEFT + 24, WIDTH - RIGHT - 24)
    parts = [time_axis(low, high, up)]
    for size_bytes, size in sizes.items():
        parts.append(label(size, along(size_bytes), HEIGHT - BOTTOM + 22, "tick", "middle"))
    for index, algorithm in enumerate(algorithms):
        own = [each for each in held if each.algorithm == algorithm]
        lines = [(along(each.size_bytes), up(each.predicted_s)) for each in own]
        parts.append(polyline(lines, f"curve c-{index}") if own else "")
        for each in own:
            x = along(each.size_bytes)
            parts.append(line(x, up(each.q1_s), x, up(each.q3_s), f"quartiles c-{index}"))
            parts.append(dot(x, up(each.measured_s), f"dot c-{index}", _tip(each)))
    return drawing(WIDTH, HEIGHT, title, *parts)


def _tip(each: Held) -> str:
    measured, predicted = seconds_text(each.measured_s), seconds_text(each.predicted_s)
    return (
        f"{each.algorithm}, {each.size}: measured {measured}, predicted {predicted},"
        f" {each.error_percent:+.1f} %"
    )


def _figures(held: list[Held]) -> str:
    header = ["operation", "size", "algorithm", "measured", "quartiles", "predicted", "error"]
    rows = [
        [
            text(each.operation), text(each.size), text(each.algorithm),
            text(seconds_text(each.measured_s)),
            text(f"{seconds_text(each.q1_s)} – {seconds_text(each.q3_s)}"),
            text(seconds_text(each.predicted_s)), text(f"{each.error_percent:+.1f} %"),
        ]
        for each in held
    ]  # fmt: skip
    return table(header, rows, numeric_from=3)

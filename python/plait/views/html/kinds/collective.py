# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times as lines, measured ones as points with their quartiles, both logarithmic."""

from plait.results.base import Result
from plait.results.figures.collective import Held, error_sentences, held_of
from plait.results.figures.prediction import network_text
from plait.units import seconds_text
from plait.views.html.article import article, facts
from plait.views.html.drawn.axes import decade_axes, decade_rows
from plait.views.html.drawn.svg import dot, element, line, polyline, table, text
from plait.views.html.kinds.prediction import algorithms_legend

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
        algorithms_legend(algorithms),
    ]
    for name in dict.fromkeys(each.operation for each in held):
        parts.append(element("h3", text(name)))
        parts.append(_chart(name, [each for each in held if each.operation == name], algorithms))
    drawn = "".join(parts) + _figures(held)
    return article(heading, result, [("Measured and predicted time", drawn)])


def _chart(title: str, held: list[Held], algorithms: list[str]) -> str:
    sizes = {each.size_bytes: each.size for each in held}
    times_s = [s for each in held for s in (each.q1_s, each.q3_s, each.predicted_s)]
    axes = decade_axes((min(sizes), max(sizes)), times_s)
    parts = [decade_rows(axes), axes.columns(sizes.items())]
    for index, algorithm in enumerate(algorithms):
        own = [each for each in held if each.algorithm == algorithm]
        lines = [(axes.x(each.size_bytes), axes.y(each.predicted_s)) for each in own]
        parts.append(polyline(lines, f"curve c-{index}") if own else "")
        for each in own:
            x = axes.x(each.size_bytes)
            low, high = axes.y(each.q1_s), axes.y(each.q3_s)
            parts.append(line(x, low, x, high, f"quartiles c-{index}"))
            parts.append(dot(x, axes.y(each.measured_s), f"dot c-{index}", _tip(each)))
    return axes.drawing(title, *parts)


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

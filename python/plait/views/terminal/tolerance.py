# SPDX-License-Identifier: BSD-3-Clause
"""Says what `plait bench tolerance` found, as a table."""

from rich.console import Console

from plait.results.base import Result
from plait.results.figures.tolerance import (
    Condition,
    condition_text,
    slowdown_of,
    tolerance_sentences,
    variant_names,
)
from plait.units import number_text, seconds_text
from plait.views.terminal.layout import say, show_in_width, title


def show_tolerance(heading: str, result: Result, console: Console) -> None:
    """Prints times under each condition with their ratio to the first, and what noise cost."""
    title(console, heading)
    conditions = result["conditions"]
    first = ["condition", *map(condition_text, conditions)]
    columns = [
        [name, *(_cell(each, name, each is conditions[0]) for each in conditions)]
        for name in variant_names(result)
    ]
    show_in_width(console, first, columns)
    say(console, tolerance_sentences(result))


def _cell(condition: Condition, name: str, is_reference: bool) -> str:
    if name not in condition["variants"]:
        return ""
    time = seconds_text(condition["variants"][name]["total_s"]["median"])
    slowdown = slowdown_of(condition, name)
    if is_reference or not slowdown:
        return time
    return f"{time} ×{slowdown_text(slowdown['median'])}"


def slowdown_text(ratio: float) -> str:
    """Returns a ratio with two digits behind the point, where that is readable."""
    return f"{ratio:.2f}" if 0.01 <= ratio < 1000 else number_text(ratio)

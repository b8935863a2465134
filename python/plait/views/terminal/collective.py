# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations as measured, beside what the model predicts: a table."""

from rich.console import Console

from plait.results.base import Result
from plait.results.figures.collective import error_sentences, held_of
from plait.results.figures.prediction import network_text
from plait.units import seconds_text
from plait.views.terminal.layout import new_table, say, title


def show_collective(heading: str, result: Result, console: Console) -> None:
    """Measured and predicted time of each case, and the errors."""
    title(console, heading)
    console.print(network_text(result["network"]))
    table = new_table(["operation", "size", "algorithm"], ["measured (IQR)", "predicted", "error"])
    before = ("", "")
    for each in held_of(result):
        case = (each.operation, each.size)
        table.add_row(
            *(("", "") if case == before else case),
            each.algorithm,
            f"{seconds_text(each.measured_s)} ({seconds_text(each.q3_s - each.q1_s, 2)})",
            seconds_text(each.predicted_s),
            f"{each.error_percent:+.1f} %",
        )
        before = case
    console.print(table)
    say(console, error_sentences(result))

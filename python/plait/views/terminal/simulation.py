# SPDX-License-Identifier: BSD-3-Clause
"""Says what `plait simulate` found, as a table: a row a scenario."""

from rich.console import Console

from plait.results.base import Result
from plait.results.figures.simulation import (
    derivative_text,
    labels_of,
    limiter_text,
    parameters_of,
    parts_of,
    share_text,
    simulation_sentences,
)
from plait.units import part_text, seconds_text
from plait.views.terminal.layout import say, show_in_width, title


def show_simulation(heading: str, result: Result, console: Console) -> None:
    """Prints times, limits, parts of the critical path and derivatives, then the sentences."""
    title(console, heading)
    rows = result["rows"]
    columns = [
        ["predicted", *(seconds_text(row["predicted_s"], 4) for row in rows)],
        ["limited by", *map(limiter_text, rows)],
    ]
    for part in parts_of(rows):
        shares = [share_text(row, part) for row in rows]
        if any(shares):
            columns.append([part_text(part), *shares])
    for name in parameters_of(rows):
        columns.append([f"dT/d{name}", *(derivative_text(row, name) for row in rows)])
    show_in_width(console, ["scenario", *labels_of(result)], columns)
    say(console, simulation_sentences(result))

# SPDX-License-Identifier: BSD-3-Clause
"""A program of somebody's own as a table: the ledger of its workers."""

from typing import Any

from rich.console import Console

from plait.results.base import LEDGER_PARTS, Result
from plait.results.figures.program import MOST_LISTED, mean_row, program_sentences
from plait.units import seconds_text
from plait.views.terminal.layout import new_table, say, title
from plait.views.terminal.traces import show_traces


def show_program(heading: str, result: Result, console: Console) -> None:
    """The ledger: a row per worker where they are few, and the mean; then what the trace says."""
    title(console, heading)
    table = new_table(["rank", "worker"], [*LEDGER_PARTS, "wall"])
    ledger = result["ledger"]
    for row in ledger if len(ledger) <= MOST_LISTED else []:
        table.add_row(str(row["rank"]), str(row["worker"]), *_cells(row))
    if len(ledger) > 1:
        table.add_row("mean", f"of {len(ledger)}", *_cells(mean_row(ledger)), style="bold")
    console.print(table)
    say(console, program_sentences(result))
    show_traces(result, console)


def _cells(row: dict[str, Any]) -> list[str]:
    wall_s = row.get("wall_s") or sum(row[f"{kind}_s"] for kind in LEDGER_PARTS)
    return [*(seconds_text(row[f"{kind}_s"]) for kind in LEDGER_PARTS), seconds_text(wall_s)]

# SPDX-License-Identifier: BSD-3-Clause
"""A program of somebody's own: where the time of each worker went, as its library told."""

from typing import Any

from rich.console import Console
from rich.table import Table

from plait.result import KINDS, Result
from plait.units import seconds_text

# With more workers than this, the mean says more than a list.
MOST_LISTED = 16


def program_figures(result: Result) -> dict[str, float]:
    """The wall time, and the means over all workers, in seconds."""
    ledger = result["ledger"]
    means = {
        f"{kind}, mean": sum(row[f"{kind}_s"] for row in ledger) / len(ledger)
        for kind in KINDS
        if ledger
    }
    return {"wall": result["wall_s"], **means}


def show_program(result: Result, console: Console) -> None:
    """The ledger: a row per worker where they are few, and the mean."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("rank", no_wrap=True)
    table.add_column("worker", no_wrap=True)
    for name in (*KINDS, "wall"):
        table.add_column(name, justify="right", no_wrap=True)
    ledger = result["ledger"]
    for row in ledger if len(ledger) <= MOST_LISTED else []:
        table.add_row(str(row["rank"]), str(row["worker"]), *_cells(row))
    if len(ledger) > 1:
        table.add_row("mean", f"of {len(ledger)}", *_cells(mean_row(ledger)), style="bold")
    console.print(table)
    for line in program_sentences(result):
        console.print(line)


def _cells(row: dict[str, Any]) -> list[str]:
    wall_s = row.get("wall_s") or sum(row[f"{kind}_s"] for kind in KINDS)
    return [*(seconds_text(row[f"{kind}_s"]) for kind in KINDS), seconds_text(wall_s)]


def mean_row(ledger: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean over workers, as a row of the ledger."""
    keys = [f"{kind}_s" for kind in KINDS]
    return {key: sum(row[key] for row in ledger) / len(ledger) for key in keys} | {
        "wall_s": sum(row.get("wall_s") or sum(row[key] for key in keys) for row in ledger)
        / len(ledger)
    }


def program_sentences(result: Result) -> list[str]:
    """What the table cannot say: how long workers waited, and who looked after messages."""
    lines = []
    ledger = result["ledger"]
    wall_s = sum(mean_row(ledger)[f"{kind}_s"] for kind in KINDS) if ledger else 0.0
    if wall_s > 0:
        mean = mean_row(ledger)
        lines.append(
            f"of its time a worker waits {mean['exposed_s'] / wall_s:.1%} for messages and computes"
            f" {mean['compute_s'] / wall_s:.1%}"
        )
    environment = result["environment"]
    if chosen := environment.get("policy_chosen"):
        reason = environment.get("policy_reason")
        lines.append(f"progress: {chosen}" + (f" ({reason})" if reason else ""))
    return lines

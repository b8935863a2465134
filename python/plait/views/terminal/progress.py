# SPDX-License-Identifier: BSD-3-Clause
"""Says what `plait bench progress` found, as tables."""

from __future__ import annotations

from rich.console import Console

from plait.results.base import Result
from plait.results.figures.progress import (
    OWN,
    Cell,
    cells_of,
    grid_of,
    maps_of,
    progress_sentences,
    size_label,
    task_text,
)
from plait.views.terminal.layout import say, show_in_width, title


def show_progress(heading: str, result: Result, console: Console) -> None:
    """The regret by length of a task and size of a message, a table a map, and what it comes to."""
    title(console, heading)
    for each, cells in maps_of(cells_of(result)).items():
        console.print(f"regret of {OWN}, %: {each.describe()}")
        tasks, sizes, by_place = grid_of(cells)
        columns = [
            [size_label(size), *(_regret_text(by_place.get((task_s, size))) for task_s in tasks)]
            for size in sizes
        ]
        show_in_width(console, ["task", *map(task_text, tasks)], columns)
    say(console, progress_sentences(result))


def _regret_text(cell: Cell | None) -> str:
    regret = cell.regret() if cell else None
    return f"{100 * regret:.1f}" if regret is not None else ""

# SPDX-License-Identifier: BSD-3-Clause
"""What `plait bench progress` found, in at most 80 columns."""

from rich.console import Console
from rich.table import Table

from plait.progress_figures import (
    OWN,
    cells_of,
    grid_of,
    maps_of,
    progress_sentences,
    size_label,
    task_text,
)
from plait.result import Result


def show_progress(result: Result, console: Console) -> None:
    """The regret by length of a task and size of a message, a table a map, and what it comes to."""
    for each, cells in maps_of(cells_of(result)).items():
        console.print(f"regret of {OWN}, %: {each.describe()}")
        tasks, sizes, by_place = grid_of(cells)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("task", no_wrap=True)
        for size_bytes in sizes:
            table.add_column(size_label(size_bytes), justify="right", no_wrap=True)
        for task_s in tasks:
            regrets = [
                cell.regret() if (cell := by_place.get((task_s, size_bytes))) else None
                for size_bytes in sizes
            ]
            texts = [f"{100 * regret:.1f}" if regret is not None else "" for regret in regrets]
            table.add_row(task_text(task_s), *texts)
        console.print(table)
    for line in progress_sentences(result):
        console.print(line)

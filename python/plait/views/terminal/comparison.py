# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of two results: a table, or a paragraph a figure where the terminal is narrow."""

import math
from collections.abc import Sequence

from rich.console import Console

from plait.results.compare import Line
from plait.views.terminal.layout import new_table

_HEADS = ("A", "B", "B / A", "spread", "B is")
_GAP = 2
_LEAST_NAME = 16
_NOTHING = "–"


def show_comparison(lines: Sequence[Line], console: Console) -> None:
    """Prints a row per figure; its name wraps where it is long."""
    rows = [_cells(line) for line in lines]
    taken = sum(_GAP + max(map(len, column)) for column in zip(_HEADS, *rows))
    if console.width < taken + _LEAST_NAME:
        for line, row in zip(lines, rows):
            console.print(line.name, style="bold")
            told = zip(_HEADS, row)
            console.print(", ".join(f"{head} {cell}" for head, cell in told if cell != _NOTHING))
        return
    table = new_table([])
    table.add_column("figure", overflow="fold")
    for name in _HEADS[:-1]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(_HEADS[-1], no_wrap=True)
    for line, row in zip(lines, rows):
        table.add_row(line.name, *row)
    console.print(table)


def _cells(line: Line) -> tuple[str, ...]:
    """One run has no spread, and nothing has no ratio to nothing."""
    ratio = _NOTHING if math.isnan(line.ratio) else f"{line.ratio:.3f}"
    spread = _NOTHING if line.single else f"{line.spread:.1%}"
    return (line.first.text(), line.second.text(), ratio, spread, line.verdict)

# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of two results and of many, a row a figure; a paragraph where it is narrow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console

from plait.results.compare import Line
from plait.results.history import Trend
from plait.units import figure_text
from plait.views.terminal.layout import new_table

_OF_TWO = ("A", "B", "B / A", "spread", "B is")
_OF_MANY = ("usual", "last", "/ before", "/ usual", "spread", "last is")
_GAP = 2
_LEAST_NAME = 16
_NOTHING = "–"


def show_comparison(lines: Sequence[Line], console: Console) -> None:
    """Prints a row per figure; its name wraps where it is long."""
    _show(_OF_TWO, [(line.name, _cells(line)) for line in lines], console)


def show_trends(trends: Sequence[Trend], console: Console) -> None:
    """Prints a row per figure: the last result beside the one before and the median before."""
    _show(_OF_MANY, [(trend.name, _cells_of_many(trend)) for trend in trends], console)


def _show(
    heads: Sequence[str], named: Sequence[tuple[str, tuple[str, ...]]], console: Console
) -> None:
    taken = sum(_GAP + max(map(len, column)) for column in zip(heads, *(row for _, row in named)))
    if console.width < taken + _LEAST_NAME:
        for name, row in named:
            console.print(name, style="bold")
            told = zip(heads, row)
            console.print(", ".join(f"{head} {cell}" for head, cell in told if cell != _NOTHING))
        return
    table = new_table([])
    table.add_column("figure", overflow="fold")
    for head in heads[:-1]:
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column(heads[-1], no_wrap=True)
    for name, row in named:
        table.add_row(name, *row)
    console.print(table)


def _cells(line: Line) -> tuple[str, ...]:
    """One run has no spread, and nothing has no ratio to nothing."""
    ratio = _NOTHING if math.isnan(line.ratio) else f"{line.ratio:.3f}"
    spread = _NOTHING if line.single else f"{line.spread:.1%}"
    return (line.first.text(), line.second.text(), ratio, spread, line.verdict)


def _cells_of_many(trend: Trend) -> tuple[str, ...]:
    ratios = [trend.over(value) for value in (trend.before.spread["median"], trend.usual)]
    return (
        figure_text(trend.last.unit_of, trend.usual), trend.last.text(),
        *(_NOTHING if ratio is None else f"{ratio:.3f}" for ratio in ratios),
        _NOTHING if trend.spread is None else f"{trend.spread:.1%}", trend.verdict,
    )  # fmt: skip

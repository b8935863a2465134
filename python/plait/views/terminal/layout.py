# SPDX-License-Identifier: BSD-3-Clause
"""Says what tables on a terminal share: their look, and how a wide one is cut into several."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

_GAP = 2


def title(console: Console, text: str) -> None:
    """Prints what the tables below are of."""
    console.print(Text(text, style="bold"))


def say(console: Console, sentences: Iterable[str]) -> None:
    """Prints a sentence a line; a long one wraps."""
    for sentence in sentences:
        console.print(sentence)


def new_table(names: Sequence[str], numbers: Sequence[str] = (), gap: int = _GAP) -> Table:
    """Returns an empty table: columns of names to the left, of numbers to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for name in names:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def show_in_width(console: Console, first: Sequence[str], columns: Sequence[Sequence[str]]) -> None:
    """Prints columns beside the first one, each a head and its cells, in as many tables as the
    width of the terminal takes."""
    left = list(columns)
    while left:
        used, taken = max(map(len, first)), []
        while left and (not taken or used + _width(left[0]) <= console.width):
            used += _width(left[0])
            taken.append(left.pop(0))
        table = new_table(first[:1], [column[0] for column in taken])
        for cells in zip(first[1:], *(column[1:] for column in taken)):
            table.add_row(*cells)
        console.print(table)


def _width(column: Sequence[str]) -> int:
    return _GAP + max(map(len, column))


def verdict(verified: bool) -> Text:
    """Returns the cell of a column `verified`."""
    return Text("yes", style="green") if verified else Text("NO", style="bold red")

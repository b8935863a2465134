# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of two results as a table."""

from collections.abc import Iterable

from rich.table import Table

from plait.results.compare import Line
from plait.views.terminal.layout import new_table


def comparison_table(lines: Iterable[Line]) -> Table:
    """Returns a row per figure; its name wraps where it is long."""
    table = new_table([])
    table.add_column("figure", overflow="fold")
    for name in ("A", "B", "B / A", "spread"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("B is", no_wrap=True)
    for line in lines:
        texts = (line.name, line.first.text(), line.second.text())
        table.add_row(*texts, f"{line.ratio:.3f}", f"{line.spread:.1%}", line.verdict)
    return table

# SPDX-License-Identifier: BSD-3-Clause
"""Weak scaling on the page: an iteration on more and more nodes, each with the same cells."""

from collections.abc import Sequence

from plait.results.figures.weak_scaling import Row
from plait.units import seconds_text
from plait.views.html.drawn.svg import element, table, text

_READING = """An iteration of each variant, and its efficiency: the iteration on the fewest nodes /
the iteration on so many. Every node has the same cells. Results of this page are taken together."""


def weak_scaling_table(rows: Sequence[Row]) -> str:
    """Returns a row for each number of nodes."""
    names = list(dict.fromkeys(name for row in rows for name in row.seconds))
    cells = []
    for row in rows:
        line = [text(row.nodes)]
        for name in names:
            said = ""
            if name in row.seconds:
                said = seconds_text(row.seconds[name], 4)
            if name in row.efficiency:
                said += f" ({row.efficiency[name]:.2f})"
            line.append(text(said))
        cells.append(line)
    reading = element("p", text(" ".join(_READING.split())), class_="reading")
    return table(["nodes", *names], cells) + reading

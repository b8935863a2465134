# SPDX-License-Identifier: BSD-3-Clause
"""Curves over several results as a table: a row a place, a column a variant."""

from rich.console import Console

from plait.results.figures.curves import Curves
from plait.views.terminal.layout import say, show_in_width, title


def show_curves(curves: Curves, console: Console) -> None:
    """Prints medians with their quartiles, in as many tables as the width takes."""
    quartiles = ", median (q1–q3)" if curves.has_quartiles else ""
    title(console, f"{curves.heading}: {curves.title}{quartiles}")
    first = [curves.axis, *(place.label for place in curves.places)]
    columns = [[name, *map(curves.text, row)] for name, row in curves.rows.items()]
    columns += [[name, *said] for name, said in curves.remarks.items()]
    show_in_width(console, first, columns)
    say(console, curves.unverified)

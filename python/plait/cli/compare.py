# SPDX-License-Identifier: BSD-3-Clause
"""`plait compare`: two results side by side."""

import pathlib
from typing import Annotated

import typer

from plait.results import load
from plait.results.compare import compare_results
from plait.views.terminal.comparison import show_comparison
from plait.views.terminal.console import console


def compare(
    before: Annotated[
        pathlib.Path, typer.Argument(metavar="A.json", help="The result to compare with.")
    ],
    after: Annotated[pathlib.Path, typer.Argument(metavar="B.json", help="The result to judge.")],
) -> None:
    """Compare two results of one program: ratio, spread, and a verdict where quartiles allow it."""
    lines = compare_results(load(before), load(after))
    show_comparison(lines, console())

# SPDX-License-Identifier: BSD-3-Clause
"""The table of the multi-tier KeLP paper on a terminal."""

from rich.table import Table

from plait.results.base import Result
from plait.results.figures.application import gflops_text, has_rates
from plait.results.figures.hiding import hidden_text
from plait.results.figures.policies import COLUMNS, milliseconds, quoted, ratio_to_hand
from plait.views.terminal.layout import new_table, verdict


def policy_table(result: Result) -> Table:
    """The paper's table 2 for a terminal, and what is hidden."""
    rates = has_rates(result)
    table = new_table([], gap=1) if rates else new_table([])  # of 80 columns
    table.add_column("ms per iteration", overflow="fold")
    for name in (*COLUMNS.values(), "/ HAND", "hidden", *(["Gflop/s"] if rates else [])):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verified", no_wrap=True)
    figure = quoted(result)
    for name, variant in result["variants"].items():
        table.add_row(
            name,
            *(milliseconds(variant, column, figure) for column in COLUMNS),
            ratio_to_hand(result, variant),
            hidden_text(result, name),
            *([gflops_text(variant)] if rates else []),
            verdict(variant["verified"]),
        )
    return table

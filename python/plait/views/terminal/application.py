# SPDX-License-Identifier: BSD-3-Clause
"""The variants of an application as a table, and the sentences under it."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from plait.results.base import Result
from plait.results.figures.application import gflops_text, has_rates
from plait.results.figures.hiding import hidden_text, own_ideal_text, with_own_ideal
from plait.units import seconds_text
from plait.views.terminal.layout import new_table, say, title, verdict


def show_application(
    heading: str, table: Table, sentences: Sequence[str], console: Console
) -> None:
    """Prints what was run, a table of its variants, and what limits them."""
    title(console, heading)
    console.print(table)
    say(console, sentences)


def variants_table(result: Result) -> Table:
    """Returns the time of each variant, what it went to, and what is hidden."""
    own = bool(with_own_ideal(result))
    rates = has_rates(result)
    # All must fit in 80 columns.
    gap = 1 if own or rates else 2
    tight = own and rates
    numbers = [
        "total (IQR)",
        "compute",
        "exposed",
        "/base" if tight else "/ base",
        *(["/ideal" if tight else "/ ideal"] if own else []),
        "hidden",
        *(["GF/s" if tight else "Gflop/s"] if rates else []),
    ]
    table = new_table(["variant"], numbers, gap)
    table.add_column("verified", no_wrap=True)
    base = result["variants"].get("base")
    for name, variant in result["variants"].items():
        total = variant["total_s"]
        ratio = variant.get("ratio_to_base")
        if ratio is None and base:
            ratio = total["median"] / base["total_s"]["median"]
        table.add_row(
            name,
            f"{seconds_text(total['median'], 4)} ({seconds_text(total['q3'] - total['q1'], 2)})",
            seconds_text(variant["compute_s"]),
            seconds_text(variant["exposed_s"]),
            f"{ratio:.3f}" if ratio is not None else "",
            *([own_ideal_text(variant)] if own else []),
            hidden_text(result, name),
            *([gflops_text(variant)] if rates else []),
            verdict(variant["verified"]),
        )
    return table

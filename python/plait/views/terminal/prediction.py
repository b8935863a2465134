# SPDX-License-Identifier: BSD-3-Clause
"""A prediction as a table: what each algorithm costs, and which costs least."""

from rich.console import Console

from plait.results.base import Result
from plait.results.figures.prediction import costs_of, network_text
from plait.units import seconds_text
from plait.views.terminal.layout import new_table, title


def show_prediction(heading: str, result: Result, console: Console) -> None:
    """Total, the processor's and the network's part, of each algorithm; the least is marked."""
    title(console, heading)
    console.print(network_text(result["parameters"]))
    table = new_table(["ranks", "size", "algorithm"], ["total", "processor", "network"])
    table.add_column("", no_wrap=True)
    before = ("", "")
    for cost in costs_of(result):
        case = (cost.ranks, cost.size)
        table.add_row(
            *(("", "") if case == before else case),
            cost.algorithm,
            *(seconds_text(each) for each in (cost.total_s, cost.processor_s, cost.network_s)),
            ", ".join(
                word for word, said in (("least", cost.cheapest), ("LibNBC", cost.libnbc)) if said
            ),
            style="bold" if cost.cheapest else None,
        )
        before = case
    console.print(table)

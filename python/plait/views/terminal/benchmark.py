# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark's result as tables."""

from rich.console import Console
from rich.table import Table

from plait.results.base import Result
from plait.results.rows import Cases, cases_of_rows
from plait.units import figure_text
from plait.views.terminal.layout import new_table, show_in_width, title

# With more cases than this, a list of quartiles is too long to read.
_MOST_LISTED = 8


def show_benchmark(_heading: str, result: Result, console: Console) -> None:
    """Every figure with its quartiles; where there are many, their medians side by side."""
    title(console, result["bench"])
    cases = cases_of_rows(result)
    if len(cases) <= _MOST_LISTED:
        console.print(_list_of(cases))
        return
    for figure in dict.fromkeys(case[-1] for case in cases):
        _show_medians(figure, cases, console)


def _list_of(cases: Cases) -> Table:
    """Rows by case and implementation, with the ratio to plait where it has the figure."""
    table = new_table([])
    table.add_column("case")
    table.add_column("implementation")
    for name in ("median", "q1 – q3", "/ plait"):
        table.add_column(name, justify="right", no_wrap=True)
    for case, rows in cases.items():
        ours = next((spread["median"] for name, spread in rows if name == "plait"), None)
        for index, (name, spread) in enumerate(rows):
            median, q1, q3 = (figure_text(case[-1], spread[q]) for q in ("median", "q1", "q3"))
            table.add_row(
                " ".join(case) if index == 0 else "",
                name,
                median,
                f"{q1} – {q3}",
                f"{spread['median'] / ours:.2f}" if ours else "",
            )
    return table


def _show_medians(figure: str, cases: Cases, console: Console) -> None:
    """One figure: implementations down, cases across."""
    chosen = {" ".join(case[:-1]): dict(rows) for case, rows in cases.items() if case[-1] == figure}
    names = list(dict.fromkeys(name for rows in chosen.values() for name in rows))
    columns = [
        [case, *(figure_text(figure, rows[n]["median"]) if n in rows else "" for n in names)]
        for case, rows in chosen.items()
    ]
    show_in_width(console, [figure, *names], columns)

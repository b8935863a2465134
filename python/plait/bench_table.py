# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark's result as tables of at most 80 columns."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plait.result import Result, flatten_rows

# With more cases than this, a list of quartiles is too long to read.
_MOST_LISTED = 8
_WIDTH, _GAP = 80, 2

Spread = dict[str, Any]
Cases = dict[tuple[str, ...], list[tuple[str, Spread]]]


def show_bench(result: Result, console: Console) -> None:
    """Every figure with its quartiles; where there are many, their medians side by side."""
    console.print(Text(result["bench"], style="bold"))
    cases: Cases = {}
    for path, spread in flatten_rows(result["rows"]):
        cases.setdefault(path[1:], []).append((path[0], spread))
    if len(cases) <= _MOST_LISTED:
        console.print(_list_of(cases))
        return
    for figure in dict.fromkeys(case[-1] for case in cases):
        for table in _medians_of(figure, cases):
            console.print(table)


def _new_table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")


def _list_of(cases: Cases) -> Table:
    """Rows by case and implementation, with the ratio to plait where it has the figure."""
    table = _new_table()
    table.add_column("case")
    table.add_column("implementation")
    for name in ("median", "q1 – q3", "/ plait"):
        table.add_column(name, justify="right", no_wrap=True)
    for case, rows in cases.items():
        ours = next((spread["median"] for name, spread in rows if name == "plait"), None)
        for index, (name, spread) in enumerate(rows):
            table.add_row(
                " ".join(case) if index == 0 else "",
                name,
                f"{spread['median']:.4g}",
                f"{spread['q1']:.4g} – {spread['q3']:.4g}",
                f"{spread['median'] / ours:.2f}" if ours else "",
            )
    return table


def _medians_of(figure: str, cases: Cases) -> Iterator[Table]:
    """One figure: implementations down, cases across, as many tables as that takes."""
    chosen = {
        " ".join(case[:-1]): {name: f"{spread['median']:.4g}" for name, spread in rows}
        for case, rows in cases.items() if case[-1] == figure
    }  # fmt: skip
    names = list(dict.fromkeys(name for rows in chosen.values() for name in rows))
    first = max(map(len, (figure, *names)))
    while chosen:
        table, used = _new_table(), first
        table.add_column(figure, no_wrap=True)
        taken = []
        for case, rows in chosen.items():
            used += _GAP + max(map(len, (case, *rows.values())))
            if taken and used > _WIDTH - _GAP:
                break
            table.add_column(case, justify="right", no_wrap=True)
            taken.append(chosen[case])
        for name in names:
            table.add_row(name, *(rows.get(name, "") for rows in taken))
        chosen = dict(list(chosen.items())[len(taken) :])
        yield table

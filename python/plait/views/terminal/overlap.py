# SPDX-License-Identifier: BSD-3-Clause
"""Says what `plait measure nbc` and `plait measure overlap` found, as tables."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plait.results.base import Result
from plait.results.figures.overlap import (
    Cell,
    cases_of,
    is_processor_row,
    median,
    nbc_sentences,
    overlap_sentence,
)
from plait.units import seconds_text
from plait.views.terminal.layout import new_table, say, show_in_width, title


def show_nbc(heading: str, result: Result, console: Console) -> None:
    """A table a case, the processor share against ranks and size, and what it comes to."""
    title(console, heading)
    cases = cases_of(result)
    for case, rows in cases.items():
        console.print(_alone(case, rows.get("alone", {})))
        console.print(_ways(rows))
    console.print("processor share of the blocking call, % (IQR)")
    _show_processor_shares(cases, console)
    say(console, nbc_sentences(result))


def show_overlap(heading: str, result: Result, console: Console) -> None:
    """Availability by row and case, and the verdict."""
    title(console, heading)
    console.print("availability: of a message's time, what is left to the program")
    cases = cases_of(result)
    columns = [
        [row, *(_with_range(cells.get(row), "availability_percent") for cells in cases.values())]
        for row in result["rows"] if row != "alone"
    ]  # fmt: skip
    alone = (cells.get("alone") for cells in cases.values())
    columns.append(["attainable", *(_figure(cell, "attainable_percent") for cell in alone)])
    columns.append(["message", *(_time_of_a_message(cells) for cells in cases.values())])
    show_in_width(console, ["% (IQR)", *cases], columns)
    say(console, [overlap_sentence(result)])


def _time_of_a_message(cells: dict[str, Cell]) -> str:
    base_us = next((us for cell in cells.values() if (us := median(cell, "base_us"))), 0.0)
    return seconds_text(1e-6 * base_us)


def _alone(case: str, alone: Cell) -> Text:
    """Returns what the rows are held against."""
    parts = [
        f"{words} {seconds_text(1e-6 * us)}"
        for words, figure in (
            ("blocking", "communication_us"),
            ("work", "computation_us"),
            ("transport's processor time", "transport_cpu_us"),
        )
        if (us := median(alone, figure)) is not None
    ]
    attainable = median(alone, "attainable_overlap_percent")
    if attainable is not None:
        parts.append(f"attainable {attainable:.0f} %")
    return Text.assemble((case, "bold"), ": " + ", ".join(parts))


def _ways(rows: dict[str, Cell]) -> Table:
    heads = ["overhead", "share", "wall (IQR)", "OSU", "IMB doc", "IMB code"]
    table = new_table([""], heads)
    for row, cell in rows.items():
        if row == "alone" or is_processor_row(row):
            continue
        overhead = median(cell, "overhead_us")
        table.add_row(
            row,
            seconds_text(1e-6 * overhead) if overhead is not None else "",
            _figure(cell, "overhead_percent"),
            _with_range(cell, "confirmed_overlap_percent"),
            _figure(cell, "osu_overlap_percent"),
            _figure(cell, "imb_documents_percent"),
            _figure(cell, "imb_code_percent"),
        )
    return table


def _show_processor_shares(cases: dict[str, dict[str, Cell]], console: Console) -> None:
    names = dict.fromkeys(row for rows in cases.values() for row in rows if is_processor_row(row))
    shown = [(name.removeprefix("processor, "), name, "processor_percent") for name in names]
    shown.append(("transport alone", "alone", "transport_percent"))
    columns = [
        [head, *(_with_range(rows.get(name), figure) for rows in cases.values())]
        for head, name, figure in shown
    ]
    show_in_width(console, ["", *cases], columns)


def _figure(cell: Cell | None, figure: str) -> str:
    value = median(cell, figure)
    return f"{round(value) + 0}" if value is not None else ""


def _with_range(cell: Cell | None, figure: str) -> str:
    spread: dict[str, Any] | None = (cell or {}).get(figure)
    if not spread:
        return ""
    return f"{round(spread['median']) + 0} ({round(spread['q3'] - spread['q1'])})"

# SPDX-License-Identifier: BSD-3-Clause
"""What `plait measure nbc` and `plait measure overlap` found, in at most 80 columns."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plait.overlap_figures import (
    Cell,
    cases_of,
    is_processor_row,
    median,
    nbc_sentences,
    overlap_sentence,
)
from plait.result import Result
from plait.units import seconds_text


def show_nbc(result: Result, console: Console) -> None:
    """A table a case, the processor share against ranks and size, and what it comes to."""
    cases = cases_of(result)
    for case, rows in cases.items():
        console.print(_alone(case, rows.get("alone", {})))
        console.print(_ways(rows))
    console.print("processor share of the blocking call, % (IQR)")
    console.print(_processor_shares(cases))
    _say(console, nbc_sentences(result))


def show_overlap(result: Result, console: Console) -> None:
    """Availability by row and case, and the verdict."""
    console.print("availability: of a message's time, what is left to the program")
    table = _table("% (IQR)")
    rows = {row: cells for row, cells in result["rows"].items() if row != "alone"}
    for row in rows:
        table.add_column(row, justify="right", no_wrap=True)
    table.add_column("attainable", justify="right", no_wrap=True)
    table.add_column("message", justify="right", no_wrap=True)
    for case, cells in cases_of(result).items():
        base_us = next((us for c in cells.values() if (us := median(c, "base_us"))), 0.0)
        table.add_row(
            case,
            *(_with_range(cells.get(row), "availability_percent") for row in rows),
            _figure(cells.get("alone"), "attainable_percent"),
            seconds_text(1e-6 * base_us),
        )
    console.print(table)
    _say(console, [overlap_sentence(result)])


def _say(console: Console, sentences: list[str]) -> None:
    for sentence in sentences:
        console.print(sentence)


def _alone(case: str, alone: Cell) -> Text:
    """What the rows are held against."""
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
    table = _table("")
    for name in ("overhead", "share", "wall (IQR)", "OSU", "IMB doc", "IMB code"):
        table.add_column(name, justify="right", no_wrap=True)
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


def _processor_shares(cases: dict[str, dict[str, Cell]]) -> Table:
    table = _table("")
    names = dict.fromkeys(row for rows in cases.values() for row in rows if is_processor_row(row))
    for name in names:
        table.add_column(name.removeprefix("processor, "), justify="right", no_wrap=True)
    table.add_column("transport alone", justify="right", no_wrap=True)
    for case, rows in cases.items():
        table.add_row(
            case,
            *(_with_range(rows.get(name), "processor_percent") for name in names),
            _with_range(rows.get("alone"), "transport_percent"),
        )
    return table


def _table(first: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(first, no_wrap=True)
    return table


def _figure(cell: Cell | None, figure: str) -> str:
    value = median(cell, figure)
    return f"{round(value) + 0}" if value is not None else ""


def _with_range(cell: Cell | None, figure: str) -> str:
    spread: dict[str, Any] | None = (cell or {}).get(figure)
    if not spread:
        return ""
    return f"{round(spread['median']) + 0} ({round(spread['q3'] - spread['q1'])})"

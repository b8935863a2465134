# SPDX-License-Identifier: BSD-3-Clause
"""An unmodified MPI program on a terminal, in at most 30 lines."""

import io
import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from plait.results.base import Result
from plait.results.figures.attach import (
    SYMBOLS,
    advice,
    class_sentences,
    cores_sentence,
    hidden_rows,
    instructions_sentence,
    main_part,
    owner,
    place_text,
    pop_rows,
    progress_sentence,
    rank_text,
    rewrites,
    share_text,
    sites_by_exposed,
    summary_sentence,
    tells_of_messages,
    whose,
    wrapper_text,
)
from plait.results.figures.regions import depth_of, efficiency_of, longest_regions
from plait.results.figures.threads import efficiency_rows, threads_sentence
from plait.views.terminal.layout import new_table

MOST_LINES = 30  # beside those of regions
_WIDEST = 80
_SITES = 5
_REGIONS = 6
_THREADS = ("all threads", "MPI", "OpenMP")
_WIDEST_PLACE, _WIDEST_CALL = 23, 15


def show_attach(heading: str, result: Result, console: Console) -> None:
    """The run, POP's metrics, the sites with the largest exposed time, what could be hidden."""
    width = min(console.width, _WIDEST)
    lines = _tables(heading, result, width)
    said = [*progress_sentence(result), *class_sentences(result), *advice(result)[:1]]
    wrapped = [textwrap.wrap(sentence, width) for sentence in said]
    wrapped += [[f"{title}:"[:width], *(f"    {one}"[:width] for one in code)]
                for title, code in rewrites(result)[:1]]  # fmt: skip
    said = [*advice(result)[1:], *(result.get("warnings") or [])]
    wrapped += [textwrap.wrap(sentence, width) for sentence in said]
    regions = len(longest_regions(result, _REGIONS))
    lines += _fitting(wrapped, MOST_LINES + regions - len(lines))
    for index, line in enumerate(lines):
        console.print(line, soft_wrap=True, style="bold" if index == 0 else None)


def _tables(heading: str, result: Result, width: int) -> list[str]:
    text = io.StringIO()
    console = Console(file=text, width=width, markup=False, emoji=False, highlight=False)
    console.print(heading[:width])
    for sentence in cores_sentence(result):
        console.print(sentence)
    console.print(summary_sentence(result))
    if (rows := pop_rows(result)) and tells_of_messages(result):
        console.print(_plain(["POP", "", ""], rows))
        console.print(SYMBOLS)
    for sentence in (*instructions_sentence(result), *threads_sentence(result)):
        console.print(sentence)
    if (rows := efficiency_rows(result)) and tells_of_messages(result):
        shown = [row for row in rows if row[0] in _THREADS]
        console.print(_plain(["threads", "", ""], shown))
    if result.get("regions"):
        console.print(_regions(result))
    if result.get("sites"):
        console.print(_sites(result))
    if rows := hidden_rows(result):
        console.print(_plain(["could be hidden", whose(result), ""], rows))
    return [line.rstrip() for line in text.getvalue().splitlines()]


def _plain(header: Sequence[str], rows: Sequence[tuple[str, str, str]]) -> Table:
    table = new_table(header[:1], header[1:2])
    table.add_column(header[2], no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _regions(result: Result) -> Table:
    knows_causes = tells_of_messages(result)
    header = ["count", f"{whose(result)} spends", "in MPI"]
    table = new_table(["region"], [*header, *(["efficiency"] if knows_causes else [])])
    for region in longest_regions(result, _REGIONS):
        efficiency = efficiency_of(region)
        table.add_row(
            _shortened("  " * depth_of(result, region) + region["name"]),
            f"{region['count']:,}",
            rank_text(result, region["time_s"]),
            share_text(region["mpi_s"], region["time_s"]),
            *(["" if efficiency is None else f"{efficiency:.3f}"] if knows_causes else []),
        )
    return table


def _sites(result: Result) -> Table:
    knows_causes = tells_of_messages(result)
    table = new_table(["call site", "call"], ["count", f"{whose(result)} waits"])
    if knows_causes:
        table.add_column("most of it for", no_wrap=True)
    for site in sites_by_exposed(result)[:_SITES]:
        causes = [main_part(site)] if knows_causes else []
        table.add_row(
            "\n".join(map(_shortened, filter(None, [place_text(owner(site)), wrapper_text(site)]))),
            site["call"].removeprefix("MPI_")[:_WIDEST_CALL],
            f"{site['count']:,}",
            rank_text(result, site["exposed_s"]),
            *causes,
        )
    return table


def _shortened(place: str) -> str:
    """The end of a place names it: line or offset."""
    return place if len(place) <= _WIDEST_PLACE else "…" + place[1 - _WIDEST_PLACE :]


def _fitting(sentences: Sequence[list[str]], room: int) -> list[str]:
    """Whole sentences, as many as there is room for."""
    lines: list[str] = []
    for sentence in sentences:
        if len(lines) + len(sentence) > room:
            break
        lines += sentence
    return lines

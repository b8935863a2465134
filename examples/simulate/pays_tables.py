# SPDX-License-Identifier: BSD-3-Clause
"""Tables and the picture of where dataflow pays, which pays.py has found."""

import html
import json
import math
import pathlib
import re
import textwrap
from collections.abc import Sequence
from typing import Any, Optional

PAYS = 0.98  # of the time by hand

Table = list[list[str]]  # of cells; the first row is the head


def write(folder: pathlib.Path, answers: Sequence[dict[str, Any]], rates: Sequence[str]) -> None:
    """Prints the tables, and writes them for a page, with the picture and all figures."""
    if not answers:
        return
    (folder / "result.json").write_text(json.dumps(answers, indent=1) + "\n")
    ratios = [rates_table(answers, rates), *ranks_tables(answers, rates)]
    tables, lines = [at_home_table(answers), *ratios], reasons(answers)
    wrapped = [textwrap.fill(line, 80, subsequent_indent="  ") for line in lines]
    print("\n\n".join([*map(plain_text, tables), "\n".join(wrapped)]))
    page = [*map(markdown, tables), "\n".join(f"- {line}" for line in lines)]
    (folder / "pays.md").write_text("\n\n".join(page) + "\n")
    (folder / "pays.svg").write_text(picture(ratios) + "\n")


def where_it_pays(over_rates: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """Returns ranges of communication : computation in which tasks save more than 2 %.

    Between two rates the ratio of times is taken to be linear in the logarithm.  A range that
    reaches the first or last rate ends there.
    """
    points = sorted((math.log(one["communication"]), one["ratio"] - PAYS) for one in over_rates)
    ranges: list[list[float]] = []
    for (x, y), (next_x, next_y) in zip([(points[0][0], math.inf), *points], points):
        crossing = next_x if math.isinf(y) or y == next_y else x + (next_x - x) * y / (y - next_y)
        if y >= 0 > next_y:
            ranges.append([crossing, next_x])
        elif y < 0 <= next_y:
            ranges[-1][1] = crossing
        elif next_y < 0:
            ranges[-1][1] = next_x
    return [(math.exp(low), math.exp(high)) for low, high in ranges]


def stops_at(cells: Sequence[dict[str, Any]], rate: str) -> Optional[int]:
    """Returns the first number of ranks at which tasks save 2 % at most; none: they always do."""
    of_rate = sorted((one["ranks"], one["ratio"]) for one in cells if one["rate"] == rate)
    return next((ranks for ranks, ratio in of_rate if ratio >= PAYS), None)


def at_home_table(answers: Sequence[dict[str, Any]]) -> Table:
    """Returns where tasks pay, and how far predictions for the recorded network are off."""
    table = [["program", "by hand", "pays at ratios", "predicted", "measured", "tasks, %",
              "hand, %"]]  # fmt: skip
    for one in answers:
        if "over_rates" not in one:
            continue
        ranges = [f"{number(low)} to {number(high)}"
                  for low, high in where_it_pays(one["over_rates"])]  # fmt: skip
        table.append([one["program"], one["hand"], ", ".join(ranges) or "nowhere",
                      f"{one['predicted']:.3f}", f"{one['measured']:.3f}",
                      f"{100 * one['error_of_tasks']:+.1f}",
                      f"{100 * one['error_by_hand']:+.1f}"])  # fmt: skip
    return table


def rates_table(answers: Sequence[dict[str, Any]], rates: Sequence[str]) -> Table:
    """Returns the ratio of times at each rate, on the recorded ranks."""
    table = [["tasks / by hand", *rates]]
    for one in answers:
        found = {cell["rate"]: cell for cell in one.get("over_rates", [])}
        if found:
            cells = [f"{found[rate]['ratio']:.3f}" if rate in found else "" for rate in rates]
            table.append([one["program"], *cells])
    return table


def ranks_tables(answers: Sequence[dict[str, Any]], rates: Sequence[str]) -> list[Table]:
    """Returns for each program that has laws the ratio of times at each rate and on all ranks."""
    tables = []
    for one in answers:
        cells = one.get("over_ranks", {}).get("cells", [])
        if not cells:
            continue
        found = {(cell["ranks"], cell["rate"]): cell for cell in cells}
        table = [[f"{one['program']} / {one['over_ranks']['against']}", *rates]]
        for ranks in sorted({cell["ranks"] for cell in cells}):
            row = [found.get((ranks, rate)) for rate in rates]
            ratios = [f"{cell['ratio']:.3f}" if cell else "" for cell in row]
            are_trusted = all(cell["trusted"] for cell in row if cell)
            table.append([f"{ranks} ranks{'' if are_trusted else ' ?'}", *ratios])
        table.append(["stops at", *(str(stops_at(cells, rate) or "-") for rate in rates)])
        tables.append(table)
    return tables


def reasons(answers: Sequence[dict[str, Any]]) -> list[str]:
    """Returns a line for each program that has no answer, none for other ranks, or a wrong one."""
    lines = []
    for one in answers:
        if "refused" in one:
            lines.append(f"{one['program']}: {one['refused']}")
        elif "refused" in one["over_ranks"]:
            lines.append(f"{one['program']} on other ranks: {one['over_ranks']['refused']}")
        if "doubt" in one:
            lines.append(f"{one['program']} is not to be trusted: {one['doubt']}")
    return lines


def number(figure: float) -> str:
    """Returns two digits of it."""
    return f"{figure:.2g}" if figure < 100 else f"{figure:.0f}"


def plain_text(table: Table) -> str:
    """Returns a table for a terminal."""
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    lines = []
    for row in table:
        cells = [cell.ljust(width) if at == 0 else cell.rjust(width)
                 for at, (cell, width) in enumerate(zip(row, widths))]  # fmt: skip
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(table: Table) -> str:
    """Returns a table for a page of documentation."""
    head, *rows = table
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def picture(tables: Sequence[Table]) -> str:
    """Returns an SVG of tables, a cell a square: green where tasks pay, red where they lose."""
    wide, high, left = 76, 24, 190
    parts, y = [], 0
    for table in tables:
        for row in table:
            y += high
            for at, cell in enumerate(row):
                x = left + (at - 1) * wide if at else 0
                if colour := colour_of(cell):
                    size = f'width="{wide - 2}" height="{high - 2}"'
                    parts.append(f'<rect x="{x}" y="{y - 17}" {size} fill="{colour}"/>')
                place = f'x="{x + wide // 2}" text-anchor="middle"' if at else 'x="4"'
                parts.append(f'<text {place} y="{y}">{html.escape(cell)}</text>')
        y += high
    width = left + wide * (max(len(table[0]) for table in tables) - 1)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" '
            'font-family="sans-serif" font-size="13">\n'
            f'<rect width="{width}" height="{y}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>")  # fmt: skip


def colour_of(cell: str) -> str:
    """Returns the colour of a ratio, deepest from 25 % on; of other text none."""
    if not re.fullmatch(r"\d+\.\d{3}", cell):
        return ""
    ratio = float(cell)
    light = 96 - round(46 * min(1.0, abs(math.log(max(ratio, 1e-3))) / 0.22))
    if PAYS <= ratio <= 1 / PAYS:
        return "hsl(0,0%,94%)"
    return f"hsl({130 if ratio < PAYS else 5},60%,{light}%)"

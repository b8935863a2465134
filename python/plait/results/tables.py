# SPDX-License-Identifier: BSD-3-Clause
"""A result as flat tables, for programs that read CSV or data frames.

What a result has once is a table `run` of one row. A list of objects, and an object whose members
are objects, is a table of its own: a row each, named in the first column. Tables inside the rows of
a table have the names of these rows in front, too.
"""

from __future__ import annotations

import csv
import io
import pathlib
from collections.abc import Mapping
from typing import Any

from plait.results.base import Result
from plait.results.files import write_file

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def tables_of(result: Result) -> Tables:
    """Returns the tables by name; rows of a table may lack cells."""
    found: Tables = {"run": [{}]}
    for name, value in result.items():
        if name == "matrix":
            found["pairs"] = _pairs(value)
        elif _is_table(value):
            _add_table(found, name, value, {})
        else:
            _add_cells(found, found["run"][0], name, value, {})
    return {name: rows for name, rows in found.items() if rows}


def _is_spread(value: object) -> bool:
    return isinstance(value, dict) and "median" in value


def _named(value: object) -> list[tuple[str | int, object]]:
    """The members of an object or of a list, with their names or places."""
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _is_table(value: object) -> bool:
    members = [one for _, one in _named(value)]
    return bool(members) and all(isinstance(one, dict) and not _is_spread(one) for one in members)


def _add_table(found: Tables, name: str, value: object, keys: Row) -> None:
    """A row for each member of `value`, with the keys of the rows that it lies in."""
    for key, one in _named(value):
        row = {**keys, name.removesuffix("s"): key}
        own = dict(row)
        for member, inner in _named(one):
            if _is_table(inner):
                _add_table(found, f"{name}_{member}", inner, row)
            else:
                _add_cells(found, own, member, inner, row)
        found.setdefault(name, []).append(own)


def _add_cells(found: Tables, row: Row, name: str, value: object, keys: Row) -> None:
    """Puts a value into a row: a spread as three cells, an object as a cell for each member."""
    if _is_spread(value):
        row |= {name: value["median"], f"{name}_q1": value.get("q1"), f"{name}_q3": value.get("q3")}
    elif isinstance(value, dict):
        for member, inner in value.items():
            if _is_table(inner):
                _add_table(found, f"{name}_{member}", inner, keys)
            else:
                _add_cells(found, row, f"{name}_{member}", inner, keys)
    elif isinstance(value, list):
        row[name] = " ".join(map(str, value))
    else:
        row[name] = value


def _pairs(matrix: Mapping[str, Any]) -> list[Row]:
    """A row for each pair of ranks between which messages went; rows of ranks by their first."""
    step = matrix.get("ranks_a_row", 1)
    return [
        {"from": step * source, "to": step * target, "messages": messages, "bytes": size}
        for source, lines in enumerate(zip(matrix["messages"], matrix["bytes"]))
        for target, (messages, size) in enumerate(zip(*lines))
        if messages
    ]


def columns_of(rows: list[Row]) -> list[str]:
    """Returns the names of the cells that some row has, in the order in which they come up."""
    return list(dict.fromkeys(name for row in rows for name in row))


def csv_of(rows: list[Row]) -> str:
    """Returns a table as comma-separated values: a line of names, and an empty cell for nothing."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_csv(results: Mapping[str, Result], folder: pathlib.Path) -> list[pathlib.Path]:
    """Writes NAME.csv for each table; of several results `result` names it."""
    whole: Tables = {}
    for name, result in results.items():
        of_file: Row = {"result": name} if len(results) > 1 else {}
        for table, rows in tables_of(result).items():
            whole.setdefault(table, []).extend({**of_file, **row} for row in rows)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for table, rows in whole.items():
        files.append(folder / f"{table}.csv")
        write_file(files[-1], csv_of(rows).encode())
    return files

# SPDX-License-Identifier: BSD-3-Clause
"""Results that are rows of figures: by implementation, by case, by figure."""

from collections.abc import Mapping
from typing import Any

from plait.results.base import Figure, Kind, Result

Cases = dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]]


class KindOfRows(Kind):
    """A result that names a benchmark and has rows."""

    names_program_in = "bench"

    def figures(self, result: Result) -> list[Figure]:
        """Returns every figure of every row."""
        return [
            Figure(" ".join(path), spread, path[-1])
            for path, spread in flatten_rows(result["rows"])
        ]


def flatten_rows(rows: Mapping[str, Any]) -> list[tuple[tuple[str, ...], Any]]:
    """Returns every figure with its path: (implementation, case…, figure)."""
    found: list[tuple[tuple[str, ...], Any]] = []

    def walk(node: object, path: tuple[str, ...]) -> None:
        if isinstance(node, dict) and "median" not in node:
            for key, value in node.items():
                walk(value, (*path, key))
        elif isinstance(node, dict):
            found.append((path, node))

    walk(rows, ())
    return found


def cases_of_rows(result: Result) -> Cases:
    """Returns, by case and figure, the spread of each implementation."""
    cases: Cases = {}
    for path, spread in flatten_rows(result["rows"]):
        cases.setdefault(path[1:], []).append((path[0], spread))
    return cases

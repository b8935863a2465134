# SPDX-License-Identifier: BSD-3-Clause
"""Weak scaling: the same cells on every node, on more and more nodes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from plait.results.base import Result
from plait.units import seconds_text
from plait.views.html.drawn.svg import element, table, text

_READING = """An iteration of each variant, and its efficiency: the iteration on the fewest nodes /
the iteration on so many. Every node has the same cells. Results of this page are taken together."""


class Row(NamedTuple):
    """A number of nodes, and the seconds of an iteration and the efficiency of each variant."""

    nodes: int
    seconds: dict[str, float]
    efficiency: dict[str, float]


def nodes_of(result: Result) -> int:
    """Returns the number of nodes of a result's job."""
    return result["environment"]["ranks"] // result["parameters"].get("processes_per_node", 1)


def _seconds(result: Result) -> dict[str, float]:
    steps = result["parameters"]["steps"]
    return {name: v["total_s"]["median"] / steps for name, v in result["variants"].items()}


def weak_scaling(result: Result, results: Sequence[Result]) -> list[Row]:
    """Returns a row for each number of nodes, fewest first; of equal ones the last result.

    The efficiency is the iteration on the fewest nodes / the iteration on so many.  Empty where
    the result is no weak scaling, or no other result has the same cells a node.
    """
    cells = result["parameters"].get("cells_per_node")
    if cells is None:
        return []
    same: dict[int, dict[str, Any]] = {
        nodes_of(other): other
        for other in results
        if other.get("app") == result["app"] and other["parameters"].get("cells_per_node") == cells
    }
    if len(same) < 2:
        return []
    first = _seconds(same[min(same)])
    rows = []
    for nodes in sorted(same):
        seconds = _seconds(same[nodes])
        gained = {name: first[name] / s for name, s in seconds.items() if name in first}
        rows.append(Row(nodes, seconds, gained))
    return rows


def weak_scaling_table(rows: Sequence[Row]) -> str:
    """Returns a row for each number of nodes."""
    names = list(dict.fromkeys(name for row in rows for name in row.seconds))
    cells = []
    for row in rows:
        line = [text(row.nodes)]
        for name in names:
            said = ""
            if name in row.seconds:
                said = seconds_text(row.seconds[name], 4)
            if name in row.efficiency:
                said += f" ({row.efficiency[name]:.2f})"
            line.append(text(said))
        cells.append(line)
    reading = element("p", text(" ".join(_READING.split())), class_="reading")
    return table(["nodes", *names], cells) + reading

# SPDX-License-Identifier: BSD-3-Clause
"""A profile of `plait attach` as Hatchet and Thicket read it: Caliper's split JSON.

A call site is a leaf. Above it are the functions on the way there, and the program. Times are sums
over ranks.
"""

from __future__ import annotations

import json
from typing import Any

from plait import __version__
from plait.errors import BadInput
from plait.results.base import Result
from plait.results.figures.attach import Site, place_text, sites_by_exposed

_HIERARCHY = "path"
# Members of a site that are numbers, beside its time.
_METRICS = ("count", "bytes", "exposed_s", "late_sender_s", "late_receiver_s", "transfer_s",
            "collective_wait_s", "other_wait_s", "could_hide_by_progress_s",
            "could_hide_by_moving_s")  # fmt: skip
_ABOUT = ("program", "mpi", "ranks", "wall_s")


def caliper_text(result: Result) -> str:
    """Returns the file's text. Errors: `BadInput` for what is no result of `plait attach`."""
    if "sites" not in result or "totals" not in result:
        raise BadInput("--hatchet: takes a result of plait attach, which has call sites")
    metrics = [name for name in _METRICS if any(site.get(name) for site in result["sites"])]
    tree = _Tree(metrics)
    program = tree.child(None, result["program"].rsplit("/", 1)[-1])
    tree.rows[program]["time"] = result["totals"]["compute_s"]
    for site in sites_by_exposed(result):
        at = program
        for name in _way(site):
            at = tree.child(at, name)
        tree.add(at, site)
    return json.dumps(tree.file(_about(result)), indent=1)


def _about(result: Result) -> dict[str, Any]:
    """Returns a row of Thicket's table of runs."""
    about = {name: result[name] for name in _ABOUT if name in result}
    started = (result.get("environment") or {}).get("started_at")
    pop = {name: value for name, value in (result.get("pop") or {}).items() if value is not None}
    return {**about, "hosts": " ".join(result.get("hosts") or []), "plait": __version__,
            **({"started_at": started} if started else {}), **pop}  # fmt: skip


def _way(site: Site) -> list[str]:
    """Returns the functions from the program's own to the one that calls MPI, and the call."""
    callers = [
        f"{_function(one)} ({place_text(one)})" for one in reversed(site.get("callers") or [])
    ]
    return [*callers, _function(site), f"{site['call']} {place_text(site)}"]


def _function(place: Site) -> str:
    return place.get("function") or place.get("symbol") or place_text(place)


class _Tree:
    """Nodes with a row of metrics each."""

    def __init__(self, metrics: list[str]) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.rows: list[dict[str, float]] = []
        self._metrics = metrics
        self._known: dict[tuple[int | None, str], int] = {}

    def child(self, parent: int | None, label: str) -> int:
        """Returns the node of that name below another, and makes it where there is none."""
        if (parent, label) not in self._known:
            self._known[parent, label] = len(self.nodes)
            above = {} if parent is None else {"parent": parent}
            self.nodes.append({"label": label, "column": _HIERARCHY, **above})
            self.rows.append(dict.fromkeys(("time", *self._metrics), 0))
        return self._known[parent, label]

    def add(self, node: int, site: Site) -> None:
        """Adds what a site has to its node."""
        row = self.rows[node]
        row["time"] += site["time_s"]
        for name in self._metrics:
            row[name] += site.get(name) or 0

    def file(self, about: dict[str, Any]) -> dict[str, Any]:
        """Returns what the file holds. Readers find the row of a node by its number."""
        inclusive = [row["time"] for row in self.rows]
        for number in reversed(range(len(self.nodes))):
            if (parent := self.nodes[number].get("parent")) is not None:
                inclusive[parent] += inclusive[number]
        columns = ["Node order", _HIERARCHY, "time", "time (inc)", *self._metrics]
        data = [[number, number, row["time"], whole, *(row[name] for name in self._metrics)]
                for number, (row, whole) in enumerate(zip(self.rows, inclusive))]  # fmt: skip
        kinds = [{"is_value": name != _HIERARCHY} for name in columns]
        return {"data": data, "columns": columns, "column_metadata": kinds, "nodes": self.nodes,
                **about}  # fmt: skip

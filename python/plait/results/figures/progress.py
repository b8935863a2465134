# SPDX-License-Identifier: BSD-3-Clause
"""Computes what `plait bench progress` comes to: the regret of `plait auto` in each cell."""

from __future__ import annotations

import copy
import dataclasses
import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from plait.results.base import Result
from plait.units import rate_text, size_text, tick_text

OWN, BASE = "plait auto", "blocking"
_NOT_CONTESTANTS = ("alone", "bound", "attainable")
# `plait auto` may be slower than blocking by so much before a cell is named.
_SLOWER = 0.03


@dataclasses.dataclass(frozen=True)
class Map:
    """Holds what the cells of one heat map have in common."""

    rate_bps: float | None
    flights: int

    def describe(self) -> str:
        """A phrase for a title."""
        link = f", {rate_text(self.rate_bps)}" if self.rate_bps else ""
        return f"{self.flights} in flight each way{link}"


@dataclasses.dataclass(frozen=True)
class Cell:
    """One cell of the sweep."""

    name: str
    map: Map
    size_bytes: int
    task_s: float  # 0: the work of a step is one task
    totals: dict[str, dict[str, Any]]  # by contestant, spreads in µs
    attainable_us: float | None

    def median(self, row: str) -> float | None:
        """The time of a step, in µs."""
        return self.totals[row]["median"] if row in self.totals else None

    def over_attainable(self, row: str) -> float | None:
        """The time of a step by what can be attained."""
        median = self.median(row)
        return median / self.attainable_us if median and self.attainable_us else None

    def best_other(self, than: str = OWN) -> str | None:
        """The fastest contestant other than that row."""
        others = [row for row in self.totals if row != than]
        return min(others, key=lambda row: self.totals[row]["median"], default=None)

    def regret(self, of: str = OWN) -> float | None:
        """The time of a row by that of the fastest other contestant, less 1.

        In each repetition against the contestant that is the fastest in the other repetitions; the
        median. Chosen and compared by the same repetitions, the fastest of many rows is often the
        luckiest, and a row that is as fast as all others regrets their noise.
        """
        rounds, by_medians = self._rounds(), self.regret_by_medians(of)
        if rounds < 2 or by_medians is None:
            return by_medians
        own = self.totals[of]["samples"]
        return statistics.median(own[i] / self._fastest_without(i, of) for i in range(rounds)) - 1

    def regret_by_medians(self, of: str = OWN) -> float | None:
        """The regret by the medians of all repetitions: too much by what the luckiest row gains."""
        own, best = self.median(of), self.best_other(of)
        return own / self.totals[best]["median"] - 1 if own and best else None

    def _rounds(self) -> int:
        """The repetitions that every contestant has."""
        return min((len(total.get("samples", ())) for total in self.totals.values()), default=0)

    def _fastest_without(self, left_out: int, than: str) -> float:
        """The time, in one repetition, of the contestant that is the fastest in the others."""
        others = {
            row: statistics.median(t for i, t in enumerate(total["samples"]) if i != left_out)
            for row, total in self.totals.items() if row != than
        }  # fmt: skip
        return self.totals[min(others, key=others.__getitem__)]["samples"][left_out]

    def over_blocking(self) -> float | None:
        """The time of `plait auto` by that of blocking calls, less 1."""
        own, base = self.median(OWN), self.median(BASE)
        return own / base - 1 if own and base else None


def cells_of(result: Result) -> list[Cell]:
    """The cells in the order in which they were measured."""
    rows = {name: row for name, row in result["rows"].items() if name not in _NOT_CONTESTANTS}
    attainable = result["rows"].get("attainable") or result["rows"].get("bound") or {}
    names = dict.fromkeys(name for row in rows.values() for name in row)
    return [_cell(name, rows, attainable.get(name) or {}) for name in names]


def _cell(name: str, rows: dict[str, Any], attainable: dict[str, Any]) -> Cell:
    about = next(row[name] for row in rows.values() if name in row)
    totals = {
        row: cells[name]["total_us"]
        for row, cells in rows.items()
        if "total_us" in cells.get(name, {})
    }
    limit = attainable.get("total_us")
    return Cell(
        name, Map(about.get("rate_bps"), int(about["flights"])), int(about["size_bytes"]),
        about["task_s"], totals, limit["median"] if limit else None,
    )  # fmt: skip


def maps_of(cells: Sequence[Cell]) -> dict[Map, list[Cell]]:
    """The cells by map."""
    maps: dict[Map, list[Cell]] = {}
    for cell in cells:
        maps.setdefault(cell.map, []).append(cell)
    return maps


def task_text(task_s: float) -> str:
    """The length of a task."""
    if not task_s:
        return "one task"
    return tick_text(task_s)


def grid_of(cells: Sequence[Cell]) -> tuple[list[float], list[int], dict[tuple[float, int], Cell]]:
    """A map's lengths of a task (one long task last), its sizes, and the cells by both."""
    tasks = sorted({cell.task_s for cell in cells}, key=lambda task_s: task_s or math.inf)
    sizes = sorted({cell.size_bytes for cell in cells})
    return tasks, sizes, {(cell.task_s, cell.size_bytes): cell for cell in cells}


def contestants_of(cells: Sequence[Cell]) -> list[str]:
    """The rows that any cell has."""
    return list(dict.fromkeys(row for cell in cells for row in cell.totals))


def progress_sentences(result: Result) -> list[str]:
    """Returns what was left out, and what the regrets come to."""
    environment = result["environment"]
    lines = [
        f"left out: {name}: {why}"
        for kind in ("rows_left_out", "cells_left_out")
        for name, why in environment[kind].items()
    ]
    cells = cells_of(result)
    compared = any(cell.regret() is not None for cell in cells)
    return [*lines, _summary(cells), *(_by_row(cells) if compared else [])]


def _by_row(cells: Sequence[Cell]) -> list[str]:
    """Returns the regret of each row, had one used it for everything; the least first."""
    found = {
        row: [regret for cell in cells if (regret := cell.regret(row)) is not None]
        for row in contestants_of(cells)
    }
    ranked = sorted(
        (quantile(all_of, 0.9), quantile(all_of, 0.5), row)
        for row, all_of in found.items() if all_of
    )  # fmt: skip
    texts = [f"{row} {median:.0%}, {most:.0%}" for most, median, row in ranked]
    return ["regret of each row, median and 90th percentile: " + "; ".join(texts)]


def _summary(cells: Sequence[Cell]) -> str:
    if all(cell.regret() is None for cell in cells):
        return f"no regret: it takes {OWN} and another row"
    return (
        f"regret: {_distribution(cells, Cell.regret)};"
        f" against the luckiest row: {_distribution(cells, Cell.regret_by_medians)};"
        f" slower than blocking by more than {_SLOWER:.0%}: {_slower_text(cells)}"
    )


def _distribution(cells: Sequence[Cell], figure: Callable[[Cell], float | None]) -> str:
    regrets = {cell.name: regret for cell in cells if (regret := figure(cell)) is not None}
    worst = max(regrets, key=lambda name: regrets[name])
    return (
        f"median {quantile(regrets.values(), 0.5):.1%},"
        f" 90th percentile {quantile(regrets.values(), 0.9):.1%},"
        f" worst {regrets[worst]:.1%} ({worst})"
    )


def _slower_text(cells: Sequence[Cell]) -> str:
    slower = [
        f"{cell.name} (by {over:.0%})"
        for cell in cells if (over := cell.over_blocking()) is not None and over > _SLOWER
    ]  # fmt: skip
    return ", ".join(slower) or "no cell"


def quantile(values: object, fraction: float) -> float:
    """Linear between the two nearest of at least one value, as result files have it."""
    ordered = sorted(values)  # type: ignore[call-overload]
    place = (len(ordered) - 1) * fraction
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def size_label(size_bytes: int) -> str:
    """A size without spaces, as the cells' names have it."""
    return size_text(size_bytes).replace(" ", "")


def of_rates(found: Sequence[Result]) -> Result:
    """One result of the sweeps of several link rates: the rate is in the name of each cell."""
    whole = copy.deepcopy(found[0])
    whole["rows"] = {}
    environment = whole["environment"]
    environment["labs"] = [result["environment"]["lab"] for result in found]
    environment["cells_left_out"] = {}
    del environment["lab"]
    for result in found:
        rate_bps = result["environment"]["lab"]["rate_bps"]
        suffix = f" {rate_text(rate_bps)}"
        for row, cells in result["rows"].items():
            named = whole["rows"].setdefault(row, {})
            named |= {n + suffix: {**cell, "rate_bps": rate_bps} for n, cell in cells.items()}
        for name, why in result["environment"]["cells_left_out"].items():
            environment["cells_left_out"][name + suffix] = why
    return whole

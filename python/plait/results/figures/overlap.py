# SPDX-License-Identifier: BSD-3-Clause
"""The figures of `nbc` and `overlap` results, by row and case, and what they come to in words."""

from __future__ import annotations

from typing import Any, NamedTuple

from plait.results.base import Result
from plait.units import seconds_text

NONBLOCKING, TESTED = "nonblocking", "nonblocking tested"
# Below, in percent, nothing worth the name is hidden.
NOTHING = 10.0
# From there on the library's own calls are enough: a share of what is attainable.
ENOUGH = 0.7
# Below, as a share of the other direction's time, a direction is not judged.
HARDLY_ANY = 0.1
_LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH"}

Cell = dict[str, Any]


def cases_of(result: Result) -> dict[str, dict[str, Cell]]:
    """Cells by case, then by row, both in the order of the result."""
    cases: dict[str, dict[str, Cell]] = {}
    for row, cells in result["rows"].items():
        for case, cell in cells.items():
            cases.setdefault(case, {})[row] = cell
    return cases


def is_processor_row(row: str) -> bool:
    """Returns whether a row says what the blocking call takes of a processor on some ranks."""
    return row.startswith("processor, ")


def median(cell: Cell | None, figure: str) -> float | None:
    """The median of a figure, where the cell has it."""
    spread = (cell or {}).get(figure)
    return float(spread["median"]) if isinstance(spread, dict) else None


def library(result: Result) -> str:
    """The MPI library as people call it."""
    name = str(result["environment"].get("mpi", "MPI"))
    return _LIBRARIES.get(name, name)


def percent(value: float) -> str:
    """Without decimals, and without a zero that is negative."""
    return f"{round(value) + 0} %"


def interval_text(work_us: float, cell: Cell) -> str:
    """Returns the duration of a piece of work, after which the program tests."""
    return seconds_text(1e-6 * work_us / max(1, cell.get("pieces", 1)), 2)


def nbc_sentences(result: Result) -> list[str]:
    """For each operation, at its largest size: what hides how much of it."""
    largest: dict[str, tuple[int, str, dict[str, Cell]]] = {}
    for case, rows in cases_of(result).items():
        any_cell = next(iter(rows.values()))
        op, size = any_cell["op"], any_cell["size_bytes"]
        if op not in largest or size > largest[op][0]:
            largest[op] = (size, case, rows)
    return [_nbc_sentence(result, case, rows) for _, case, rows in largest.values()]


def _nbc_sentence(result: Result, case: str, rows: dict[str, Cell]) -> str:
    alone = rows.get("alone")
    blocking_us = median(alone, "communication_us") or 0.0
    said = []
    for row, cell in rows.items():
        hidden = median(cell, "confirmed_overlap_percent")
        if hidden is None or row == "blocking":
            continue
        words = f"{_name_of(row, library(result))} {percent(max(0.0, hidden))}"
        if row == TESTED:
            words += f" (every {interval_text(median(cell, 'computation_us') or 0.0, cell)})"
        said.append(words)
    text = f"{case}: the blocking call takes {seconds_text(1e-6 * blocking_us)}"
    text += f"; wall-clock time confirms as hidden: {', '.join(said)}." if said else "."
    attainable = median(alone, "attainable_overlap_percent")
    if attainable is not None:
        text += (
            f" The transport takes {percent(median(alone, 'transport_percent') or 0.0)} of it as"
            f" processor time, which leaves {percent(attainable)} attainable:"
            f" OSU's 80 % is {'within' if round(attainable) >= 80 else 'out of'} reach here."
        )
    return text


def _name_of(row: str, library: str) -> str:
    return {NONBLOCKING: f"{library} by itself", TESTED: "with MPI_Test"}.get(row, row)


def overlap_sentence(result: Result) -> str:
    """Returns what the library does by itself, and what to do about it."""
    own = judged_by_size(result, NONBLOCKING)
    name = library(result)
    if not own:
        return f"The row '{NONBLOCKING}' was not measured, so that {name} is not judged."
    poor = [size for size, both in own.items() if any(one.is_poor for one in both)]
    if not poor:
        least = min(one.available for both in own.values() for one in both)
        return (
            f"{name} leaves at least {percent(least)} of a message's time to the program by itself:"
            " MPI_Isend and MPI_Irecv are enough here."
        )
    # Of the poor directions the one that costs more; receiving, if none does.
    at_largest = [one for one in own[max(poor)] if one.is_poor]
    worst = max(reversed(at_largest), key=lambda one: one.cost_us)
    amount = "nothing" if worst.available < NOTHING else "little"
    text = f"{name} moves {amount} {_at_sizes(own, poor)} while the program computes:"
    text += f" {percent(worst.available)} of the time of {_message(worst.case)} is left to it"
    return text + _remedy(result, worst)


class Direction(NamedTuple):
    """Messages of a size, sent or received."""

    base_us: float
    available: float  # percent of base_us
    attainable: float  # the same
    case: str

    @property
    def cost_us(self) -> float:
        """Returns what the program loses."""
        return (1 - self.available / 100) * self.base_us

    @property
    def is_poor(self) -> bool:
        """Returns whether much more is to be had, or nothing is there."""
        return self.available < max(NOTHING, ENOUGH * self.attainable)


def judged_by_size(result: Result, row: str) -> dict[int, list[Direction]]:
    """Of a row, by ascending size: its directions.

    Without one that takes less than a tenth of the other's time: sending what the system buffers
    takes hardly any, and its availability is noise."""
    alone = result["rows"].get("alone", {})
    found: dict[int, list[Direction]] = {}
    for case, cell in result["rows"].get(row, {}).items():
        available = median(cell, "availability_percent")
        if available is None:
            continue
        attainable = median(alone.get(case), "attainable_percent")
        one = Direction(
            median(cell, "base_us") or 0.0,
            _within_limits(available),
            100.0 if attainable is None else attainable,
            case,
        )
        found.setdefault(cell["size_bytes"], []).append(one)
    longest = {size: max(one.base_us for one in both) for size, both in found.items()}
    return {
        size: [one for one in both if one.base_us >= HARDLY_ANY * longest[size]]
        for size, both in sorted(found.items())
    }


def _message(case: str) -> str:
    direction, size = case.split()
    return f"{'sending' if direction == 'send' else 'receiving'} {size}"


def _within_limits(available: float) -> float:
    """Noise can lead outside; nothing is less than none or more than all."""
    return min(max(available, 0.0), 100.0)


def _at_sizes(own: dict[int, list[Direction]], poor: list[int]) -> str:
    labels = {size: both[0].case.split()[-1] for size, both in own.items()}
    if poor == [size for size in own if size >= poor[0]]:
        return "at any size" if len(poor) == len(own) else f"from {labels[poor[0]]} up"
    return "at " + ", ".join(labels[size] for size in poor)


def _remedy(result: Result, worst: Direction) -> str:
    """Says how the other rows do in that case, and what follows."""
    case = worst.case
    helps = {
        row: _within_limits(available)
        for row, cells in result["rows"].items()
        if row == TESTED or row.startswith("plait ")
        if (available := median(cells.get(case), "availability_percent")) is not None
    }
    if not helps:
        return "."
    tested = result["rows"].get(TESTED, {}).get(case, {})
    every = interval_text(median(tested, "work_us") or 0.0, tested)
    said = [
        f"{percent(value)} with MPI_Test every {every}" if row == TESTED else
        f"{percent(value)} with {row}"
        for row, value in helps.items()
    ]  # fmt: skip
    text = ", " + ", ".join(said) + ". "
    good = {row: value for row, value in helps.items() if value >= worst.available + NOTHING}
    if not good:
        reason = "" if result["environment"].get("lab") else (
            ": in shared memory the processor that computes copies the message itself"
        )  # fmt: skip
        return text + f"Nothing helps here{reason}."
    best = max(good, key=lambda row: good[row])
    if best == TESTED:
        return text + f"Call MPI_Test about every {every}."
    also = f", or call MPI_Test about every {every}" if TESTED in good else ""
    return text + f"Post through plait{also}."

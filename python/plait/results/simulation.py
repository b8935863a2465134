# SPDX-License-Identifier: BSD-3-Clause
"""A program on machines that are not here: a row a scenario, each with its critical path."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

from plait.results.base import Figure, Kind, Result
from plait.results.figures.simulation import is_small, labels_of
from plait.results.schema import (
    at_least_0,
    both,
    count,
    count_from_1,
    fields,
    flag,
    mapping,
    number,
    one_of,
    or_null,
    positive,
    sequence,
    text,
)
from plait.results.shapes import result_shape, spread_of
from plait.units import part_text

_SENSITIVITY = fields(
    {"lambda": number},
    {"one_more_ns": number, "one_less_ns": number, "one_percent_more_s": number, "jumps": flag},
)
_CHANGE = fields({"parameter": text, "value": at_least_0, "limiter": text})
_ROW = fields(
    {"dialect": one_of("loggops", "plait"), "ranks": count_from_1, "operations": count,
     "predicted_s": at_least_0},
    {"network": text, "policy": text, "topology": text, "workers": count, "ranks_run": count,
     "events": count,
     "parts": mapping(at_least_0, least=1), "limiter": text,
     "computation_by_name_s": mapping(at_least_0), "sensitivities": mapping(_SENSITIVITY),
     "recorded_s": at_least_0, "grid": text, "trusted": flag, "why_not_trusted": text,
     "remark": text,
     "tolerated_L_ns": mapping(or_null(at_least_0)), "takes_over": sequence(_CHANGE)},
)  # fmt: skip
_LAW = fields(
    {"of": text, "quantity": one_of("duration", "bytes", "elements"), "exponent": number,
     "fitted": number, "largest_residual": at_least_0},
)  # fmt: skip
_EXECUTED = fields(
    {"ranks": count_from_1, "mpi": text, "looks": text, "total_s": spread_of(positive)}
)


def _names_its_scenario(row: dict[str, Any], where: str) -> Iterator[str]:
    """Yields what a row of the dialect `plait` lacks."""
    for member in ("network", "policy"):
        if row["dialect"] == "plait" and member not in row:
            yield f"{where}.{member} is missing"


class Simulation(Kind):
    """A result of `plait simulate`."""

    name = "simulation"
    names_program_in = "bench"
    shape = staticmethod(
        result_shape(
            {"bench": text, "rows": sequence(both(_ROW, _names_its_scenario), least=1)},
            {"executed": or_null(_EXECUTED), "laws": sequence(_LAW)},
            parameters=fields(
                {"file": text},
                dict.fromkeys(
                    ("L_ns", "o_ns", "g_ns", "G_ns", "O_ns", "S_bytes", "bucket_bytes", "look_us"),
                    at_least_0,
                ),
            ),
        )
    )

    def program(self, result: Result) -> str:
        """Returns the name of the GOAL file, or of the recording's folder."""
        file = result["parameters"]["file"]
        return f"simulation of {pathlib.PurePath(file).name or file}"

    def heading(self, result: Result) -> str:
        """Says what was simulated, and by which rules."""
        first = result["rows"][0]
        counts = sorted({row["ranks"] for row in result["rows"]})
        ranks = f"{counts[0]} rank{'s' if counts[0] != 1 else ''}"
        if len(counts) > 1:
            ranks = f"{counts[0]} to {counts[-1]} ranks"
        return ", ".join([self.program(result), ranks, f"dialect {first['dialect']}"])

    def figures(self, result: Result) -> list[Figure]:
        """Returns the time of each scenario, and the parts of its critical path."""
        found = []
        for name, row in zip(labels_of(result), result["rows"]):
            found.append(_exact(f"{name} predicted", row["predicted_s"]))
            for part, seconds in row.get("parts", {}).items():
                of_path = f"{name} {part_text(part)}"
                found.append(_exact(of_path, seconds, better="", minor=is_small(row, seconds)))
        if executed := result.get("executed"):
            found.append(Figure("executed", executed["total_s"], "total_s"))
        return found


def _exact(name: str, seconds: float, better: str | None = None, minor: bool = False) -> Figure:
    """Returns a time that every run of the simulator gives."""
    spread = dict.fromkeys(("median", "q1", "q3"), seconds)
    return Figure(name, spread, "predicted_s", better=better, minor=minor)

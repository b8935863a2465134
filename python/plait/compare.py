# SPDX-License-Identifier: BSD-3-Clause
"""Two results of one program: ratios, and verdicts only where the quartiles are apart."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from rich.table import Table

from plait.errors import BadInput
from plait.program import program_figures
from plait.result import LOGGP_FIGURES, Result, flatten_rows, is_program, name_of


@dataclasses.dataclass(frozen=True)
class Line:
    """One figure in both results."""

    name: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    @property
    def ratio(self) -> float:
        """After by before."""
        return (
            self.after["median"] / self.before["median"] if self.before["median"] else float("nan")
        )

    @property
    def spread(self) -> float:
        """The larger of both interquartile ranges, as a share of its median."""
        shares = (
            (s["q3"] - s["q1"]) / s["median"] for s in (self.before, self.after) if s["median"]
        )
        return max(shares, default=0.0)

    @property
    def verdict(self) -> str:
        """Which is less, if the quartiles do not overlap."""
        if "single" in self.before:
            return "one run"
        if self.after["q3"] < self.before["q1"]:
            return "less"
        if self.after["q1"] > self.before["q3"]:
            return "more"
        return "cannot tell"


def compare_results(before: Result, after: Result) -> list[Line]:
    """The figures both results have."""
    names = [name_of(result) for result in (before, after)]
    if names[0] != names[1]:
        raise BadInput(f"{names[0]} and {names[1]} are different programs")
    first, second = _figures(before), _figures(after)
    lines = [Line(name, first[name], second[name]) for name in first if name in second]
    if not lines:
        raise BadInput("the two results have no figure in common")
    return lines


def _figures(result: Result) -> dict[str, Mapping[str, Any]]:
    if "bench" in result:
        return {" ".join(path): spread for path, spread in flatten_rows(result["rows"])}
    if "probe" in result:
        return {
            f"{size['size_bytes']} bytes {key}": size[key]
            for key in LOGGP_FIGURES
            for size in result["sizes"]
        }
    if is_program(result):
        return {name: _single(value) for name, value in program_figures(result).items()}
    return {name: variant["total_s"] for name, variant in result["variants"].items()}


def _single(value: float) -> dict[str, Any]:
    return {"median": value, "q1": value, "q3": value, "single": True}


def comparison_table(lines: list[Line]) -> Table:
    """The comparison for a terminal."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("figure")
    for name in ("A", "B", "B / A", "spread"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("B is", no_wrap=True)
    for line in lines:
        row = (line.name, f"{line.before['median']:.4g}", f"{line.after['median']:.4g}")
        table.add_row(*row, f"{line.ratio:.3f}", f"{line.spread:.1%}", line.verdict)
    return table

# SPDX-License-Identifier: BSD-3-Clause
"""Two results of one program: ratios, and verdicts only where the quartiles are apart."""

from collections.abc import Sequence

from plait.errors import BadInput
from plait.results.base import Figure, Result
from plait.results.kinds import kind_of


class Line:
    """One figure in both results: in the one to compare with, and in the one to judge."""

    def __init__(self, first: Figure, second: Figure) -> None:
        self.first, self.second, self.name = first, second, first.name
        self.before, self.after = first.spread, second.spread
        self.single = first.is_of_one_run or second.is_of_one_run

    @property
    def ratio(self) -> float:
        """After by before."""
        before = self.before["median"]
        return self.after["median"] / before if before else float("nan")

    @property
    def spread(self) -> float:
        """The larger of both interquartile ranges, as a share of its median."""
        shares = (
            (s["q3"] - s["q1"]) / s["median"] for s in (self.before, self.after) if s["median"]
        )
        return max(shares, default=0.0)

    @property
    def verdict(self) -> str:
        """Returns `less` or `more`, or `cannot tell` where the quartiles overlap."""
        if self.single:
            return "one run"
        if self.after["q3"] < self.before["q1"]:
            return "less"
        if self.after["q1"] > self.before["q3"]:
            return "more"
        return "cannot tell"


def check_are_of_one_program(results: Sequence[Result]) -> None:
    """Refuses results of different programs: BadInput with the names of two.

    Names that differ in their own number of ranks only are those of one program.
    """
    kinds = [(kind_of(result), result) for result in results]
    first, *others = [
        (kind.program(result), kind.program_on_any_ranks(result)) for kind, result in kinds
    ]
    for other in others:
        if other[0] != first[0] and other[1] != first[1]:
            raise BadInput(f"{first[0]} and {other[0]} are different programs")


def compare_results(before: Result, after: Result) -> list[Line]:
    """The figures both results have."""
    check_are_of_one_program((before, after))
    kinds = [kind_of(result) for result in (before, after)]
    found = {figure.name: figure for figure in kinds[1].figures(after)}
    pairs = [(f, found[f.name]) for f in kinds[0].figures(before) if f.name in found]
    lines = [Line(*pair) for pair in pairs if not all(figure.minor for figure in pair)]
    if not lines:
        raise BadInput("the two results have no figure in common")
    return lines

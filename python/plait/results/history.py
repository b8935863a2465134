# SPDX-License-Identifier: BSD-3-Clause
"""The last of several results that were measured alike, held against those before it."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence

from plait.results.base import Figure, Result, Spread
from plait.results.figures.curves import Curves, Place, rounded_text
from plait.results.kinds import kind_of
from plait.results.several import Named

_FEW = 4  # of fewer values the whole range is the spread
_MOST_CURVES = 8
_READING = """A figure of each result / that of the first, in order of their dates. Bars span the
quartiles of what was measured several times. Of times less is better, of efficiencies and rates
more."""


@dataclasses.dataclass(frozen=True)
class Trend:
    """A figure of the last result beside those of the results before it."""

    last: Figure
    before: Figure  # of the one before
    earlier: tuple[float, ...]  # medians of all before, in order

    @property
    def name(self) -> str:
        """Returns the figure's name."""
        return self.last.name

    @property
    def usual(self) -> float:
        """Returns the median of the results before."""
        return statistics.median(self.earlier)

    @property
    def spread(self) -> float | None:
        """Returns the largest spread that is known, as a share of the usual; None: none is.

        Known are the quartiles of the last result and of the one before, where they were measured
        several times, and the spread between the results before, of several.
        """
        widths = [
            figure.spread["q3"] - figure.spread["q1"]
            for figure in (self.last, self.before)
            if not figure.is_of_one_run
        ]
        if len(self.earlier) > 1:
            widths.append(_width(self.earlier))
        if not widths:
            return None
        return max(widths) / abs(self.usual) if self.usual else 0.0

    def over(self, value: float) -> float | None:
        """Returns the last one by a value; None: by nothing."""
        return self.last.spread["median"] / value if value else None

    @property
    def worse_by(self) -> float:
        """Returns by which share of the usual the last one is worse; negative: better."""
        ratio = self.over(self.usual)
        return 0.0 if ratio is None else self.last.sense * (1.0 - ratio)

    @property
    def verdict(self) -> str:
        """Returns `less` or `more`, `cannot tell` within the spread, `one run` where none is."""
        ratio = self.over(self.usual)
        if self.spread is None:
            return "one run"
        if ratio is None or abs(ratio - 1.0) <= self.spread:
            return "cannot tell"
        return "less" if ratio < 1.0 else "more"

    def got_worse(self, above: float) -> bool:
        """Returns whether it is worse by more than this share, and by more than its spread."""
        return self.worse_by > max(above, self.spread or 0.0)


def _width(values: Sequence[float]) -> float:
    """The interquartile range; of few values all that they span."""
    if len(values) < _FEW:
        return max(values) - min(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def trends_of(results: Sequence[Result]) -> list[Trend]:
    """Returns every figure of the last result that one before has, too; in order of their dates."""
    *earlier, last = [
        {figure.name: figure for figure in kind_of(result).figures(result)} for result in results
    ]
    found = []
    for name, figure in last.items():
        before = [figures[name] for figures in earlier if name in figures]
        if before and not (figure.minor and before[-1].minor):
            medians = tuple(one.spread["median"] for one in before)
            found.append(Trend(figure, before[-1], medians))
    return found


def history_curves(group: Sequence[Named]) -> Curves | None:
    """Returns the figures that tell better from worse, each over its first; None: there are none.

    Of many figures the first eight are drawn.
    """
    results = [one.result for one in group]
    last = kind_of(results[-1]).figures(results[-1])
    judged = [figure.name for figure in last if figure.sense][:_MOST_CURVES]
    of_each = [{f.name: f for f in kind_of(result).figures(result)} for result in results]
    rows = {name: _by_first([figures.get(name) for figures in of_each]) for name in judged}
    rows = {name: row for name, row in rows.items() if any(row)}
    if not rows:
        return None
    return Curves(
        kind_of(results[-1]).heading(results[-1]), "Ratio to the first result", "time",
        [Place(float(index), one.name) for index, one in enumerate(group)], rows, [], rounded_text,
        " ".join(_READING.split()),
    )  # fmt: skip


def _by_first(figures: Sequence[Figure | None]) -> list[Spread | None]:
    first = next((f.spread["median"] for f in figures if f and f.spread["median"]), None)
    if first is None:
        return [None] * len(figures)
    return [f and {q: f.spread[q] / first for q in ("median", "q1", "q3")} for f in figures]

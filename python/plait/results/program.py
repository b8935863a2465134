# SPDX-License-Identifier: BSD-3-Clause
"""A program of somebody's own that uses the library: where the time of its workers went."""

from collections.abc import Sequence

from plait.results.base import Figure, Kind, Result
from plait.results.figures.program import program_figures
from plait.results.schema import at_least_0, count, fields, flag, sequence, text
from plait.results.shapes import LEDGER, PARTS, TIMELINE, TRACE_SUMMARY, result_shape


class Program(Kind):
    """A result of a program of somebody's own."""

    name = "program"
    names_program_in = "application"
    shape = staticmethod(
        result_shape(
            {"application": text, "wall_s": at_least_0, "ledger": LEDGER},
            {"timeline": TIMELINE, "trace_summary": TRACE_SUMMARY, "ranks": count,
             "timeline_is_whole": flag, "events_left_out": count, "meaning": text,
             "ranks_mean": sequence(fields(PARTS, {"wall_s": at_least_0}))},
        )
    )  # fmt: skip

    def figures(self, result: Result) -> list[Figure]:
        """Returns the wall time and the means over all workers."""
        return [
            Figure(name, dict.fromkeys(("median", "q1", "q3"), value), "wall_s", single=True,
                   better="less" if name == "wall" else "")
            for name, value in program_figures(result).items()
        ]  # fmt: skip

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns its own text, of which the page makes a bar per worker, timeline and ledger."""
        from plait.views.html.embedded import data

        return data(result)

# SPDX-License-Identifier: BSD-3-Clause
"""Says what a message leaves to the program that posted it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.results.base import Result
from plait.results.rows import KindOfRows
from plait.results.schema import (
    at_least_0,
    both,
    count,
    count_from_1,
    fields,
    matching,
    one_of,
    text,
)
from plait.results.shapes import cell, result_shape, rows_of, spread_of

if TYPE_CHECKING:
    from rich.console import Console


class Overlap(KindOfRows):
    """A result of `plait measure overlap`."""

    name = "overlap"
    shape = staticmethod(
        result_shape(
            {"bench": text,
             "rows": rows_of(both(cell({"direction": one_of("send", "receive"),
                                        "size_bytes": count_from_1}),
                                  fields({}, {"pieces": count,
                                              "base_us": spread_of(at_least_0)})),
                             matching(r"(send|receive) \S+", "a direction and a size"))},
            environment={"mpi": text},
        )
    )  # fmt: skip

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints the availability by row and case, and the verdict."""
        from plait.views.terminal.overlap import show_overlap

        show_overlap(self.heading(result), result, console)

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns curves against sizes, and the figures."""
        from plait.views.html.kinds.overlap import overlap

        return overlap(self.heading(result), result)

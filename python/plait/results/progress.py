# SPDX-License-Identifier: BSD-3-Clause
"""A sweep that says when the engine should look for messages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.results.base import Result
from plait.results.rows import KindOfRows
from plait.results.schema import at_least_0, both, count_from_1, fields, mapping, positive, text
from plait.results.shapes import cell, result_shape, rows_of, spread_of

if TYPE_CHECKING:
    from rich.console import Console


class Progress(KindOfRows):
    """A result of `plait bench progress`."""

    name = "progress"
    shape = staticmethod(
        result_shape(
            {"bench": text,
             "rows": rows_of(both(cell({"size_bytes": count_from_1, "flights": count_from_1,
                                        "task_s": at_least_0}),
                                  fields({}, {"total_us": spread_of(positive),
                                              "rate_bps": positive})))},
            environment={"mpi": text, "rows_left_out": mapping(text),
                         "cells_left_out": mapping(text)},
        )
    )  # fmt: skip

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints the regret of the default policy, a table a map."""
        from plait.views.terminal.progress import show_progress

        show_progress(self.heading(result), result, console)

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns the regret as heat maps, and every row of every cell."""
        from plait.views.html.kinds.progress import progress

        return progress(self.heading(result), result)

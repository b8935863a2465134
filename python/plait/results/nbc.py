# SPDX-License-Identifier: BSD-3-Clause
"""Says what of a collective operation can be hidden."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.results.base import Result
from plait.results.rows import KindOfRows
from plait.results.schema import both, count, count_from_1, fields, text
from plait.results.shapes import cell, result_shape, rows_of

if TYPE_CHECKING:
    from rich.console import Console


class Nbc(KindOfRows):
    """A result of `plait measure nbc`."""

    name = "nbc"
    shape = staticmethod(
        result_shape(
            {"bench": text,
             "rows": rows_of(both(cell({"op": text, "size_bytes": count_from_1}),
                                  fields({}, {"pieces": count})))},
            environment={"mpi": text},
        )
    )  # fmt: skip

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints a table a case, the processor shares, and what they come to."""
        from plait.views.terminal.overlap import show_nbc

        show_nbc(self.heading(result), result, console)

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns curves against sizes, and the figures."""
        from plait.views.html.kinds.overlap import nbc

        return nbc(self.heading(result), result)

# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark without tables of its own: implementations side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.results.base import Result
from plait.results.rows import KindOfRows
from plait.results.schema import text
from plait.results.shapes import result_shape, rows_of_figures

if TYPE_CHECKING:
    from rich.console import Console


class Benchmark(KindOfRows):
    """A result of a benchmark."""

    name = "benchmark"
    shape = staticmethod(result_shape({"bench": text, "rows": rows_of_figures}))

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints every figure with its quartiles, or medians side by side."""
        from plait.views.terminal.benchmark import show_benchmark

        show_benchmark(self.program(result), result, console)

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns a drawing per case, and the figures."""
        from plait.views.html.kinds.benchmark import benchmark

        return benchmark(self.heading(result), result)

# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations as measured, beside what the model predicts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.results.base import Result
from plait.results.rows import KindOfRows
from plait.results.schema import count_from_1, fields, positive, text
from plait.results.shapes import NETWORK, cell, result_shape, rows_of, spread_of

if TYPE_CHECKING:
    from rich.console import Console


class Collective(KindOfRows):
    """A result of `plait predict collective --measured`."""

    name = "collective"
    shape = staticmethod(
        result_shape(
            {"bench": text, "network": fields({}, NETWORK),
             "rows": rows_of(
                 cell({"op": text, "algorithm": text, "size_bytes": count_from_1},
                      measured_us=spread_of(positive), predicted_us=spread_of(positive)))},
        )
    )  # fmt: skip

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints measured and predicted times, and the errors."""
        from plait.views.terminal.collective import show_collective

        show_collective(self.heading(result), result, console)

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns points on the predicted curves, and the figures."""
        from plait.views.html.kinds.collective import collective

        return collective(self.heading(result), result)

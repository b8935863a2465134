# SPDX-License-Identifier: BSD-3-Clause
"""Says what a collective operation costs, by the model: computed, not measured."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.results.base import Result
from plait.results.rows import KindOfRows
from plait.results.schema import fields, flag, mapping, matching, text
from plait.results.shapes import NETWORK, SPREAD, no_figure, result_shape

if TYPE_CHECKING:
    from rich.console import Console

_SIZE = matching(r"[1-9]\d{0,11}(\.\d{1,9})?([KM]i)?B", "a size such as 4KiB")
_RANKS = matching(r"[1-9]\d{0,11} ranks?", "a number of ranks such as '8 ranks'")
_PREDICTED = fields(
    {"total_us": SPREAD, "processor_us": SPREAD, "network_us": SPREAD},
    {"cheapest": flag, "libnbc": flag},
)


class Prediction(KindOfRows):
    """A result of `plait predict`."""

    name = "prediction"
    shape = staticmethod(
        result_shape(
            {"bench": text,
             "rows": mapping(mapping(mapping(_PREDICTED, 1, _SIZE), 1, _RANKS), 1, no_figure)},
            parameters=fields({"operation": text}, NETWORK),
        )
    )  # fmt: skip

    def heading(self, result: Result) -> str:
        """Says what was predicted."""
        return f"{result['parameters']['operation']}, predicted"

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints what each algorithm costs, and which costs least."""
        from plait.views.terminal.prediction import show_prediction

        show_prediction(self.heading(result), result, console)

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns the curves and the figures."""
        from plait.views.html.kinds.prediction import prediction

        return prediction(self.heading(result), result)

# SPDX-License-Identifier: BSD-3-Clause
"""A run whose variants are the multi-tier KeLP paper's policies, with the paper's columns."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from plait.results.application import Application
from plait.results.base import Result
from plait.results.figures.policies import policy_sentences
from plait.results.figures.rest import rest_sentences
from plait.results.figures.service_core import model_sentences
from plait.results.schema import both

if TYPE_CHECKING:
    from rich.console import Console


def _has_columns(result: dict[str, Any], _where: str) -> Iterator[str]:
    for name, variant in result["variants"].items():
        for member in ("per_iteration_s", "outliers"):
            if member not in variant:
                yield f"variants.{name}.{member} is missing"


class Policies(Application):
    """A result of an application whose variants are policies."""

    name = "policies"
    shape = staticmethod(both(Application.shape, _has_columns))

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints the paper's table, then what limits the policies."""
        from plait.views.terminal.application import show_application
        from plait.views.terminal.policies import policy_table

        show_application(self.heading(result), policy_table(result), self.sentences(result),
                         console)  # fmt: skip

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns the paper's table before what every application has."""
        from plait.views.html.kinds.application import application
        from plait.views.html.kinds.policies import policies, rest

        first = [("Policies", policies(result))]
        if parts := rest(result):
            first.append(("What the rest is", parts))
        return application(self.heading(result), result, self.sentences(result), beside, first)

    def reading(self, result: Result) -> list[str]:
        """Returns how the paper's columns are to be read."""
        return [*policy_sentences(result), *rest_sentences(result), *model_sentences(result)]

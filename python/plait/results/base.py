# SPDX-License-Identifier: BSD-3-Clause
"""Says what every kind of result has in common."""

from __future__ import annotations

import abc
import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from plait.results.schema import Check
from plait.units import figure_text, rate_text, sense_of

if TYPE_CHECKING:  # a check needs nothing but Python itself
    from rich.console import Console

Result = dict[str, Any]
Spread = Mapping[str, Any]
# The parts of a worker's time, by the ledger.
LEDGER_PARTS = ("compute", "posting", "exposed", "overhead", "idle")


@dataclasses.dataclass(frozen=True)
class Figure:
    """A number that two results of a program are compared by."""

    name: str
    spread: Spread
    unit_of: str  # a name that ends in the unit, such as `total_us`
    single: bool = False  # of one run, without quartiles
    minor: bool = False  # not worth a line where it is so in both results
    better: str | None = None  # `less`, `more`, or "" where neither is; None: as its unit tells

    @property
    def is_of_one_run(self) -> bool:
        """Returns whether it has no spread: it was measured once."""
        return self.single or len(self.spread.get("samples") or (0, 0)) == 1

    @property
    def sense(self) -> int:
        """Returns 1 where more is better, -1 where less is, and 0 where neither is."""
        if self.better is None:
            return sense_of(self.unit_of)
        return {"more": 1, "less": -1}.get(self.better, 0)

    def text(self) -> str:
        """The median with its unit."""
        return figure_text(self.unit_of, self.spread["median"])


class Kind(abc.ABC):
    """A kind of result: checks a result of it, compares it and shows it.

    Its views are functions called `show_NAME` in `plait.views.terminal` and `NAME` in
    `plait.views.html.kinds`, each in a module NAME. They are imported where they are shown: a
    reader that only checks files has no `rich`.
    """

    name: ClassVar[str]  # as the member `kind` of a file has it
    names_program_in: ClassVar[str]  # the member that names what was measured
    shape: ClassVar[Check]  # yields a sentence for each thing that is wrong
    views: ClassVar[str] = ""  # the modules with its views, where they have another name

    @abc.abstractmethod
    def figures(self, result: Result) -> list[Figure]:
        """Returns the numbers to compare."""

    def terminal(self, result: Result, console: Console) -> None:
        """Prints tables of at most 80 columns, and the sentences under them."""
        self._view("terminal", f"show_{self.name}")(self.heading(result), result, console)

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns the content of its article on a page that shows the results `beside`."""
        return self._view("html.kinds", self.name)(self.heading(result), result)

    def _view(self, folder: str, function: str) -> Callable[..., Any]:
        module = importlib.import_module(f"plait.views.{folder}.{self.views or self.name}")
        return getattr(module, function)

    def program(self, result: Result) -> str:
        """Returns the name of what was measured."""
        return result[self.names_program_in]

    def program_on_any_ranks(self, result: Result) -> str:
        """Returns the name that builds of one program for other numbers of ranks share."""
        return self.program(result)

    def heading(self, result: Result) -> str:
        """Says in a phrase what was run, and where."""
        parameters, environment = result["parameters"], result["environment"]
        parts = [self.program(result)]
        if size := parameters.get("size"):
            parts.append("×".join(map(str, size)))
        if steps := parameters.get("steps"):
            parts.append(f"{steps} steps")
        if ranks := environment.get("ranks"):
            parts.append(f"{ranks} rank{'s' if ranks != 1 else ''}")
        parts.append(place_of(environment))
        return ", ".join(parts)


def place_of(environment: Mapping[str, Any]) -> str:
    """Says in a phrase on what the ranks ran."""
    if labs := environment.get("labs"):
        return (
            f"{labs[0]['nodes']} nodes at {', '.join(rate_text(lab['rate_bps']) for lab in labs)}"
        )
    if lab := environment.get("lab"):
        return f"{lab['nodes']} nodes at {rate_text(lab['rate_bps'])}"
    hosts = set(environment.get("hosts") or [])
    return f"{len(hosts)} hosts" if len(hosts) > 1 else "shared memory"

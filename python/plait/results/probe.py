# SPDX-License-Identifier: BSD-3-Clause
"""A probe of the architectural probes: figures of stacked bars, measured and modelled."""

from collections.abc import Iterator
from typing import Any

from plait.results.base import Figure, Kind, Result
from plait.results.schema import (
    at_least_0,
    both,
    fields,
    flag,
    mapping,
    number,
    or_null,
    sequence,
    text,
)
from plait.results.shapes import TIMELINE, result_shape, spread_of

_BAR = fields(
    {"name": text, "total_s": spread_of(at_least_0), "parts_s": mapping(number),
     "verified": or_null(flag)},
    {"error": number},
)  # fmt: skip
_GROUP = fields({"name": text, "bars": sequence(_BAR, least=1)})
_FIGURE = fields(
    {"title": text, "parts": sequence(text, least=1), "groups": sequence(_GROUP, least=1)}
)
_MEMBERS = result_shape(
    {"app": text, "figures": sequence(_FIGURE, least=1), "sentences": sequence(text)},
    {"timeline": TIMELINE},
)


def _agrees(result: dict[str, Any], _where: str) -> Iterator[str]:
    """Every bar has the parts of its figure."""
    for number_of_figure, figure in enumerate(result["figures"]):
        for group in figure["groups"]:
            for bar in group["bars"]:
                if list(bar["parts_s"]) != figure["parts"]:
                    yield (f"figures[{number_of_figure}]: {group['name']}, {bar['name']} has other"
                           " parts than its figure")  # fmt: skip


class Probe(Kind):
    """A result of an architectural probe."""

    name = "probe"
    names_program_in = "app"
    shape = staticmethod(both(_MEMBERS, _agrees))

    def figures(self, result: Result) -> list[Figure]:
        """Returns the time of each bar."""
        return [
            Figure(f"{group['name']} {bar['name']}", bar["total_s"], "total_s",
                   single=bar["verified"] is None)
            for figure in result["figures"]
            for group in figure["groups"]
            for bar in group["bars"]
        ]  # fmt: skip

# SPDX-License-Identifier: BSD-3-Clause
"""Says how much slower the variants of an application are on slower links and beside noise."""

from collections.abc import Iterator
from typing import Any

from plait.results.base import Figure, Kind, Result
from plait.results.figures.tolerance import condition_text
from plait.results.schema import (
    at_least_0,
    both,
    count,
    count_from_1,
    fields,
    flag,
    mapping,
    number,
    or_null,
    positive,
    sequence,
    text,
)
from plait.results.shapes import result_shape, spread_of

_CORE = fields(
    {"core": count, "taken_share": at_least_0},
    {"got_share": number, "phase_s": at_least_0, "bursts": count, "skipped": count},
)
_NOISE = fields(
    {"length_s": positive, "period_s": positive, "wanted_share": positive, "priority": text,
     "cores": sequence(_CORE, least=1)}
)  # fmt: skip
_VARIANT = fields(
    {"total_s": spread_of(positive), "verified": flag}, {"slowdown": spread_of(positive)}
)
_CONDITION = fields(
    {"name": text, "rate_bps": positive, "noise": or_null(_NOISE),
     "variants": mapping(_VARIANT, least=1)},
    {"bound_s": or_null(at_least_0), "attainable_s": or_null(at_least_0)},
)  # fmt: skip


def _begins_without_noise(result: dict[str, Any], _where: str) -> Iterator[str]:
    if result["conditions"][0]["noise"]:
        yield "conditions[0].noise is not null"


class Tolerance(Kind):
    """A result of `plait bench tolerance`."""

    name = "tolerance"
    names_program_in = "bench"
    shape = staticmethod(
        both(
            result_shape(
                {"bench": text, "conditions": sequence(_CONDITION, least=1)},
                parameters=fields(
                    {"app": text, "rounds": count_from_1},
                    {"size": sequence(count), "steps": count},
                ),
            ),
            _begins_without_noise,
        )
    )

    def program(self, result: Result) -> str:
        """Returns what was measured of which application."""
        return f"tolerance of {result['parameters']['app']}"

    def figures(self, result: Result) -> list[Figure]:
        """Returns each variant's time under each condition, and how many times as slow it is."""
        found = []
        for condition in result["conditions"]:
            for name, variant in condition["variants"].items():
                place = f"{name} {condition_text(condition)}"
                found.append(Figure(place, variant["total_s"], "total_s"))
                if "slowdown" in variant:
                    found.append(Figure(f"{place} slowdown", variant["slowdown"], "slowdown"))
        return found

# SPDX-License-Identifier: BSD-3-Clause
"""Results that are rows of figures: by implementation, by case, by figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plait.results.base import Figure, Kind, Result
from plait.results.schema import (
    Check,
    at_least_0,
    both,
    count,
    count_from_1,
    fields,
    flag,
    mapping,
    matching,
    one_of,
    positive,
    text,
)
from plait.results.shapes import (
    NETWORK,
    SPREAD,
    cell,
    no_figure,
    result_shape,
    rows_of,
    rows_of_figures,
    spread_of,
)

Cases = dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]]


class KindOfRows(Kind):
    """A result that names a benchmark and has rows."""

    names_program_in = "bench"

    def figures(self, result: Result) -> list[Figure]:
        """Returns every figure of every row."""
        return [
            Figure(" ".join(path), spread, path[-1])
            for path, spread in flatten_rows(result["rows"])
        ]


def flatten_rows(rows: Mapping[str, Any]) -> list[tuple[tuple[str, ...], Any]]:
    """Returns every figure with its path: (implementation, case…, figure)."""
    found: list[tuple[tuple[str, ...], Any]] = []

    def walk(node: object, path: tuple[str, ...]) -> None:
        if isinstance(node, dict) and "median" not in node:
            for key, value in node.items():
                walk(value, (*path, key))
        elif isinstance(node, dict):
            found.append((path, node))

    walk(rows, ())
    return found


def cases_of_rows(result: Result) -> Cases:
    """Returns, by case and figure, the spread of each implementation."""
    cases: Cases = {}
    for path, spread in flatten_rows(result["rows"]):
        cases.setdefault(path[1:], []).append((path[0], spread))
    return cases


def _shape(rows: Check, members: dict[str, Check] | None = None, **about: Any) -> Any:  # noqa: ANN401
    return staticmethod(result_shape({"bench": text, "rows": rows, **(members or {})}, **about))


class Benchmark(KindOfRows):
    """A result of a benchmark without tables of its own: implementations side by side."""

    name = "benchmark"
    shape = _shape(rows_of_figures)


class Collective(KindOfRows):
    """A result of `plait predict collective --measured`: measured beside predicted times."""

    name = "collective"
    shape = _shape(
        rows_of(cell({"op": text, "algorithm": text, "size_bytes": count_from_1},
                     measured_us=spread_of(positive), predicted_us=spread_of(positive))),
        {"network": fields({}, NETWORK)},
    )  # fmt: skip


class Nbc(KindOfRows):
    """A result of `plait measure nbc`: what of a collective operation can be hidden."""

    name = "nbc"
    views = "overlap"
    shape = _shape(
        rows_of(both(cell({"op": text, "size_bytes": count_from_1}),
                     fields({}, {"pieces": count}))),
        environment={"mpi": text},
    )  # fmt: skip


class Overlap(KindOfRows):
    """A result of `plait measure overlap`: what a message leaves to the program that posted it."""

    name = "overlap"
    shape = _shape(
        rows_of(both(cell({"direction": one_of("send", "receive"), "size_bytes": count_from_1}),
                     fields({}, {"pieces": count, "base_us": spread_of(at_least_0)})),
                matching(r"(send|receive) \S+", "a direction and a size")),
        environment={"mpi": text},
    )  # fmt: skip


_SIZE = matching(r"[1-9]\d{0,11}(\.\d{1,9})?([KM]i)?B", "a size such as 4KiB")
_RANKS = matching(r"[1-9]\d{0,11} ranks?", "a number of ranks such as '8 ranks'")
_PREDICTED = fields(
    {"total_us": SPREAD, "processor_us": SPREAD, "network_us": SPREAD},
    {"cheapest": flag, "libnbc": flag},
)


class Prediction(KindOfRows):
    """A result of `plait predict`: costs by the model, which are not measured."""

    name = "prediction"
    shape = _shape(
        mapping(mapping(mapping(_PREDICTED, 1, _SIZE), 1, _RANKS), 1, no_figure),
        parameters=fields({"operation": text}, NETWORK),
    )

    def heading(self, result: Result) -> str:
        """Says what was predicted."""
        return f"{result['parameters']['operation']}, predicted"


class Progress(KindOfRows):
    """A result of `plait bench progress`: when the engine should look for messages."""

    name = "progress"
    shape = _shape(
        rows_of(both(cell({"size_bytes": count_from_1, "flights": count_from_1,
                           "task_s": at_least_0}),
                     fields({}, {"total_us": spread_of(positive), "rate_bps": positive}))),
        environment={"mpi": text, "rows_left_out": mapping(text), "cells_left_out": mapping(text)},
    )  # fmt: skip

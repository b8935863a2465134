# SPDX-License-Identifier: BSD-3-Clause
"""A run of one of plait's applications: its variants, held against what overlap can reach."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from plait.results.base import Figure, Kind, Result
from plait.results.figures.application import (
    overhead_sentences,
    policy_sentence,
    reordering_sentences,
)
from plait.results.figures.bounds import bound_sentences
from plait.results.figures.hiding import (
    beaten_sentences,
    gain_sentences,
    slower_sentences,
    worker_sentences,
)
from plait.results.figures.rest import REST
from plait.results.figures.service_core import SERVICE_CORE, of_nodes, service_core_sentences
from plait.results.figures.speedup import prediction_sentence
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
from plait.results.shapes import LEDGER, PARTS, TIMELINE, TRACE_SUMMARY, result_shape, spread_of

if TYPE_CHECKING:
    from rich.console import Console

_COLUMN = fields({"median": number, "mean": number})
_SLOWER = fields(
    {"total_s": number, "transport_s": or_null(at_least_0), "proxy_s": or_null(at_least_0)}
)
_OWN_LIMITS = fields(
    {"ideal": text, "computation_s": spread_of(positive), "bound_s": at_least_0,
     "attainable_s": positive, "ratio_to_ideal": number}
)  # fmt: skip
_DEVICE = fields(
    {"to_host_s": at_least_0, "to_device_s": at_least_0, "host_cpu_s": at_least_0,
     "host_sleeps": at_least_0}
)  # fmt: skip
_VARIANT = fields(
    {"total_s": spread_of(positive), "verified": flag, **PARTS},
    {"ratio_to_base": or_null(number), "max_error": or_null(number), "ledger": or_null(LEDGER),
     "iterations": or_null(count), "workers": count, "processes": count, "outliers": count,
     "computes_as_base": flag, "slower_computation": or_null(_SLOWER), "own_limits": _OWN_LIMITS,
     "gflops": positive, "communication_overhead_s": number, "tile": or_null(count_from_1),
     "device": _DEVICE, "rest": or_null(REST), "binding": text,
     "per_iteration_s": fields({"total": fields({"median": positive, "mean": positive}),
                                "wait": _COLUMN, "comp": _COLUMN})},
)  # fmt: skip
_ITERATION = fields(
    {"ranks": count_from_1, "base_s": positive, "overlapped_s": positive, "pipelined_s": positive,
     "computation_s": number, "exchange_s": number, "reduction_s": number},
)  # fmt: skip
_PREDICTION = both(_ITERATION, fields({"over_ranks": sequence(_ITERATION, least=1)}))
_DEALING = fields(
    {"sent_bytes": at_least_0, "busiest_rank_bytes": at_least_0, "messages": count,
     "imbalance_rows": positive, "imbalance_nonzeros": positive}
)  # fmt: skip
_TRAFFIC = fields(
    {"dealing": text, "bytes": sequence(sequence(at_least_0), least=1),
     "dealings": mapping(_DEALING, least=1)}
)  # fmt: skip
_MEASURED_ALONE = or_null(spread_of(or_null(at_least_0)))
_MEMBERS = result_shape(
    {"app": text, "variants": mapping(_VARIANT, least=1), "bound_s": or_null(at_least_0),
     "attainable_s": or_null(at_least_0)},
    {"communication_s": _MEASURED_ALONE, "computation_s": _MEASURED_ALONE,
     "transport_cpu_s": _MEASURED_ALONE, "transport_look_s": or_null(at_least_0),
     "wire_bound_s": or_null(at_least_0), "beats_attainable": sequence(text),
     "computation_from": mapping(count_from_1), "bound_by_round_s": _MEASURED_ALONE,
     "attainable_by_round_s": _MEASURED_ALONE,
     "hidden_fraction": or_null(mapping(or_null(number))), "limiter": or_null(text),
     "prediction": _PREDICTION, "traffic": _TRAFFIC, "timeline": TIMELINE,
     "service_core": SERVICE_CORE, "device": fields({"bus_s": at_least_0, "bound_s": positive}),
     "trace_summary": TRACE_SUMMARY,
     "kernel": or_null(fields({}, {"bytes_per_s": number,
                                   "fraction_of_bandwidth": or_null(number)}))},
    parameters=fields(
        {"steps": count, "repeat": count},
        {"size": sequence(count), "outliers": text, "processes_per_node": count,
         "cells_per_node": sequence(count_from_1)},
    ),
    environment={"ranks": count},
)  # fmt: skip


def _agrees(result: dict[str, Any], _where: str) -> Iterator[str]:
    """Complains where what one part of the result takes from another is not there."""
    variants = result["variants"]
    for name in result.get("timeline") or {}:
        if name not in variants:
            yield f"timeline.{name} is of no variant"
    for index, name in enumerate(result.get("beats_attainable") or ()):
        if name not in variants:
            yield f"beats_attainable[{index}] is of no variant"
    if traffic := result.get("traffic"):
        if traffic["dealing"] not in traffic["dealings"]:
            yield "traffic.dealing is none of traffic.dealings"
        if any(len(row) != len(traffic["bytes"]) for row in traffic["bytes"]):
            yield "traffic.bytes is no square"
    if "prediction" in result and "size" not in result["parameters"]:
        yield "parameters.size is missing"


class Application(Kind):
    """A result of an application."""

    name = "application"
    names_program_in = "app"
    shape = staticmethod(both(_MEMBERS, _agrees))

    def figures(self, result: Result) -> list[Figure]:
        """Returns the time of each variant."""
        return [
            Figure(name, variant["total_s"], "total_s")
            for name, variant in result["variants"].items()
        ]

    def terminal(self, result: Result, console: "Console") -> None:
        """Prints a row per variant, then what limits them."""
        from plait.views.terminal.application import show_application, variants_table

        show_application(self.heading(result), variants_table(result), self.sentences(result),
                         console)  # fmt: skip

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns the breakdown, an iteration, the figures and the ledger."""
        from plait.views.html.kinds.application import application

        return application(self.heading(result), result, self.sentences(result), beside)

    def sentences(self, result: Result) -> list[str]:
        """Returns what the table cannot say: the bounds, and what limits the rest."""
        lines = [*gain_sentences(result), *self.reading(result), *bound_sentences(result)]
        lines += overhead_sentences(result)
        lines += [*beaten_sentences(result), *slower_sentences(result)]
        if "prediction" in result:
            lines.append(prediction_sentence(result))
        lines += reordering_sentences(result)
        if limiter := result.get("limiter"):
            lines.append(f"limit: {limiter}")
        return [*lines, *policy_sentence(result)]

    def reading(self, result: Result) -> list[str]:
        """Returns how the rows of the table are to be read."""
        return service_core_sentences(result) if of_nodes(result) else worker_sentences(result)

# SPDX-License-Identifier: BSD-3-Clause
"""What each kind of result file holds: all that a table, a page or a comparison reads of it."""

from collections.abc import Iterator
from typing import Any

from plait.schema import (
    Check,
    anything,
    at_least_0,
    both,
    count,
    count_from_1,
    fields,
    flag,
    mapping,
    matching,
    number,
    one_of,
    or_null,
    positive,
    sequence,
    text,
)

KINDS = ("compute", "posting", "exposed", "overhead", "idle")
# What is known of each size that `plait measure loggp` measured.
LOGGP_FIGURES = ("prtt_1_0_s", "prtt_n_0_s", "prtt_n_d_s", "receiving_s",
                 "gap_s", "send_overhead_s", "receive_overhead_s")  # fmt: skip


def _spread(of: Check) -> Check:
    return fields(dict.fromkeys(("median", "q1", "q3"), of))


_SPREAD = _spread(number)
_PARTS = {f"{kind}_s": number for kind in KINDS}

# --- what several kinds share -------------------------------------------------------------------

_LAB = fields(
    {"nodes": count, "rate_bps": positive},
    {"delay_s": at_least_0, "cores": sequence(sequence(count))},
)
_ENVIRONMENT = {
    "ranks": or_null(count), "lab": or_null(_LAB), "labs": or_null(sequence(_LAB, least=1)),
    "policy_chosen": or_null(text), "policy_reason": or_null(text), "started_at": or_null(text),
    "commit": or_null(text),
    "link_rate_Bps": or_null(at_least_0), "hosts": or_null(sequence(text)),
}  # fmt: skip
_SHOWN_ALIKE = fields({}, {name: _ENVIRONMENT[name] for name in ("lab", "link_rate_Bps")})
_LEDGER = sequence(
    fields(
        {"rank": count, "worker": count, **_PARTS},
        {"wall_s": or_null(at_least_0), "balance_error": or_null(number)},
    )
)
_EVENT = fields(
    {"rank": count, "lane": text, "name": text, "kind": one_of(*KINDS, "message"),
     "start_us": number, "end_us": number},
    {"sent": flag, "critical": flag},
)  # fmt: skip
_TIMELINE = or_null(mapping(sequence(_EVENT)))
_TRACE_SUMMARY = or_null(
    mapping(
        fields(
            {"span_s": number, "overlapped_s": number, "limit": text,
             "path": fields({f"{kind}_s": number for kind in ("total", "message", *KINDS)})},
            {"busy_s": or_null(number), "wire_s": or_null(number)},
        )
    )
)  # fmt: skip


_OBJECT = fields({})


def _result(
    members: dict[str, Check], optional: dict[str, Check] | None = None,
    parameters: Check = _OBJECT, environment: dict[str, Check] | None = None,
) -> Check:  # fmt: skip
    own = environment or {}
    shared = {name: check for name, check in _ENVIRONMENT.items() if name not in own}
    about = {"parameters": both(parameters, _SHOWN_ALIKE), "environment": fields(own, shared)}
    return fields({**about, **members}, optional)


# --- applications -------------------------------------------------------------------------------

_COLUMN = fields({"median": number, "mean": number})
_SLOWER = fields(
    {"total_s": number, "transport_s": or_null(at_least_0), "proxy_s": or_null(at_least_0)}
)
_OWN_LIMITS = fields(
    {"ideal": text, "computation_s": _spread(positive), "bound_s": at_least_0,
     "attainable_s": positive, "ratio_to_ideal": number}
)  # fmt: skip
_VARIANT = fields(
    {"total_s": _spread(positive), "verified": flag, **_PARTS},
    {"ratio_to_base": or_null(number), "max_error": or_null(number), "ledger": or_null(_LEDGER),
     "iterations": or_null(count), "workers": count, "processes": count, "outliers": count,
     "computes_as_base": flag, "slower_computation": or_null(_SLOWER), "own_limits": _OWN_LIMITS,
     "per_iteration_s": fields({"total": fields({"median": positive, "mean": positive}),
                                "wait": _COLUMN, "comp": _COLUMN})},
)  # fmt: skip
_ITERATION = fields(
    {"ranks": count_from_1, "base_s": positive, "overlapped_s": positive, "pipelined_s": positive,
     "computation_s": number, "exchange_s": number, "reduction_s": number},
)  # fmt: skip
_PREDICTION = both(_ITERATION, fields({"over_ranks": sequence(_ITERATION, least=1)}))
_MEASURED_ALONE = or_null(_spread(or_null(at_least_0)))
_APP_MEMBERS = _result(
    {"app": text, "variants": mapping(_VARIANT, least=1), "bound_s": or_null(at_least_0),
     "attainable_s": or_null(at_least_0)},
    {"communication_s": _MEASURED_ALONE, "computation_s": _MEASURED_ALONE,
     "transport_cpu_s": _MEASURED_ALONE, "transport_look_s": or_null(at_least_0),
     "wire_bound_s": or_null(at_least_0), "beats_attainable": sequence(text),
     "hidden_fraction": or_null(mapping(or_null(number))), "limiter": or_null(text),
     "prediction": _PREDICTION, "timeline": _TIMELINE, "trace_summary": _TRACE_SUMMARY,
     "kernel": or_null(fields({}, {"bytes_per_s": number,
                                   "fraction_of_bandwidth": or_null(number)}))},
    parameters=fields(
        {"steps": count, "repeat": count},
        {"size": sequence(count), "outliers": text, "processes_per_node": count},
    ),
    environment={"ranks": count},
)  # fmt: skip


def _app_agrees(result: dict[str, Any], _where: str) -> Iterator[str]:
    """What one part of an application's result takes from another is there."""
    variants = result["variants"]
    for name in result.get("timeline") or {}:
        if name not in variants:
            yield f"timeline.{name} is of no variant"
    for index, name in enumerate(result.get("beats_attainable") or ()):
        if name not in variants:
            yield f"beats_attainable[{index}] is of no variant"
    if "prediction" in result and "size" not in result["parameters"]:
        yield "parameters.size is missing"
    with_columns = ["per_iteration_s" in variant for variant in variants.values()]
    for name, variant in variants.items() if all(with_columns) else ():
        if "outliers" not in variant:
            yield f"variants.{name}.outliers is missing"


# --- benchmarks and what is like them -----------------------------------------------------------


def _cell(remarks: dict[str, Check], **figures: Check) -> Check:
    """Figures with their spreads, and what else is said of a case; other figures may be there."""
    return both(fields({**remarks, **figures}), _figures_and_remarks)


def _figures_and_remarks(cell: dict[str, Any], where: str) -> Iterator[str]:
    """A figure has its unit in its name."""
    for name, value in cell.items():
        if isinstance(value, dict) or (value is not None and name.endswith(("_us", "_percent"))):
            yield from _SPREAD(value, f"{where}.{name}")


def _rows_of_figures(value: object, where: str, depth: int = 0) -> Iterator[str]:
    """Figures by implementation and case, however deep; what is not an object is a remark."""
    if not isinstance(value, dict):
        if depth < 2:
            yield f"{where} is not an object"
    elif (depth == 0 and not value) or (depth < 2 and "median" in value):
        yield f"{where} is {'a figure' if value else 'empty'}"
    elif "median" in value:
        yield from _SPREAD(value, where)
    else:
        for name, each in value.items():
            yield from _rows_of_figures(each, f"{where}.{name}", depth + 1)


def _no_figure(name: str, where: str) -> Iterator[str]:
    """Who looks for figures takes what has a median for one."""
    if name == "median":
        yield f"{where} is a figure"


def _rows_of(cell: Check, case: Check = anything) -> Check:
    return mapping(mapping(cell, key=both(_no_figure, case)), least=1, key=_no_figure)


_NETWORK = dict.fromkeys(
    ("latency_s", "send_overhead_s", "receive_overhead_s", "gap_s", "gap_per_byte_s",
     "overhead_per_byte_s", "both_ways_per_byte_s", "reduction_per_byte_s", "copy_per_byte_s",
     "eager_limit_bytes"), or_null(number),
)  # fmt: skip
_SIZE = matching(r"[1-9]\d{0,11}(\.\d{1,9})?([KM]i)?B", "a size such as 4KiB")
_RANKS = matching(r"[1-9]\d{0,11} ranks?", "a number of ranks such as '8 ranks'")
_PREDICTED = fields(
    {"total_us": _SPREAD, "processor_us": _SPREAD, "network_us": _SPREAD},
    {"cheapest": flag, "libnbc": flag},
)
_BENCHES = {
    "predict": _result(
        {"rows": mapping(mapping(mapping(_PREDICTED, 1, _SIZE), 1, _RANKS), 1, _no_figure)},
        parameters=fields({"operation": text}, _NETWORK),
    ),
    "collective": _result(
        {"network": fields({}, _NETWORK),
         "rows": _rows_of(_cell({"op": text, "algorithm": text, "size_bytes": count_from_1},
                                measured_us=_spread(positive), predicted_us=_spread(positive)))},
    ),
    "nbc": _result(
        {"rows": _rows_of(both(_cell({"op": text, "size_bytes": count_from_1}),
                               fields({}, {"pieces": count})))},
        environment={"mpi": text},
    ),
    "overlap": _result(
        {"rows": _rows_of(both(_cell({"direction": one_of("send", "receive"),
                                      "size_bytes": count_from_1}),
                               fields({}, {"pieces": count, "base_us": _spread(at_least_0)})),
                          matching(r"(send|receive) \S+", "a direction and a size"))},
        environment={"mpi": text},
    ),
    "progress": _result(
        {"rows": _rows_of(both(_cell({"size_bytes": count_from_1, "flights": count_from_1,
                                      "task_s": at_least_0}),
                               fields({}, {"total_us": _spread(positive), "rate_bps": positive})))},
        environment={"mpi": text, "rows_left_out": mapping(text), "cells_left_out": mapping(text)},
    ),
}  # fmt: skip
_BENCH = _result({"bench": text, "rows": _rows_of_figures})

# --- the probe, and programs of somebody's own --------------------------------------------------

_SEGMENT = fields(
    {"first_bytes": positive, "last_bytes": positive, "gap_s": number, "gap_per_byte_s": number,
     "line": fields(dict.fromkeys(("at_zero_s", "per_byte_s", "residual_s"), number))},
    {"bandwidth_Bps": or_null(number)},
)  # fmt: skip
_MEASURED_SIZE = fields({"size_bytes": count_from_1, **dict.fromkeys(LOGGP_FIGURES, _SPREAD)})
_LOGGP = _result(
    {"fit": fields({"latency_s": number, "send_overhead_s": number, "receive_overhead_s": number,
                    "segments": sequence(_SEGMENT, least=1)},
                   {"remarks": or_null(sequence(text))}),
     "sizes": sequence(_MEASURED_SIZE, least=1)},
    {"link": or_null(fields({"payload_Bps": positive, "burst_bytes": at_least_0,
                             "bandwidth_Bps": or_null(number), "ratio": or_null(number)}))},
    parameters=fields({}, {"bursts": or_null(count)}),
)  # fmt: skip
_PROGRAM = _result(
    {"application": text, "wall_s": at_least_0, "ledger": _LEDGER},
    {"timeline": _TIMELINE, "trace_summary": _TRACE_SUMMARY, "ranks": count,
     "timeline_is_whole": flag, "events_left_out": count},
)  # fmt: skip


def shape_of(result: dict[str, Any]) -> Check | None:
    """What a result of this kind holds; none for a kind that is not known."""
    if result.get("kind") == "program":
        return _PROGRAM
    if "bench" in result:
        return _BENCHES.get(str(result["bench"]), _BENCH)
    if "probe" in result:
        return _LOGGP if result["probe"] == "loggp" else None
    return both(_APP_MEMBERS, _app_agrees) if "app" in result else None

# SPDX-License-Identifier: BSD-3-Clause
"""Shapes that several kinds of result share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plait.results.base import LEDGER_PARTS
from plait.results.schema import (
    Check,
    anything,
    at_least_0,
    both,
    count,
    fields,
    flag,
    mapping,
    number,
    one_of,
    or_null,
    positive,
    sequence,
    text,
)


def spread_of(of: Check) -> Check:
    """Accepts a spread of such values."""
    return fields(dict.fromkeys(("median", "q1", "q3"), of))


SPREAD = spread_of(number)
PARTS = {f"{kind}_s": number for kind in LEDGER_PARTS}

_LAB = fields(
    {"nodes": count, "rate_bps": positive},
    {
        "delay_s": at_least_0,
        "cores": sequence(sequence(count)),
        "segments_sent_again": count,
        "timeouts": count,
    },
)
_ENVIRONMENT = {
    "ranks": or_null(count), "lab": or_null(_LAB), "labs": or_null(sequence(_LAB, least=1)),
    "policy_chosen": or_null(text), "policy_reason": or_null(text), "started_at": or_null(text),
    "commit": or_null(text), "transport_settings": or_null(text),
    "windows": or_null(text), "windows_reason": or_null(text),
    "link_rate_Bps": or_null(at_least_0), "hosts": or_null(sequence(text)),
}  # fmt: skip
_SHOWN_ALIKE = fields({}, {name: _ENVIRONMENT[name] for name in ("lab", "link_rate_Bps")})
LEDGER = sequence(
    fields(
        {"rank": count, "worker": count, **PARTS},
        {"wall_s": or_null(at_least_0), "balance_error": or_null(number)},
    )
)
_EVENT = fields(
    {"rank": count, "lane": text, "name": text, "kind": one_of(*LEDGER_PARTS, "message"),
     "start_us": number, "end_us": number},
    {"sent": flag, "critical": flag},
)  # fmt: skip
TIMELINE = or_null(mapping(sequence(_EVENT)))
TRACE_SUMMARY = or_null(
    mapping(
        fields(
            {"span_s": number, "overlapped_s": number, "limit": text,
             "path": fields({f"{kind}_s": number for kind in ("total", "message", *LEDGER_PARTS)})},
            {"busy_s": or_null(number), "wire_s": or_null(number)},
        )
    )
)  # fmt: skip


_OBJECT = fields({})


def result_shape(
    members: dict[str, Check], optional: dict[str, Check] | None = None,
    parameters: Check = _OBJECT, environment: dict[str, Check] | None = None,
) -> Check:  # fmt: skip
    """Accepts parameters and environment, which every kind has, and these members."""
    own = environment or {}
    shared = {name: check for name, check in _ENVIRONMENT.items() if name not in own}
    about = {"parameters": both(parameters, _SHOWN_ALIKE), "environment": fields(own, shared)}
    return fields({**about, **members}, optional)


# --- rows of figures ----------------------------------------------------------------------------


def cell(remarks: dict[str, Check], **figures: Check) -> Check:
    """Figures with their spreads, and what else is said of a case; other figures may be there."""
    return both(fields({**remarks, **figures}), _figures_and_remarks)


def _figures_and_remarks(cell: dict[str, Any], where: str) -> Iterator[str]:
    """A figure has its unit in its name."""
    for name, value in cell.items():
        if isinstance(value, dict) or (value is not None and name.endswith(("_us", "_percent"))):
            yield from SPREAD(value, f"{where}.{name}")


def rows_of_figures(value: object, where: str, depth: int = 0) -> Iterator[str]:
    """Figures by implementation and case, however deep; what is not an object is a remark."""
    if not isinstance(value, dict):
        if depth < 2:
            yield f"{where} is not an object"
    elif (depth == 0 and not value) or (depth < 2 and "median" in value):
        yield f"{where} is {'a figure' if value else 'empty'}"
    elif "median" in value:
        yield from SPREAD(value, where)
    else:
        for name, each in value.items():
            yield from rows_of_figures(each, f"{where}.{name}", depth + 1)


def no_figure(name: str, where: str) -> Iterator[str]:
    """Refuses the name `median`: a search for figures takes an object that has one for a figure."""
    if name == "median":
        yield f"{where} is a figure"


def rows_of(cell: Check, case: Check = anything) -> Check:
    """Accepts rows of such cells, by implementation and by case."""
    return mapping(mapping(cell, key=both(no_figure, case)), least=1, key=no_figure)


NETWORK = dict.fromkeys(
    ("latency_s", "send_overhead_s", "receive_overhead_s", "gap_s", "gap_per_byte_s",
     "overhead_per_byte_s", "both_ways_per_byte_s", "reduction_per_byte_s", "copy_per_byte_s",
     "eager_limit_bytes"), or_null(number),
)  # fmt: skip

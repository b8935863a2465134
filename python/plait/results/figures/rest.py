# SPDX-License-Identifier: BSD-3-Clause
"""The rest of a policy's time: what it waits for, part by part, as the KeLP paper estimates it."""

from __future__ import annotations

from typing import Any

from plait.results.base import Result
from plait.results.schema import at_least_0, fields, number, or_null, positive
from plait.units import seconds_text

PARTS = {
    "computation_s": "computation",
    "threads_s": "imbalance between threads",
    "annulus_s": "annulus",
    "posting_s": "posting",
    "nodes_s": "imbalance between nodes",
    "lag_s": "phase lag",
    "transfer_s": "messages on their way",
    "polling_s": "polling",
}
REST = fields(
    {**dict.fromkeys(PARTS, number), "sum_share": positive, "drift_share": at_least_0,
     "largest_lag_s": number, "proxy_utilisation": or_null(at_least_0)}
)  # fmt: skip

_LEAST_DRIFT = 1e-4


def policies_with_rest(result: Result) -> dict[str, dict[str, Any]]:
    """Returns the rest of each policy that overlaps messages and whose parts were noted."""
    return {
        name: variant["rest"]
        for name, variant in result["variants"].items()
        if variant.get("rest") and "OLAP" in name and "!OLAP" not in name
    }


def lost_after(rest: dict[str, Any]) -> float | None:
    """Returns the iterations after which nothing is hidden any more, as the text estimates it.

    The lag between neighbours grows by the drift in every iteration, and messages need the share
    of an iteration that the proxy is busy.  Nothing where there is no proxy or no drift.
    """
    busy, drift = rest["proxy_utilisation"], rest["drift_share"]
    if busy is None or drift < _LEAST_DRIFT:
        return None
    return max(0.0, 1 - busy) / drift


def rest_sentences(result: Result) -> list[str]:
    """Says of each policy that overlaps messages what its time goes to."""
    lines = []
    for name, rest in policies_with_rest(result).items():
        total = result["variants"][name]["per_iteration_s"]["total"]["median"]
        parts = ", ".join(f"{said} {seconds_text(rest[key], 3)}" for key, said in PARTS.items())
        line = f"{name}, of {seconds_text(total, 4)} an iteration: {parts}"
        line += f" (together {rest['sum_share']:.1%}); neighbours drift apart by"
        line += f" {rest['drift_share']:.1%} of an iteration"
        if rest["proxy_utilisation"] is not None:
            line += f"; the proxy is busy {rest['proxy_utilisation']:.0%} of the time"
        if (iterations := lost_after(rest)) is not None:
            line += f"; if the drift added up, no overlap were left after {iterations:.0f}"
        lines.append(line)
    return lines

# SPDX-License-Identifier: BSD-3-Clause
"""Says what each algorithm of a collective operation costs, by the model, and which costs least."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from plait.results.base import Result
from plait.units import seconds_text, size_text


@dataclasses.dataclass(frozen=True)
class Cost:
    """Holds what one call costs by one algorithm."""

    algorithm: str
    ranks: str  # "8 ranks"
    size: str  # "4KiB"
    total_s: float
    processor_s: float
    network_s: float
    cheapest: bool  # of all algorithms of the operation
    libnbc: bool  # LibNBC takes it


def costs_of(result: Result) -> list[Cost]:
    """Every figure, by ranks, size and algorithm."""
    found = [
        Cost(
            algorithm, ranks, size,
            *(cell[f"{part}_us"]["median"] / 1e6 for part in ("total", "processor", "network")),
            cheapest=bool(cell.get("cheapest")), libnbc=bool(cell.get("libnbc")),
        )
        for algorithm, by_ranks in result["rows"].items()
        for ranks, by_size in by_ranks.items()
        for size, cell in by_size.items()
    ]  # fmt: skip
    cases = list(dict.fromkeys((cost.ranks, cost.size) for cost in found))
    return sorted(found, key=lambda cost: cases.index((cost.ranks, cost.size)))


def network_text(parameters: Mapping[str, Any]) -> str:
    """The parameters that are not zero, with the symbols of docs/internals/model.md."""
    words = []
    for symbol, name, unit in (
        ("L", "latency_s", ""),
        ("o_s", "send_overhead_s", ""),
        ("o_r", "receive_overhead_s", ""),
        ("g", "gap_s", ""),
        ("G", "gap_per_byte_s", "/byte"),
        ("O", "overhead_per_byte_s", "/byte"),
        ("G₂", "both_ways_per_byte_s", "/byte"),
        ("γ", "reduction_per_byte_s", "/byte"),
        ("κ", "copy_per_byte_s", "/byte"),
    ):
        if parameters.get(name) or symbol in ("L", "g", "G"):
            words.append(f"{symbol} {seconds_text(parameters.get(name) or 0)}{unit}")
    if limit := parameters.get("eager_limit_bytes"):
        words.append(f"S {size_text(limit)}")
    return ", ".join(words)

# SPDX-License-Identifier: BSD-3-Clause
"""A prediction as a table: what each algorithm costs, and which costs least."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plait.result import Result
from plait.units import seconds_text


@dataclasses.dataclass(frozen=True)
class Cost:
    """What one call costs by one algorithm."""

    algorithm: str
    ranks: str  # "8 ranks"
    size: str  # "4KiB"
    total_s: float
    processor_s: float
    network_s: float
    cheapest: bool  # of all algorithms of the operation
    libnbc: bool  # LibNBC takes it


def is_prediction(result: Result) -> bool:
    """Whether it comes from `plait predict`."""
    return result.get("bench") == "predict"


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
    """The parameters that are not zero, with the symbols of docs/model.md."""
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
        words.append(f"S {limit:g} bytes")
    return ", ".join(words)


def prediction_heading(result: Result) -> str:
    """What was predicted, in one phrase."""
    return f"{result['parameters']['operation']}, predicted"


def show_prediction(result: Result, console: Console) -> None:
    """Total, the processor's and the network's part, of each algorithm; the least is marked."""
    console.print(Text(prediction_heading(result), style="bold"))
    console.print(network_text(result["parameters"]))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("ranks", no_wrap=True)
    table.add_column("size", no_wrap=True)
    table.add_column("algorithm", no_wrap=True)
    for name in ("total", "processor", "network"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    before = ("", "")
    for cost in costs_of(result):
        case = (cost.ranks, cost.size)
        table.add_row(
            *(("", "") if case == before else case),
            cost.algorithm,
            *(seconds_text(each) for each in (cost.total_s, cost.processor_s, cost.network_s)),
            ", ".join(
                word for word, said in (("least", cost.cheapest), ("LibNBC", cost.libnbc)) if said
            ),
            style="bold" if cost.cheapest else None,
        )
        before = case
    console.print(table)

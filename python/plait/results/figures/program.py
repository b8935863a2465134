# SPDX-License-Identifier: BSD-3-Clause
"""A program of somebody's own: where the time of each worker went, as its library told."""

from typing import Any

from plait.results.base import LEDGER_PARTS, Result
from plait.results.figures.application import policy_sentence

# With more workers than this, the mean says more than a list.
MOST_LISTED = 16


def program_figures(result: Result) -> dict[str, float]:
    """The wall time, and the means over all workers, in seconds."""
    ledger = result["ledger"]
    mean = mean_row(ledger) if ledger else {}
    means = {f"{kind}, mean": mean[f"{kind}_s"] for kind in LEDGER_PARTS if mean}
    return {"wall": result["wall_s"], **means}


def mean_row(ledger: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean over workers, as a row of the ledger."""
    keys = [f"{kind}_s" for kind in LEDGER_PARTS]
    return {key: sum(row[key] for row in ledger) / len(ledger) for key in keys} | {
        "wall_s": sum(row.get("wall_s") or sum(row[key] for key in keys) for row in ledger)
        / len(ledger)
    }


def program_sentences(result: Result) -> list[str]:
    """Returns what the table cannot say: how long workers waited, and who looked after messages."""
    lines = []
    mean = mean_row(result["ledger"]) if result["ledger"] else {}
    wall_s = sum(mean[f"{kind}_s"] for kind in LEDGER_PARTS if mean)
    if wall_s > 0:
        lines.append(
            f"of its time a worker waits {mean['exposed_s'] / wall_s:.1%} for messages and computes"
            f" {mean['compute_s'] / wall_s:.1%}"
        )
    return [*lines, *policy_sentence(result)]

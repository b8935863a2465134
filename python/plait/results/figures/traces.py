# SPDX-License-Identifier: BSD-3-Clause
"""Says what a trace comes to: its critical path, and what perfect overlap would leave."""

from typing import Any

from plait.results.figures.bounds import overlapped_text
from plait.units import seconds_text


def trace_sentences(name: str, summary: dict[str, Any]) -> list[str]:
    """The critical path of a variant, and what could be gained."""
    shares = ", ".join(
        f"{what} {share:.0%}" for what, share in path_shares(summary).items() if share >= 0.005
    )
    return [
        f"{name}: critical path {seconds_text(summary['path']['total_s'])}: {shares}",
        f"{summary['limit']}; {overlapped_text(summary)}",
    ]


def path_shares(summary: dict[str, Any]) -> dict[str, float]:
    """Returns what a critical path went to, in words."""
    path = summary["path"]
    whole = path["total_s"] or 1.0
    groups = {
        "compute": ("compute",),
        "messages": ("message",),
        "waiting": ("exposed", "idle"),
        "runtime": ("posting", "overhead"),
    }
    return {
        name: sum(path[f"{kind}_s"] for kind in kinds) / whole for name, kinds in groups.items()
    }

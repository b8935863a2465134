# SPDX-License-Identifier: BSD-3-Clause
"""Computes what communication costs beside computation, in seconds, as LibNBC's slides draw it."""

from plait.results.base import Result
from plait.units import seconds_text


def overhead_sentences(result: Result) -> list[str]:
    """Returns the communication overhead of each variant that states it."""
    overheads = {
        name: variant["communication_overhead_s"]
        for name, variant in result["variants"].items()
        if "communication_overhead_s" in variant and name != "ideal"
    }
    if not overheads:
        return []
    base = overheads.get("blocking")
    parts = []
    for name, seconds in overheads.items():
        share = f" ({seconds / base:.2f})" if base and base > 0 and name != "blocking" else ""
        parts.append(f"{name} {seconds_text(seconds)}{share}")
    of_blocking = " (of blocking's)" if base and base > 0 and len(parts) > 1 else ""
    return [f"communication overhead{of_blocking}: {', '.join(parts)}"]

# SPDX-License-Identifier: BSD-3-Clause
"""Says what some applications add: costs of messages, ways of dealing rows, rates, policies."""

from typing import Any

from plait.results.base import Result
from plait.units import seconds_text, size_text


def overhead_sentences(result: Result) -> list[str]:
    """Returns what communication costs each variant beside computation, as LibNBC draws it."""
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


_WORTH_SAYING = 0.99  # what is sent otherwise, of what is sent now


def reordering_sentences(result: Result) -> list[str]:
    """Returns a line where ways of dealing rows differ in what a product sends."""
    traffic = result.get("traffic")
    if not traffic:
        return []
    sent = {name: one["sent_bytes"] for name, one in traffic["dealings"].items()}
    used, least = traffic["dealing"], min(sent, key=lambda name: sent[name])
    line = f"a product sends {size_text(sent[used])} with rows dealt {used}"
    if sent[least] < _WORTH_SAYING * sent[used]:
        return [f"{line}; dealt {least} it would send {size_text(sent[least])},"
                f" {sent[least] / sent[used]:.0%} of that"]  # fmt: skip
    most = max(sent, key=lambda name: sent[name])
    if sent[used] < _WORTH_SAYING * sent[most]:
        return [f"{line}, {sent[used] / sent[most]:.0%} of what {most} would send"]
    return []


def has_rates(result: Result) -> bool:
    """Returns whether variants state their rate."""
    return any("gflops" in variant for variant in result["variants"].values())


def gflops_text(variant: dict[str, Any]) -> str:
    """Returns the rate of a variant in Gflop/s, empty where it states none."""
    return f"{variant['gflops']:.2f}" if "gflops" in variant else ""


def policy_sentence(result: Result) -> list[str]:
    """Returns a sentence with the chosen policy and the reason, where a result tells."""
    environment = result["environment"]
    chosen, reason = environment.get("policy_chosen"), environment.get("policy_reason")
    if not chosen:
        return []
    return [f"progress: {chosen}" + (f" ({reason})" if reason else "")]

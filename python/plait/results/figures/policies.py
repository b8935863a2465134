# SPDX-License-Identifier: BSD-3-Clause
"""The table of the multi-tier KeLP paper: milliseconds per iteration of each policy."""

from typing import Any

from plait.results.base import Result

COLUMNS = {"total": "Total", "wait": "Wait", "comp": "Comp"}


def quoted(result: Result) -> str:
    """Names the figure of a column that is quoted: `mean`, without outliers as in the paper, or
    `median`.
    """
    return "mean" if result["parameters"].get("outliers") == "kelp" else "median"


def milliseconds(variant: dict[str, Any], column: str, figure: str) -> str:
    """A column of a policy, to three figures or to the microsecond."""
    value = 1e3 * variant["per_iteration_s"][column][figure]
    return f"{value:.0f}" if value >= 999.5 else f"{value:.{2 if value >= 9.9995 else 3}f}"


def ratio_to_hand(result: Result, variant: dict[str, Any]) -> str:
    """Of the totals quoted; empty where HAND did not run."""
    hand = result["variants"].get("HAND")
    if hand is None:
        return ""
    own, base = (v["per_iteration_s"]["total"][quoted(result)] for v in (variant, hand))
    return f"{own / base:.3f}"


def policy_sentences(result: Result) -> list[str]:
    """Says how the columns are to be read, and what the bounds below them are bounds of."""
    lines = [_what_is_quoted(result)]
    per_node = result["parameters"].get("processes_per_node", 1)
    if per_node > 1:
        lines.append(
            f"HAND, IDEAL and MT(1) without XTRA and DYN run {per_node} processes a node,"
            " the others one; computation alone, and so the bound, is that of all processes,"
            " a thread each: nothing is said of what the others hide"
        )
    elif any(variant.get("workers", 1) > 1 for variant in result["variants"].values()):
        lines.append(
            "computation alone, and so the bound, is that of one thread a node:"
            " nothing is said of what policies with more hide"
        )
    return [*lines, *_bindings(result)]


def _bindings(result: Result) -> list[str]:
    """Says of each policy with two sets of threads where these run."""
    return [
        f"{name}: binding of its two sets of threads {variant['binding']}"
        for name, variant in result["variants"].items()
        if "IRR" in name and "binding" in variant
    ]


def _what_is_quoted(result: Result) -> str:
    repeat = result["parameters"]["repeat"]
    if quoted(result) == "median":
        return f"medians of {repeat} runs, each the maximum over nodes"
    dropped = sum(variant["outliers"] for variant in result["variants"].values())
    without = f"{dropped} outliers" if dropped != 1 else "1 outlier"
    return f"means of {repeat} runs without {without}, each the maximum over nodes"

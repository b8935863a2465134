# SPDX-License-Identifier: BSD-3-Clause
"""Says what a result says of hiding: of which variants, and what else changes their times."""

from typing import Any

from plait.results.base import Result
from plait.results.figures.service_core import of_nodes
from plait.units import seconds_text

# Of computation alone; what is less is not worth a word.
_WORTH_A_WORD = 0.02
# The gain of a variant that does not compute as base does.
REUSE = "cache reuse that tasks make easy, no hiding"


def hidden_text(result: Result, name: str) -> str:
    """The hidden fraction of a variant; empty where the formula says nothing of it."""
    fraction = (result.get("hidden_fraction") or {}).get(name)
    return f"{fraction:.2f}" if fraction is not None else ""


def own_ideal_text(variant: dict[str, Any]) -> str:
    """Its ratio to an ideal of its own; empty where it has none."""
    own = variant.get("own_limits")
    return f"{own['ratio_to_ideal']:.3f}" if own else ""


def with_own_ideal(result: Result) -> dict[str, dict[str, Any]]:
    """The variants that compute otherwise than base, and are held against an ideal of their own."""
    return {name: v for name, v in result["variants"].items() if v.get("own_limits")}


def reusing_the_cache(result: Result) -> dict[str, dict[str, Any]]:
    """Those of them that have base's processes: what they gain is no hiding."""
    nodes = of_nodes(result)
    return {name: v for name, v in with_own_ideal(result).items() if name not in nodes}


def gain_sentences(result: Result) -> list[str]:
    """Says what `plait` gains by hiding, then what the variant that reuses the cache gains.

    Empty where no variant reuses the cache.
    """
    reusing = reusing_the_cache(result)
    lines = []
    plait = result["variants"].get("plait")
    if reusing and plait is not None:
        line = f"hiding: {_beside_base('plait', plait)}"
        if text := hidden_text(result, "plait"):
            line += f" and hides {text} of what can be hidden"
        lines.append(line)
    for name, variant in reusing.items():
        own = variant["own_limits"]
        lines.append(
            f"{REUSE}: {_beside_base(name, variant)},"
            f" {own['ratio_to_ideal']:.3f} of its own ideal's ({own['ideal']}); its bound"
            f" {seconds_text(own['bound_s'], 4)}, attainable {seconds_text(own['attainable_s'], 4)}"
        )
    return lines


def _beside_base(name: str, variant: dict[str, Any]) -> str:
    ratio = variant.get("ratio_to_base")
    if ratio is None:
        return f"{name} takes {seconds_text(variant['total_s']['median'], 4)}"
    return f"{name} takes {ratio:.3f} of base's time"


def beaten_bounds(result: Result) -> dict[str, float]:
    """By variant, by what share of `attainable` its median is below it, beyond its spread."""
    beaten = {}
    for name in result.get("beats_attainable") or []:
        variant = result["variants"][name]
        attainable = (variant.get("own_limits") or result).get("attainable_s")
        if attainable:
            beaten[name] = 1 - variant["total_s"]["median"] / attainable
    return beaten


def beaten_sentences(result: Result) -> list[str]:
    """That a bound was measured too high, where a variant beats it."""
    return [
        f"{name} beats attainable by {100 * share:.0f} %: the bound was measured too high here"
        for name, share in beaten_bounds(result).items()
    ]


def slower_s(variant: dict[str, Any]) -> float:
    """Returns by how much its computation takes longer than alone; 0 where unknown or negative."""
    slower = variant.get("slower_computation")
    return max(slower["total_s"], 0.0) if slower else 0.0


def slower_parts(variant: dict[str, Any]) -> str:
    """Returns what explains that its computation is slower."""
    slower = variant["slower_computation"]
    parts = []
    if slower["transport_s"] is not None:
        parts.append(f"transport {seconds_text(slower['transport_s'])}")
    if slower["proxy_s"] is not None:
        parts.append(f"proxy thread {seconds_text(slower['proxy_s'])}")
    return f"of it {', '.join(parts)}" if parts else ""


def slower_sentences(result: Result) -> list[str]:
    """Whose computation is slower beside messages, by how much, and what explains it."""
    said = []
    has_proxy = False
    for name, variant in result["variants"].items():
        excess = slower_s(variant)
        if excess <= _WORTH_A_WORD * (variant["compute_s"] - excess):
            continue
        parts = slower_parts(variant)
        has_proxy = has_proxy or variant["slower_computation"]["proxy_s"] is not None
        said.append(f"{name} {seconds_text(excess)}" + (f" ({parts})" if parts else ""))
    if not said:
        return []
    line = (
        f"computation slower beside messages: {', '.join(said)}; the rest: caches, other programs"
    )
    return [line + ("; a proxy's time contains transport work" if has_proxy else "")]


def worker_sentences(result: Result) -> list[str]:
    """That nothing is said of what variants with more threads than base hide."""
    if any(variant.get("workers", 1) > 1 for variant in result["variants"].values()):
        return [
            "computation alone, and so the bound, is that of one thread a process:"
            " nothing is said of what variants with more hide"
        ]
    return []

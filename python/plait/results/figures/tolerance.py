# SPDX-License-Identifier: BSD-3-Clause
"""Computes what `plait bench tolerance` comes to: how much slower each variant is, and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from plait.results.base import Result, Spread
from plait.results.figures.progress import quantile
from plait.units import rate_text, seconds_text, tick_text

Condition = dict[str, Any]
# Shares that are counted and wanted may differ by so much: of the wanted one, and at all.
_FAR_OFF, _LEAST_OFF = 0.25, 0.005
# A loss that is not above this share of the time says nothing about another one.
_LEAST_LOSS = 0.01


def spread_of_samples(samples: Sequence[float]) -> dict[str, Any]:
    """Returns the spread of at least one sample."""
    quartiles = {name: quantile(samples, q) for name, q in (("q1", 0.25), ("q3", 0.75))}
    return {"median": quantile(samples, 0.5), **quartiles, "samples": list(samples)}


def times_as_slow(spread: Spread, reference: Spread) -> dict[str, float]:
    """Returns median and quartiles of a time by the median of another one."""
    return {name: spread[name] / reference["median"] for name in ("median", "q1", "q3")}


def at_rates(result: Result) -> list[Condition]:
    """Returns the conditions without noise; the first is what all are held against."""
    return [each for each in result["conditions"] if not each["noise"]]


def beside_noise(result: Result) -> list[Condition]:
    """Returns the conditions with noise."""
    return [each for each in result["conditions"] if each["noise"]]


def variant_names(result: Result) -> list[str]:
    """Returns the names of all variants, in order."""
    return list(dict.fromkeys(name for each in result["conditions"] for name in each["variants"]))


def condition_text(condition: Condition) -> str:
    """Returns the link's rate, or the noise as LENGTH/PERIOD."""
    noise = condition["noise"]
    if not noise:
        return rate_text(condition["rate_bps"])
    length, period = (tick_text(noise[f"{name}_s"]) for name in ("length", "period"))
    return f"{length}/{period}".replace(" ", "")


def slowdown_of(condition: Condition, name: str) -> Spread | None:
    """Returns how many times as slow a variant is; None where it is not known."""
    return condition["variants"].get(name, {}).get("slowdown")


def tolerance_sentences(result: Result) -> list[str]:
    """Returns what noise was made and what it costs each variant, and who did not verify."""
    lines = [_noise_sentence(each) for each in beside_noise(result)]
    lines += filter(None, (_loss_sentence(each) for each in beside_noise(result)))
    return [*lines, *_unverified_sentences(result)]


def _noise_sentence(condition: Condition) -> str:
    noise = condition["noise"]
    shares = [f"{noise['wanted_share']:.2%} wanted"]
    for member, meaning in (
        ("got_share", "by a counting thread before the job"),
        ("taken_share", "by the kernel's account in the job"),
    ):
        found = [core[member] for core in noise["cores"] if member in core]
        if found:
            shares.append(f"{_range_text(found)} {meaning}")
    doubt = ""
    if any(_is_far_off(core.get("got_share"), noise["wanted_share"]) for core in noise["cores"]):
        doubt = "; something else ran on these cores, or kept the noise from them"
    return f"noise {condition_text(condition)}: {', '.join(shares)} ({noise['priority']}){doubt}"


def _is_far_off(share: float | None, wanted: float) -> bool:
    off = abs(share - wanted) if share is not None else 0.0
    return off > max(_LEAST_OFF, _FAR_OFF * wanted)


def _range_text(shares: Sequence[float]) -> str:
    least, most = f"{min(shares):.2%}", f"{max(shares):.2%}"
    return least if least == most else f"{least} to {most}"


def _loss_sentence(condition: Condition) -> str | None:
    slower = {
        name: variant for name, variant in condition["variants"].items() if "slowdown" in variant
    }
    if not slower:
        return None
    base = _loss(slower.pop("base")) if "base" in slower else None
    parts = [f"base loses {base.text()}"] if base else []
    for name, variant in slower.items():
        loss = _loss(variant)
        of_base = ""
        if base is not None and base.share > _LEAST_LOSS:
            of_base = f", {loss.share / base.share:.2f} of that"
        parts.append(f"{name} {loss.text()}{of_base}")
    return f"beside {condition_text(condition)}: {'; '.join(parts)}"


@dataclasses.dataclass(frozen=True)
class _Loss:
    """The cost of noise to a variant."""

    share: float  # of its time without noise
    time_s: float

    def text(self) -> str:
        return f"{self.share:.1%} ({seconds_text(self.time_s)})"


def _loss(variant: dict[str, Any]) -> _Loss:
    ratio = variant["slowdown"]["median"]
    return _Loss(ratio - 1, variant["total_s"]["median"] * (1 - 1 / ratio))


def _unverified_sentences(result: Result) -> list[str]:
    return [
        f"NOT VERIFIED: {name} at {condition_text(each)}"
        for each in result["conditions"]
        for name, variant in each["variants"].items()
        if not variant["verified"]
    ]

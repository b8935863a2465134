# SPDX-License-Identifier: BSD-3-Clause
"""Says what the model says of an application's iteration, beside what was measured."""

from plait.results.base import Result
from plait.units import seconds_text

# The model's name of each prediction, and the variants that it predicts.
PREDICTED = {
    "blocking": ("base_s", ("base",)),
    "overlapped": ("overlapped_s", ("olap", "plait")),
    "pipelined": ("pipelined_s", ("pipelined",)),
}


def iteration_s(result: Result, variant: str) -> float:
    """An iteration of a variant, in seconds."""
    measured = result["variants"][variant]
    iterations = measured.get("iterations") or result["parameters"]["steps"] or 1
    return measured["total_s"]["median"] / iterations


def prediction_sentence(result: Result) -> str:
    """Returns what the model says of an iteration, beside what was measured."""
    predicted = result["prediction"]
    base_s = predicted["base_s"]
    line = f"the model: an iteration of base {seconds_text(base_s)}"
    measured = result["variants"]
    if "base" in measured:
        line += f" (measured {seconds_text(iteration_s(result, 'base'))})"
    for name, (key, variants) in list(PREDICTED.items())[1:]:
        line += f", {name} {predicted[key] / base_s:.3f} of it"
        ratios = [
            f"{v} {measured[v]['ratio_to_base']:.3f}"
            for v in variants
            if v in measured and measured[v].get("ratio_to_base") is not None
        ]
        if ratios:
            line += f" ({', '.join(ratios)})"
    return line

# SPDX-License-Identifier: BSD-3-Clause
"""Spreads of samples, made by hand."""

from typing import Any


def spread(median: float, width: float = 0.02) -> dict[str, Any]:
    samples = [median * (1 + width * k) for k in (-1, -0.5, 0, 0.5, 1)]
    return {"median": median, "q1": samples[1], "q3": samples[3], "samples": samples}


def exactly(value: float) -> dict[str, Any]:
    return {"median": value, "q1": value, "q3": value, "samples": [value]}

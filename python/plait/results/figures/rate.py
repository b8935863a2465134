# SPDX-License-Identifier: BSD-3-Clause
"""The rate of an application that states one."""

from typing import Any

from plait.results.base import Result


def has_rates(result: Result) -> bool:
    """Returns whether variants state their rate."""
    return any("gflops" in variant for variant in result["variants"].values())


def gflops_text(variant: dict[str, Any]) -> str:
    """Returns the rate of a variant in Gflop/s, empty where it states none."""
    return f"{variant['gflops']:.2f}" if "gflops" in variant else ""

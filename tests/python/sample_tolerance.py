# SPDX-License-Identifier: BSD-3-Clause
"""A result as `plait bench tolerance` writes it; made by hand."""

from typing import Any

from sample_spreads import spread

# Seconds at 1 Gbit/s without noise; and how many times as long under each condition.
QUIET = {"base": 0.4, "olap": 0.32, "plait": 0.25, "ideal": 0.2}
TIMES = {
    "1gbit": {"base": 1.0, "olap": 1.0, "plait": 1.0, "ideal": 1.0},
    "500mbit": {"base": 1.5, "olap": 1.375, "plait": 1.08, "ideal": 1.0},
    "2.5ms/100ms": {"base": 1.04, "olap": 1.032, "plait": 1.03, "ideal": 1.024},
    "10ms/100ms": {"base": 1.2, "olap": 1.16, "plait": 1.12, "ideal": 1.1},
}


def noise(length_s: float) -> dict[str, Any]:
    share = length_s / 0.1
    cores = [
        {"core": core, "phase_s": 0.05 * core, "bursts": 40, "skipped": 0,
         "taken_share": share * (1 + 0.004 * core), "got_share": share * (1 + 0.02 * core)}
        for core in (0, 1)
    ]  # fmt: skip
    return {"length_s": length_s, "period_s": 0.1, "wanted_share": share, "priority": "real-time",
            "wall_s": 4.0, "cores": cores, "of_rounds": []}  # fmt: skip


def condition(name: str) -> dict[str, Any]:
    lengths_s = {"2.5ms/100ms": 0.0025, "10ms/100ms": 0.01}
    return {
        "name": name,
        "rate_bps": 500_000_000 if name == "500mbit" else 1_000_000_000,
        "noise": noise(lengths_s[name]) if name in lengths_s else None,
        "bound_s": 0.2, "attainable_s": 0.21,
        "variants": {
            variant: {
                "total_s": spread(QUIET[variant] * times),
                "slowdown": {k: v for k, v in spread(times).items() if k != "samples"},
                "verified": True,
            }
            for variant, times in TIMES[name].items()
        },
    }  # fmt: skip


def tolerance_result() -> dict[str, Any]:
    return {
        "schema": "plait-result/1",
        "kind": "tolerance",
        "bench": "tolerance",
        "parameters": {"app": "hpl", "size": [2000], "nb": 128, "grid": [1, 2], "repeat": 5,
                       "rounds": 1, "options": ["--n", "2000"]},
        "environment": {
            "commit": "0123456789ab", "compiler": "GNU 12.2.0", "mpi": "openmpi", "ranks": 2,
            "labs": [{"nodes": 2, "rate_bps": rate} for rate in (1_000_000_000, 500_000_000)],
        },
        "conditions": [condition(name) for name in TIMES],
    }  # fmt: skip

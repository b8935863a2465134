# SPDX-License-Identifier: BSD-3-Clause
"""A result of each kind, made by hand: `SAMPLES` has them by name."""

from sample_applications import (
    TOTALS,
    poisson_result,
    policies_result,
    program_result,
    reconstruction_result,
    result,
    spmv_result,
    tiles_result,
)
from sample_attach import attach_result
from sample_networks import (
    bench_result,
    collective_result,
    loggp_result,
    nbc_result,
    overlap_result,
    predict_result,
    progress_result,
)
from sample_probes import ft_probe_result, probe_result
from sample_simulation import loggops_result, simulation_result
from sample_spreads import spread
from sample_tolerance import tolerance_result

__all__ = [
    "SAMPLES",
    "TOTALS",
    "attach_result",
    "bench_result",
    "collective_result",
    "ft_probe_result",
    "loggops_result",
    "loggp_result",
    "nbc_result",
    "overlap_result",
    "poisson_result",
    "policies_result",
    "predict_result",
    "probe_result",
    "program_result",
    "progress_result",
    "reconstruction_result",
    "result",
    "simulation_result",
    "spmv_result",
    "spread",
    "tiles_result",
    "tolerance_result",
]

SAMPLES = {
    "application": result,
    "tiles": tiles_result,
    "reconstruction": reconstruction_result,
    "policies": policies_result,
    "poisson": poisson_result,
    "spmv": spmv_result,
    "benchmark": bench_result,
    "loggp": loggp_result,
    "loggp of a link": lambda: loggp_result(1e8, 131072),
    "nbc": nbc_result,
    "progress": progress_result,
    "overlap": lambda: overlap_result({"8B": 90.0, "64KiB": 10.0, "1MiB": 0.0}, 50, 80),
    "collective": collective_result,
    "prediction": predict_result,
    "probe": probe_result,
    "ft-probe": ft_probe_result,
    "program": program_result,
    "attach": attach_result,
    "tolerance": tolerance_result,
    "simulation": simulation_result,
    "simulation of a GOAL file": loggops_result,
}

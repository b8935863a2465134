# SPDX-License-Identifier: BSD-3-Clause
"""Results as architectural probes write them; made by hand."""

from typing import Any

from sample_applications import result
from sample_spreads import exactly, spread


def probe_result() -> dict[str, Any]:
    """A probe as spmv-probe writes it: measured bars, and a model beside them."""
    parts = ["prefetch_init_s", "pipeline_init_s", "comm_sync_s", "barrier_s",
             "local_computation_s", "remote_dependent_computation_s"]  # fmt: skip
    shares = [0.01, 0.02, 0.4, 0.02, 0.27, 0.28]
    measured = [
        {"name": f"{row} a row",
         "bars": [
             {"name": name, "total_s": spread(total),
              "parts_s": {part: total * share for part, share in zip(parts, shares)},
              "verified": True, "algorithm": name, "eta": None if name == "B" else 1}
             for name, total in {"B": 0.1 + row / 1e3, "G": 0.08, "S": 0.081}.items()
         ]}
        for row in (25, 100)
    ]  # fmt: skip
    modelled = [
        {"name": "M", "error": -0.04, "total_s": exactly(0.077), "verified": None,
         "parts_s": {"computation_s": 0.05, "exposed_communication_s": 0.027}},
        {"name": "A", "total_s": spread(0.08), "verified": True,
         "parts_s": {"computation_s": 0.051, "exposed_communication_s": 0.029}},
    ]  # fmt: skip
    return {
        "schema": "plait-result/1", "kind": "probe", "app": "spmv-probe",
        "parameters": {"preset": "ratio", "rows": 1000000, "repeat": 5},
        "environment": result()["environment"],
        "figures": [
            {"title": "Bulk, Gather and Scatter", "parts": parts, "groups": measured},
            {"title": "Model", "parts": ["computation_s", "exposed_communication_s"],
             "groups": [{"name": "25 a row", "bars": modelled}]},
        ],
        "sentences": ["25 a row: G eta 1 takes 0.750 of B"],
    }  # fmt: skip


def ft_probe_result() -> dict[str, Any]:
    """A probe as ft-probe writes it: Exchange, Slabs and Pencils, and their model."""
    parts = ["local_computation_s", "comm_init_s", "comm_sync_s", "barrier_s"]

    def bar(name: str, scale: float, total: float) -> dict[str, Any]:
        busy = 0.07 * scale
        times = [busy, 0.01, 0.9 * (total - busy - 0.01), 0.1 * (total - busy - 0.01)]
        return {
            "name": name, "total_s": spread(total), "parts_s": dict(zip(parts, times)),
            "verified": True, "way": "put", "algorithm": name, "scale": scale, "transformed": 512,
            "circumstance": f"R=512 N=8192, scale {scale}", "max_error": 1e-13,
            "error_bound": 1e-11, "bound_s": 0.28,
            "network": {"overhead_s": 2e-6, "gap_s": 3e-6, "gap_per_byte_s": 8.5e-9},
        }  # fmt: skip

    measured = [
        {"name": f"scale {scale}",
         "bars": [bar("E", scale, 0.29 + 0.07 * scale), bar("S", scale, 0.29),
                  bar("64", scale, 0.3), bar("P", scale, 0.31)]}
        for scale in (0.0, 0.5, 1.0, 4.0)
    ]  # fmt: skip
    actual = {"local_computation_s": 0.07, "comm_init_s": 0.01, "wait_s": 0.21}
    modelled = [
        {"name": "M", "error": 0.034, "total_s": exactly(0.3), "verified": None,
         "parts_s": actual | {"wait_s": 0.22}},
        {"name": "A", "total_s": spread(0.29), "verified": True, "parts_s": actual},
    ]  # fmt: skip
    return probe_result() | {
        "app": "ft-probe",
        "parameters": {"preset": "many-small", "ways": ["put"], "algorithms": ["exchange", "slabs"],
                       "shapes": ["R=512 N=8192"], "ratios": [], "repeat": 5},
        "figures": [
            {"title": "By put, R=512 N=8192", "parts": parts, "groups": measured},
            {"title": "Model and measurement: pencils by put, R=512 N=8192", "parts": list(actual),
             "groups": [{"name": "scale 1", "bars": modelled}]},
        ],
        "sentences": ["put, R=512 N=8192, scale 1: of Exchange's time slabs 0.806; best is slabs"],
    }  # fmt: skip

# SPDX-License-Identifier: BSD-3-Clause
"""Results as benchmarks, network probes and predictions write them; made by hand."""

from typing import Any

from sample_spreads import exactly, spread


def bench_result() -> dict[str, Any]:
    def row(one: float, two: float) -> dict[str, Any]:
        return {
            "workers_1": {"ns_per_task": spread(one)},
            "workers_2": {"ns_per_task": spread(two)},
        }

    return {
        "schema": "plait-result/1",
        "kind": "benchmark",
        "bench": "task_overhead",
        "parameters": {"tasks": 100000, "chains": 64},
        "environment": {"commit": "0123456789ab", "compiler": "GNU 12.2.0"},
        "rows": {"plait": row(180, 210), "openmp": row(390, 590), "starpu": row(5800, 6100)},
    }


def loggp_result(link_rate_Bps: float = 0.0, link_burst_bytes: int = 0) -> dict[str, Any]:
    """A network of two protocols; with a link, one more segment beyond its burst."""

    def segment(first: int, last: int, gap_s: float, per_byte_s: float) -> dict[str, Any]:
        return {
            "first_bytes": first, "last_bytes": last, "gap_s": gap_s, "gap_per_byte_s": per_byte_s,
            "bandwidth_Bps": 1 / per_byte_s, "overhead_per_byte_s": 0.1e-9,
            "line": {"at_zero_s": gap_s - per_byte_s, "per_byte_s": per_byte_s,
                     "residual_s": 0.3e-6},
        }  # fmt: skip

    segments = [segment(1, 12289, 2e-6, 1e-9), segment(13313, 31745, 9e-6, 2e-9)]
    sizes = [1 + 1024 * i for i in range(32)]
    link = None
    if link_rate_Bps:
        far = [link_burst_bytes * (8 + i) // 4 for i in range(9)]
        sizes += far
        segments.append(segment(far[0], far[-1], 1e-6, 1.001 / link_rate_Bps))
        link = {"payload_Bps": link_rate_Bps, "burst_bytes": link_burst_bytes,
                "bandwidth_Bps": link_rate_Bps / 1.001, "ratio": 1 / 1.001}  # fmt: skip

    def measured(size: int) -> dict[str, Any]:
        of = next(s["line"] for s in segments if size <= s["last_bytes"])
        gap_s = of["at_zero_s"] + of["per_byte_s"] * size
        times = {"prtt_1_0_s": 20e-6 + 2 * gap_s, "prtt_n_0_s": 20e-6 + 11 * gap_s,
                 "prtt_n_d_s": 200e-6 + 20 * gap_s, "receiving_s": 190e-6 + 19 * gap_s,
                 "gap_s": gap_s, "send_overhead_s": 1e-6, "receive_overhead_s": 1.5e-6}  # fmt: skip
        return {"size_bytes": size, "delay_s": times["prtt_1_0_s"],
                **{key: spread(value) for key, value in times.items()}}  # fmt: skip

    return {
        "schema": "plait-result/1",
        "kind": "loggp",
        "probe": "loggp",
        "parameters": {"bursts": 10, "repeat": 5, "sizes": len(sizes), "largest_bytes": sizes[-1]},
        "environment": {"commit": "0123456789ab", "mpi": "openmpi", "ranks": 2,
                        "hosts": ["n0", "n1"], "started_at": "2026-01-01T00:00:00Z"},
        "fit": {"latency_s": -0.4e-6, "send_overhead_s": 1e-6, "receive_overhead_s": 1.5e-6,
                "segments": segments,
                "remarks": ["L came out at -4e-07 s: sender and receiver work at the same time"]},
        "link": link,
        "verification": {"verified": True, "messages_checked": 100, "bytes_checked": 1000},
        "sizes": [measured(size) for size in sizes],
        "floods": [{"size_bytes": 65536, "messages": 128, "ratio": 1.25,
                    "one_way_gap_per_byte_s": spread(2e-9),
                    "both_ways_gap_per_byte_s": spread(2.5e-9)}],
    }  # fmt: skip


def _rows_result(name: str, rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": "plait-result/1", "kind": {"predict": "prediction"}.get(name, name),
        "bench": name, "parameters": {"repeat": 5},
        "environment": {"mpi": "openmpi", "ranks": 2, "started_at": "2026-01-01T00:00:00Z"},
        "rows": rows,
    }  # fmt: skip


def progress_result() -> dict[str, Any]:
    """Of `plait bench progress`: two lengths of a task, two sizes, one and eight in flight."""
    rows: dict[str, Any] = {}
    # Of each cell, in ms: attainable, blocking, hand, plait auto, plait every 3000us.
    measured = {
        (0.0001, 65536, 1): (4.0, 5.0, 4.4, 4.4, 4.5),
        (0.0, 65536, 1): (4.0, 5.0, 5.0, 5.5, 4.8),
        (0.0001, 1 << 20, 1): (20.0, 30.0, 25.0, 24.0, 25.0),
        (0.0, 1 << 20, 1): (20.0, 30.0, 29.0, 21.0, 20.0),
        (0.0001, 65536, 8): (8.0, 12.0, 10.0, 10.2, 11.0),
    }
    names = ("attainable", "blocking", "hand", "plait auto", "plait every 3000us")
    for (task_s, size, flights), totals_ms in measured.items():
        about = {"size_bytes": size, "flights": flights, "task_s": task_s, "steps": 4}
        task, label = "100us" if task_s else "whole", "1MiB" if size > 65536 else "64KiB"
        for name, total_ms in zip(names, totals_ms):
            rows.setdefault(name, {})[f"{label} x{flights} {task}"] = {
                "total_us": spread(1e3 * total_ms),
                **about,
            }
    answer = _rows_result("progress", rows)
    answer["environment"] |= {
        "lab": {"nodes": 2, "rate_bps": 1000000000},
        "rows_left_out": {"plait dedicated": "1 worker on 1 core: none is free"},
        "cells_left_out": {"8MiB x8 whole": "a step takes 0.56 s"},
    }
    return answer


def nbc_result() -> dict[str, Any]:
    """All-to-all at two sizes: nothing hidden by MPI, most of it by plait, which slows the work."""
    remarks = {"op": "alltoall", "pieces": 16, "steps": 3}
    sizes = {"alltoall 64KiB": 65536, "alltoall 1MiB": 1048576}

    def way(wall: float, osu: float) -> dict[str, Any]:
        return {
            case: {
                "overhead_us": spread(8900 * (1 - wall / 100)),
                "overhead_percent": spread(100 - wall),
                "confirmed_overlap_percent": spread(wall), "osu_overlap_percent": spread(osu),
                "imb_documents_percent": spread(osu), "imb_code_percent": spread(osu),
                "blocking_us": spread(8900), "computation_us": spread(8960),
                **remarks, "size_bytes": size,
            }
            for case, size in sizes.items()
        }  # fmt: skip

    def shares(percent: float) -> dict[str, Any]:
        return {
            case: {"processor_percent": spread(percent), **remarks, "size_bytes": size}
            for case, size in sizes.items()
        }

    alone = {
        case: {"communication_us": spread(8900), "computation_us": spread(8960), **remarks,
               "size_bytes": size}
        for case, size in sizes.items()
    }  # fmt: skip
    alone["alltoall 1MiB"] |= {
        "transport_cpu_us": spread(1246), "transport_percent": spread(14),
        "attainable_overlap_percent": spread(86),
    }  # fmt: skip
    return _rows_result("nbc", {
        "alone": alone, "blocking": way(0, 0), "nonblocking": way(-1, 2),
        "nonblocking tested": way(41, 48), "plait auto": way(81, 92),
        "processor, 2 ranks": shares(99.6), "processor, 4 ranks": shares(99.2),
    })  # fmt: skip


def overlap_result(own: dict[str, float], tested: float, ours: float) -> dict[str, Any]:
    """Availability of MPI by size label; that of the other rows is the same at every size."""
    sizes = {"8B": 8, "64KiB": 65536, "1MiB": 1048576}

    def row(available: dict[str, float]) -> dict[str, Any]:
        return {
            f"{direction} {label}": {
                "availability_percent": spread(available[label]), "base_us": spread(9000),
                "work_us": spread(8000), "size_bytes": sizes[label], "direction": direction,
                "pieces": 16,
            }
            for direction in ("send", "receive") for label in own
        }  # fmt: skip

    return _rows_result("overlap", {
        "nonblocking": row(own), "nonblocking tested": row(dict.fromkeys(own, tested)),
        "plait auto": row(dict.fromkeys(own, ours)),
    })  # fmt: skip


def collective_result() -> dict[str, Any]:
    """Of `plait predict collective alltoall,bcast --measured`."""

    def cell(op: str, how: str, size: int, measured: float, predicted: float) -> dict[str, Any]:
        spread = {"median": measured, "q1": 0.9 * measured, "q3": 1.2 * measured,
                  "samples": [measured]}  # fmt: skip
        return {
            "measured_us": spread, "predicted_us": exactly(predicted),
            "error_percent": exactly(100 * (predicted - measured) / measured),
            "op": op, "algorithm": how, "size_bytes": size, "verified": True,
        }  # fmt: skip

    answer = _rows_result("collective", {
        "alltoall linear": {"64KiB": cell("alltoall", "linear", 65536, 200.0, 190.0),
                            "1MiB": cell("alltoall", "linear", 1 << 20, 3000.0, 3600.0)},
        "alltoall pairwise": {"64KiB": cell("alltoall", "pairwise", 65536, 200.0, 200.0),
                              "1MiB": cell("alltoall", "pairwise", 1 << 20, 3000.0, 3300.0)},
        "bcast binomial": {"64KiB": cell("bcast", "binomial", 65536, 100.0, 101.0)},
    })  # fmt: skip
    answer["parameters"].update(op="alltoall,bcast", link_rate_Bps=0.0, link_burst_bytes=0.0)
    answer["network"] = {
        "latency_s": 5e-7, "send_overhead_s": 2e-7, "receive_overhead_s": 3e-7, "gap_s": 1e-6,
        "gap_per_byte_s": 3e-10, "both_ways_per_byte_s": 6e-10, "reduction_per_byte_s": 1e-10,
        "copy_per_byte_s": 1.5e-10, "sizes": [],
    }  # fmt: skip
    answer["median_error_percent"] = {"all": 5.0, "alltoall": 7.5, "bcast": 1.0}
    return answer


def predict_result() -> dict[str, Any]:
    """Of `plait predict collective`."""

    def cost(total: float, least: bool) -> dict[str, Any]:
        return {"total_us": exactly(total), "processor_us": exactly(0.25 * total),
                "network_us": exactly(0.75 * total), "cheapest": least,
                "libnbc": not least}  # fmt: skip

    rows = {
        name: {f"{ranks} ranks": {"8B": cost(ranks * factor, least),
                                  "64KiB": cost(9.0 * ranks * factor, not least)}
               for ranks in (2, 8)}
        for name, factor, least in (("binomial", 1.0, True), ("linear", 3.0, False))
    }  # fmt: skip
    answer = _rows_result("predict", rows)
    answer["parameters"] = {
        "operation": "bcast", "latency_s": 5e-6, "send_overhead_s": 1e-6,
        "receive_overhead_s": 1e-6, "gap_s": 2e-6, "gap_per_byte_s": 8e-9,
        "eager_limit_bytes": 65536,
    }  # fmt: skip
    return answer

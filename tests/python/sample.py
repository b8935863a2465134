# SPDX-License-Identifier: BSD-3-Clause
"""A result as jacobi3d writes it, made by hand."""

from typing import Any

from sample_attach import attach_result

TOTALS = {"base": 0.310, "olap": 0.236, "plait": 0.201, "ideal": 0.178}
EXPOSED = {"base": 0.125, "olap": 0.040, "plait": 0.006, "ideal": 0.0}


def spread(median: float, width: float = 0.02) -> dict[str, Any]:
    samples = [median * (1 + width * k) for k in (-1, -0.5, 0, 0.5, 1)]
    return {"median": median, "q1": samples[1], "q3": samples[3], "samples": samples}


def variant(name: str) -> dict[str, Any]:
    total, exposed = TOTALS[name], EXPOSED[name]
    account = {
        "compute_s": 0.176,
        "posting_s": (total - exposed - 0.176) * 0.8,
        "exposed_s": exposed,
        "overhead_s": (total - exposed - 0.176) * 0.2,
        "idle_s": 0.0,
    }
    ledger = [
        {"rank": rank, "worker": 0, **account, "wall_s": total, "balance_error": 0.0004}
        for rank in (0, 1)
    ]
    return {
        "total_s": spread(total),
        **account,
        "verified": True,
        "max_error": 8.9e-16,
        "ratio_to_base": total / TOTALS["base"],
        "workers": 1,
        "processes": 2,
        "computes_as_base": True,
        "slower_computation": None
        if name == "ideal"
        else {"total_s": 0.001, "transport_s": 0.001, "proxy_s": None},
        "ledger": ledger,
    }


def timeline(name: str) -> list[dict[str, Any]]:
    events = []
    for rank in (0, 1):
        peer = 1 - rank
        waits = name == "base"

        def event(lane: str, what: str, kind: str, start: float, end: float, rank: int = rank):
            events.append(
                {"rank": rank, "lane": lane, "name": what, "kind": kind, "start_us": start,
                 "end_us": end}
            )  # fmt: skip

        event("worker 0", "post", "posting", 0, 60)
        event("messages", f"send to {peer}", "message", 20, 3000)
        event("messages", f"receive from {peer}", "message", 30, 3100)
        if waits:
            event("worker 0", "wait", "exposed", 60, 3100)
        events[-1]["critical"] = waits
        event("worker 0", "interior", "compute", 3100 if waits else 60, 7300 if waits else 4300)
        if not waits:
            event("worker 0", "rim", "compute", 4400, 4900)
    return events


def trace_summary(name: str) -> dict[str, Any]:
    exposed = EXPOSED[name]
    path = {"total_s": 0.178 + exposed, "compute_s": 0.176, "message_s": 0.8 * exposed,
            "posting_s": 0.001, "exposed_s": 0.2 * exposed, "overhead_s": 0.001,
            "idle_s": 0.0}  # fmt: skip
    return {
        "span_s": TOTALS[name], "path": path, "overlapped_s": 0.178, "busy_s": 0.178,
        "busiest_rank": 1, "wire_s": None,
        "top": [{"name": "interior", "kind": "compute", "path_s": 0.176}],
        "limit": f"computation limits it: {0.176 / path['total_s']:.0%} of the critical path",
    }  # fmt: skip


def result() -> dict[str, Any]:
    return {
        "schema": "plait-result/1",
        "kind": "application",
        "app": "jacobi3d",
        "parameters": {
            "size": [512, 512, 64], "steps": 40, "grid": [1, 1, 2], "repeat": 5, "workers": 1,
            "policy": "auto", "variants": list(TOTALS),
        },
        "environment": {
            "commit": "0123456789ab", "compiler": "GNU 12.2.0", "flags": "-O3", "mpi": "openmpi",
            "mpi_version": "Open MPI v4.1.4", "ranks": 2, "workers": 1, "hosts": ["n0", "n1"],
            "policy_chosen": "sleeping+workers", "policy_reason": "no core is free for a proxy",
            "link_rate_Bps": 119550859.0, "started_at": "2026-01-01T00:00:00Z",
            "lab": {"nodes": 2, "rate_bps": 1000000000, "delay_s": 0.0, "cores": [[0], [1]],
                    "subnet": "10.87.1.0/24", "mode": "root"},
        },
        "variants": {name: variant(name) for name in TOTALS},
        "communication_s": spread(0.150),
        "computation_s": spread(0.178),
        "transport_cpu_s": spread(0.012),
        "transport_look_s": 0.004,
        "wire_bound_s": 0.140,
        "bound_s": 0.178,
        "attainable_s": 0.190,
        "hidden_fraction": {"olap": 0.561, "plait": 0.826, "ideal": None},
        "beats_attainable": [],
        "limiter": "processor time of the transport: <copies> & system calls",
        "timeline": {name: timeline(name) for name in TOTALS},
        "trace_summary": {name: trace_summary(name) for name in TOTALS},
        "kernel": {"bytes_per_s": 9.1e9, "stream_bytes_per_s": 12e9, "fraction_of_bandwidth": 0.76},
    }  # fmt: skip


def reconstruction_result() -> dict[str, Any]:
    """A 2 x 2 image after each of two iterations."""
    grey = ["gICAgA==", "AECA/w==", "ADyE/g=="]
    found = [
        {"iteration": i, "log_likelihood": value, "unexplained": 0.0, "error": error,
         "picture": grey[i]}
        for i, (value, error) in enumerate([(8.5e5, 0.9), (9.6e5, 0.31), (9.7e5, 0.22)])
    ]  # fmt: skip
    answer = result()
    answer["kind"], answer["app"] = "reconstruction", "osem"
    answer["parameters"] |= {"size": [2, 2, 1], "iterations": 2, "subsets": 20}
    answer["reconstruction"] = {
        "width": 2, "height": 2, "high": 1.0, "truth": "AECA/w==", "iterations": found,
        "fingerprint": "05a2f8c5196a070e",
    }  # fmt: skip
    return answer


def tiles_result() -> dict[str, Any]:
    """One with a variant that reuses the cache, beside plait, whose computation is slower."""
    answer = result()
    total, compute = 0.150, 0.138
    tiles = answer["variants"]["plait"] | {
        "total_s": spread(total), "compute_s": compute, "ratio_to_base": total / TOTALS["base"],
        "computes_as_base": False,
        "slower_computation": {"total_s": 0.004, "transport_s": 0.004, "proxy_s": 0.003},
        "own_limits": {"ideal": "tiles_ideal", "computation_s": spread(0.140), "bound_s": 0.140,
                       "attainable_s": 0.152, "ratio_to_ideal": total / 0.140},
    }  # fmt: skip
    one = answer["variants"].pop("ideal")
    answer["variants"]["plait"]["slower_computation"] = {
        "total_s": 0.020, "transport_s": 0.012, "proxy_s": 0.005
    }  # fmt: skip
    answer["variants"] |= {"tiles": tiles, "ideal": one}
    answer["parameters"]["variants"] = list(answer["variants"])
    answer["hidden_fraction"]["tiles"] = None
    return answer


POLICIES = {
    "HAND": 0.310,
    "MT(1)+!OLAP": 0.312,
    "MT(7)+OLAP+XTRA+IRR(44:50)": 0.201,
    "IDEAL": 0.178,
}


def policies_result() -> dict[str, Any]:
    """A result as redblack3d writes it: other names, and the paper's columns."""
    answer = result()
    per_iteration = {
        name: {"total": spread(total / 40) | {"mean": 1.1 * total / 40},
               "wait": spread((total - 0.178) / 40) | {"mean": 0.001},
               "comp": spread(0.176 / 40) | {"mean": 0.004}}
        for name, total in POLICIES.items()
    }  # fmt: skip
    answer |= {"kind": "policies", "app": "redblack3d"}
    answer["parameters"] |= {"variants": list(POLICIES), "outliers": "median"}
    answer["variants"] = {
        name: old | {"per_iteration_s": per_iteration[name], "outliers": 1}
        for name, old in zip(POLICIES, answer["variants"].values(), strict=True)
    }
    for member in ("timeline", "trace_summary"):
        answer[member] = dict(zip(POLICIES, answer[member].values(), strict=True))
    answer["hidden_fraction"] = {"MT(1)+!OLAP": None, "MT(7)+OLAP+XTRA+IRR(44:50)": 0.826}
    return answer


def poisson_result(ranks: int = 2) -> dict[str, Any]:
    """A result as poisson writes it where the network's parameters are given."""

    def iteration(ranks: int) -> dict[str, float]:
        computation, exchange = 0.008 / ranks, 0.001 if ranks > 1 else 0.0
        return {
            "ranks": ranks,
            "computation_s": computation,
            "exchange_s": exchange,
            "exchange_processor_s": 0.0,
            "reduction_s": 0.0,
            "base_s": computation + exchange,
            "overlapped_s": max(computation, exchange),
            "pipelined_s": 1.5 * computation + 1e-6,
        }

    answer = result()
    answer["app"] = "poisson"
    answer["environment"]["ranks"] = ranks
    answer["prediction"] = iteration(ranks) | {
        "seconds_per_cell": 5e-9,
        "over_ranks": [iteration(each) for each in (1, 2, 4, 8)],
    }
    for one in answer["variants"].values():
        one |= {"iterations": 40.0, "residual": 1e-9, "reduction_s": 0.001, "workers": 1}
    return answer


def spmv_result() -> dict[str, Any]:
    """A result as spmv writes it."""

    def dealing(sent: int, uneven: float) -> dict[str, Any]:
        return {"sent_bytes": sent, "busiest_rank_bytes": sent / 2, "messages": 2,
                "imbalance_rows": 1.0, "imbalance_nonzeros": uneven}  # fmt: skip

    answer = result()
    answer["app"] = "spmv"
    del answer["parameters"]["size"]
    answer["matrix"] = {"name": "a.mtx", "rows": 9, "columns": 9, "nonzeros": 31, "symmetric": True}
    answer["traffic"] = {
        "dealing": "even",
        "bytes": [[0, 4096], [2048, 0]],
        "dealings": {"even": dealing(6144, 1.25), "metis": dealing(1024, 1.03)},
    }
    return answer


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
    }  # fmt: skip


def _probe_result(name: str, rows: dict[str, Any]) -> dict[str, Any]:
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
        for name, total_ms in zip(names, totals_ms, strict=True):
            rows.setdefault(name, {})[f"{label} x{flights} {task}"] = {
                "total_us": spread(1e3 * total_ms),
                **about,
            }
    answer = _probe_result("progress", rows)
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
    return _probe_result("nbc", {
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

    return _probe_result("overlap", {
        "nonblocking": row(own), "nonblocking tested": row(dict.fromkeys(own, tested)),
        "plait auto": row(dict.fromkeys(own, ours)),
    })  # fmt: skip


def collective_result() -> dict[str, Any]:
    """Of `plait predict collective alltoall,bcast --measured`."""

    def cell(op: str, how: str, size: int, measured: float, predicted: float) -> dict[str, Any]:
        spread = {"median": measured, "q1": 0.9 * measured, "q3": 1.2 * measured,
                  "samples": [measured]}  # fmt: skip
        return {
            "measured_us": spread, "predicted_us": _exactly(predicted),
            "error_percent": _exactly(100 * (predicted - measured) / measured),
            "op": op, "algorithm": how, "size_bytes": size, "verified": True,
        }  # fmt: skip

    answer = _probe_result("collective", {
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
        return {"total_us": _exactly(total), "processor_us": _exactly(0.25 * total),
                "network_us": _exactly(0.75 * total), "cheapest": least,
                "libnbc": not least}  # fmt: skip

    rows = {
        name: {f"{ranks} ranks": {"8B": cost(ranks * factor, least),
                                  "64KiB": cost(9.0 * ranks * factor, not least)}
               for ranks in (2, 8)}
        for name, factor, least in (("binomial", 1.0, True), ("linear", 3.0, False))
    }  # fmt: skip
    answer = _probe_result("predict", rows)
    answer["parameters"] = {
        "operation": "bcast", "latency_s": 5e-6, "send_overhead_s": 1e-6,
        "receive_overhead_s": 1e-6, "gap_s": 2e-6, "gap_per_byte_s": 8e-9,
        "eager_limit_bytes": 65536,
    }  # fmt: skip
    return answer


def program_result() -> dict[str, Any]:
    """What the library writes of a program of somebody's own."""
    whole = result()
    one = whole["variants"]["plait"]
    parts = {key: one[key] for key in one if key.endswith("_s") and key != "total_s"}
    return {
        "schema": "plait-result/1", "kind": "program", "application": "wave", "ranks": 2,
        "parameters": {"runtimes": 1},
        "environment": {key: value for key, value in whole["environment"].items() if key != "lab"},
        "wall_s": TOTALS["plait"], "mean": parts | {"wall_s": TOTALS["plait"]},
        "ledger": one["ledger"], "timeline": {"program": whole["timeline"]["plait"]},
        "timeline_is_whole": True, "events_left_out": 0,
        "trace_summary": {"program": whole["trace_summary"]["plait"]},
    }  # fmt: skip


def probe_result() -> dict[str, Any]:
    """A probe as spmv-probe writes it: measured bars, and a model beside them."""
    parts = ["prefetch_init_s", "pipeline_init_s", "comm_sync_s", "barrier_s",
             "local_computation_s", "remote_dependent_computation_s"]  # fmt: skip
    shares = [0.01, 0.02, 0.4, 0.02, 0.27, 0.28]
    measured = [
        {"name": f"{row} a row",
         "bars": [
             {"name": name, "total_s": spread(total),
              "parts_s": {part: total * share for part, share in zip(parts, shares, strict=True)},
              "verified": True, "algorithm": name, "eta": None if name == "B" else 1}
             for name, total in {"B": 0.1 + row / 1e3, "G": 0.08, "S": 0.081}.items()
         ]}
        for row in (25, 100)
    ]  # fmt: skip
    modelled = [
        {"name": "M", "error": -0.04, "total_s": _exactly(0.077), "verified": None,
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
            "name": name, "total_s": spread(total), "parts_s": dict(zip(parts, times, strict=True)),
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
        {"name": "M", "error": 0.034, "total_s": _exactly(0.3), "verified": None,
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


def _exactly(value: float) -> dict[str, Any]:
    return {"median": value, "q1": value, "q3": value, "samples": [value]}


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
}

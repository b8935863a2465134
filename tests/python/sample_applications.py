# SPDX-License-Identifier: BSD-3-Clause
"""Results as applications, and programs of one's own, write them; made by hand."""

from typing import Any

from sample_spreads import spread

TOTALS = {"base": 0.310, "olap": 0.236, "plait": 0.201, "ideal": 0.178}
EXPOSED = {"base": 0.125, "olap": 0.040, "plait": 0.006, "ideal": 0.0}


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
        for name, old in zip(POLICIES, answer["variants"].values())
    }
    for member in ("timeline", "trace_summary"):
        answer[member] = dict(zip(POLICIES, answer[member].values()))
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


def program_result() -> dict[str, Any]:
    """Returns a result as the library writes it of a program of somebody's own."""
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

# SPDX-License-Identifier: BSD-3-Clause
"""A result as `plait attach` writes it, made by hand."""

from __future__ import annotations

from typing import Any

RANKS = 4
ADVICE = (
    "halo.f90:118 exchange waits 0.8 s of a rank for sends that are posted after halo.f90:97: post"
    " them before the interior."
)
REWRITE = [
    "call start_messages(r)  ! the calls that start them, as they are",
    "call compute_inner()  ! what needs no ghosts",
    "call MPI_Waitall(n, r, MPI_STATUSES_IGNORE, err)",
    "call compute_rim()",
]


def site(
    line: int, call: str, exposed: float, more: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {"function": "exchange", "file": "/src/wave/halo.f90", "line": line,
            "symbol": "halo_mp_exchange_", "offset": 16 * line, "call": call, "count": 48_000,
            "bytes": 3_145_728_000, "time_s": exposed * 1.1, "exposed_s": exposed,
            "late_sender_s": exposed * 0.7, "late_receiver_s": 0.0, "transfer_s": exposed * 0.3,
            "could_hide_s": exposed * 0.2, "advice": "", **(more or {})}  # fmt: skip


def region(name: str, around: int | None, time: float, mpi: float) -> dict[str, Any]:
    pop = {"load_balance": 0.95, "serialisation": None, "transfer": None,
           "communication_efficiency": 0.9, "parallel_efficiency": 0.855}  # fmt: skip
    return {"name": name, "path": name if around is None else f"step/{name}", "around": around,
            "ranks": RANKS, "count": 4_000, "time_s": time, "own_s": time / 2,
            "compute_s": time - mpi, "mpi_s": mpi, "own_mpi_s": mpi, "calls": 9_000,
            "bytes": 1_000_000, "waiting_s": mpi, "late_sender_s": mpi / 2,
            "late_receiver_s": 0.0, "transfer_s": mpi / 2, "collective_wait_s": 0.0,
            "other_wait_s": 0.0, "could_hide_by_progress_s": 0.1,
            "could_hide_by_moving_s": mpi / 2, "pop": pop}  # fmt: skip


def rank(number: int) -> dict[str, Any]:
    compute = 9.0 - 0.4 * number
    return {"rank": number, "host": f"n{number // 2}", "wall_s": 10.0, "compute_s": compute,
            "mpi_s": 10.0 - compute, "waiting_s": 0.9 * (10.0 - compute),
            "late_sender_s": 0.5 * (10.0 - compute), "late_receiver_s": 0.05 * (10.0 - compute),
            "transfer_s": 0.2 * (10.0 - compute), "collective_wait_s": 0.2 * (10.0 - compute),
            "stolen_s": 0.01}  # fmt: skip


def attach_result() -> dict[str, Any]:
    ranks = [rank(number) for number in range(RANKS)]
    totals = {key: sum(each[key] for each in ranks)
              for key in ranks[0] if key.endswith("_s") and key != "wall_s"}  # fmt: skip
    totals |= {"could_hide_by_progress_s": 2.1, "could_hide_by_moving_s": 3.4, "bound_s": 33.9}
    neighbours = [[1.5e9 if abs(a - b) == 1 else 0 for b in range(RANKS)] for a in range(RANKS)]
    return {
        "schema": "plait-result/1", "kind": "attach", "program": "/opt/bin/wave",
        "mpi": "Open MPI 4.1.4", "ranks": RANKS, "hosts": ["n0", "n1"], "wall_s": 10.0,
        "switches": ["profile", "progress"], "totals": totals,
        "pop": {"load_balance": 0.933, "serialisation": 0.981, "transfer": 0.917,
                "communication_efficiency": 0.9, "parallel_efficiency": 0.84},
        "sites": [
            site(118, "MPI_Waitall", 3.3, {"advice": ADVICE, "pattern": "waited_at_once",
                                           "gain_s": 2.0, "gain_error_s": 0.5,
                                           "rewrite": REWRITE}),
            site(131, "MPI_Allreduce", 1.2, dict.fromkeys(("function", "file", "line"))),
            site(97, "MPI_Isend", 0.02),
        ],
        "regions": [
            region("step", None, 30.0, 6.0), region("halo", 0, 5.0, 4.5),
            region("inner", 0, 20.0, 0.0), region("output", None, 2.0, 0.5),
        ],
        "matrix": {"bytes": neighbours,
                   "messages": [[24_000 if b else 0 for b in row] for row in neighbours]},
        "late_pairs": [{"from": 0, "to": 1, "late_sender_s": 1.4, "late_receiver_s": 0.1,
                        "messages": 24_000}],
        "message_sizes": [{"call": "MPI_Isend", "log2_bytes": 16, "count": 144_000},
                          {"call": "MPI_Allreduce", "log2_bytes": 3, "count": 4_000}],
        "progress": {"looks": 12_345, "look_s": 0.4, "hidden_s": 1.9},
        "ranks_detail": ranks,
        "warnings": ["a send buffer of halo.f90:97 changed before its wait at halo.f90:118"],
    }  # fmt: skip


def hybrid_result() -> dict[str, Any]:
    """A result of ranks with OpenMP threads: of 8 seconds of a thread 4 compute."""
    threads = {"threads": 2, "teams": 100, "useful_s": 8.0, "mpi_s": 4.0, "unequal_s": 2.0,
               "scheduling_s": 0.5, "serial_s": 1.5}  # fmt: skip
    job = {name: RANKS * value for name, value in threads.items()}
    job |= {"parallel_efficiency": 0.5, "mpi_efficiency": 0.75, "mpi_load_balance": 0.9,
            "mpi_balance_within_nodes": 0.95, "mpi_balance_between_nodes": 0.947,
            "mpi_communication": 0.833, "openmp_efficiency": 0.667, "openmp_load_balance": 0.826,
            "openmp_scheduling": 0.958, "openmp_serial": 0.842}  # fmt: skip
    result = attach_result()
    ranks = [{**one, "openmp": threads} for one in result["ranks_detail"]]
    return {**result, "openmp": job, "ranks_detail": ranks}


def large_result() -> dict[str, Any]:
    """A result of 10,000 ranks: three classes, and two ranks that are in none."""
    kinds = [("0-98, 101-198, 201-298, ...", 9602, 4), ("1-98, 100, 199-200, ...", 392, 3),
             ("0, 99, 9900, 9999", 4, 2)]  # fmt: skip
    classes = []
    for ranks, count, sends_to in kinds:
        row = {"ranks": ranks, "count": count, "is_rest": False}
        for key, value in {**rank(1), "sent_bytes": 1 << 20, "sends_to": sends_to}.items():
            if not isinstance(value, str) and key != "rank":
                row |= {key: value, f"{key}_min": 0.9 * value, f"{key}_max": 1.1 * value}
        classes.append(row)
    rows = [[4096 * (abs(a - b) < 3) for b in range(64)] for a in range(64)]
    return {**attach_result(), "ranks": 10_000, "rank_classes": classes,
            "matrix": {"bytes": rows, "messages": rows, "ranks_a_row": 157},
            "ranks_detail": [{**rank(4), "rank": 4321}, {**rank(0), "rank": 5000}]}  # fmt: skip

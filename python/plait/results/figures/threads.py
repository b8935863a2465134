# SPDX-License-Identifier: BSD-3-Clause
"""OpenMP threads of an unmodified MPI program, as people read them.

Times of the member `openmp` are sums over all threads of all ranks.
"""

from __future__ import annotations

from plait.results.base import Result

# What threads spend time on: member, words, class of the colour.
THREAD_PARTS = {
    "useful_s": ("computing", "compute"),
    "mpi_s": ("in MPI, or with nothing to do meanwhile", "message"),
    "unequal_s": ("for slower threads of the team", "exposed"),
    "serial_s": ("with nothing to do in serial parts", "idle"),
    "scheduling_s": ("scheduling: as long on each thread of a team", "overhead"),
}
EFFICIENCIES = {
    "parallel_efficiency": ("all threads", "MPI × OpenMP"),
    "mpi_efficiency": ("MPI", "mean v / T"),
    "mpi_load_balance": ("MPI: load balance", "mean v / max v"),
    "mpi_balance_within_nodes": ("MPI: balance within nodes", "max of a node v / max v"),
    "mpi_balance_between_nodes": ("MPI: balance between nodes", "mean v / max of a node v"),
    "mpi_communication": ("MPI: communication", "max v / T"),
    "openmp_efficiency": ("OpenMP", "C / (C + S + U + R)"),
    "openmp_load_balance": ("OpenMP: load balance", "(C + S) / (C + S + U)"),
    "openmp_serial": ("OpenMP: serial parts", "C / (C + S)"),
    "openmp_scheduling": ("OpenMP: scheduling", "(C + S + U) / (C + S + U + R)"),
}
MEANINGS = (
    "v: time of a rank outside MPI, by its threads; T: run time; of all threads C: computing,"
    " S: serial parts, U: for slower threads, R: scheduling"
)


def thread_times(row: Result) -> dict[str, float]:
    """Returns what threads of a rank, or of all ranks, spend time on; nothing without OpenMP."""
    known = row.get("openmp") or {}
    return {name: known[name] for name in THREAD_PARTS if name in known}


def threads_sentence(result: Result) -> list[str]:
    """Says in one sentence how many threads there are, and what they do."""
    times = thread_times(result)
    whole = sum(times.values())
    if not whole:
        return []
    shares = [
        f"{100 * value / whole:.1f} % {THREAD_PARTS[name][0].partition(':')[0]}"
        for name, value in times.items()
    ]
    threads, ranks = result["openmp"]["threads"], result["ranks"]
    return [f"OpenMP, {threads:,} threads in {ranks:,} ranks: {', '.join(shares)}"]


def efficiency_rows(result: Result) -> list[tuple[str, str, str]]:
    """Returns name, value and formula of each efficiency of threads that is known."""
    known = result.get("openmp") or {}
    return [
        (name, f"{known[key]:.3f}", formula)
        for key, (name, formula) in EFFICIENCIES.items()
        if known.get(key) is not None
    ]

# SPDX-License-Identifier: BSD-3-Clause
"""An unmodified MPI program: where its time went, POP's metrics, what could be hidden.

Times of `totals` and `sites` are sums over ranks; people read the mean of a rank.
"""

from collections.abc import Iterable
from typing import Any

from plait.results.base import Result
from plait.units import seconds_text

Site = dict[str, Any]

# Metric: what it is called, and its formula, u: a rank's time outside MPI, T: the run's,
# T_id: the run's on a network that costs nothing.
POP = {
    "load_balance": ("load balance", "mean u / max u"),
    "serialisation": ("serialisation", "max u / T_id"),
    "transfer": ("transfer", "T_id / T"),
    "communication_efficiency": ("communication efficiency", "max u / T"),
    "parallel_efficiency": ("parallel efficiency", "mean u / T"),
}
SYMBOLS = "u: time outside MPI of a rank, T: run time, T_id: T if messages cost nothing"
# The parts of the time in MPI: member, words, class of the colour.
PARTS = {
    "late_sender_s": ("late senders", "exposed"),
    "late_receiver_s": ("late receivers", "receive"),
    "collective_wait_s": ("waiting in collectives", "overhead"),
    "transfer_s": ("transfer", "message"),
    "other_wait_s": ("waiting for what is not known", "posting"),
}


def mean_s(result: Result, name: str) -> float | None:
    """Returns a total as the mean over ranks; None where it is not known."""
    value = result["totals"].get(name)
    return None if value is None else value / result["ranks"]


def share_text(part: float, whole: float) -> str:
    """Returns a share in percent, with a digit after the point where it is small."""
    if whole <= 0:
        return "–"
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 9.95 or share == 0 else f"{share:.1f} %"


def accounted_s(result: Result) -> float:
    """Returns the time of all ranks, as it was booked."""
    return result["totals"]["compute_s"] + result["totals"]["mpi_s"]


def summary_sentence(result: Result) -> str:
    """Says how long it took, and the shares that compute, wait and are in MPI."""
    totals, whole = result["totals"], accounted_s(result)
    said = (
        f"wall time {seconds_text(result['wall_s'])}: {share_text(totals['compute_s'], whole)}"
        f" computes, {share_text(totals['mpi_s'], whole)} is in MPI"
    )
    waiting = totals.get("waiting_s")
    return said if waiting is None else f"{said}, {share_text(waiting, whole)} waits there"


def pop_rows(result: Result) -> list[tuple[str, str, str]]:
    """Returns name, value and formula of each metric that is known."""
    known = result.get("pop") or {}
    return [
        (name, f"{known[key]:.3f}", formula)
        for key, (name, formula) in POP.items()
        if known.get(key) is not None
    ]


def place_text(site: Site) -> str:
    """Names a call site: file and line where they are known, else symbol and offset."""
    if site.get("file"):
        line = f":{site['line']}" if site.get("line") else ""
        return f"{site['file'].rsplit('/', 1)[-1]}{line}"
    name = site.get("symbol") or (site.get("module") or "?").rsplit("/", 1)[-1]
    return f"{name}+0x{site['offset']:x}" if site.get("offset") is not None else name


def function_text(site: Site) -> str:
    """Names the function around a call site; nothing where the place says it already."""
    name = site.get("function") or ""
    return "" if not site.get("file") and name == site.get("symbol") else name


def sites_by_exposed(result: Result) -> list[Site]:
    """Returns the call sites, those with the largest exposed time first."""
    return sorted(result.get("sites") or [], key=lambda site: -site["exposed_s"])


def hidden_rows(result: Result) -> list[tuple[str, str, str]]:
    """Returns what could be hidden: name, figure, what it says. They are never added up."""
    named = {
        "could_hide_by_progress_s": ("by progress alone", "the program as it is, with --progress"),
        "could_hide_by_moving_s": ("by moving calls", "at most: post earlier, wait later"),
        "bound_s": ("by perfect overlap", "then max(computing, messages) is left"),
    }
    return [
        (name, text_of_mean(result, key), says)
        for key, (name, says) in named.items()
        if mean_s(result, key) is not None
    ]


def text_of_mean(result: Result, name: str) -> str:
    """Returns a mean over ranks with its share of the run."""
    value = mean_s(result, name) or 0.0
    return f"{seconds_text(value)}, {share_text(value, result['wall_s'])}"


def advice(result: Result) -> list[str]:
    """Returns what the sites' own advice says, the largest exposed time first, once each."""
    said = (site["advice"] for site in sites_by_exposed(result) if site.get("advice"))
    return list(dict.fromkeys(said))


def progress_sentence(result: Result) -> list[str]:
    """Says what looking after the program's own calls cost, and what was hidden by that."""
    seen = result.get("progress")
    if not seen or not seen.get("looks"):
        return []
    cost = f" and took {seconds_text(seen['look_s'])}" if seen.get("look_s") is not None else ""
    hidden = seen.get("hidden_s")
    gained = "" if hidden is None else f"; {seconds_text(max(hidden, 0.0))} was hidden"
    return [f"progress looked {seen['looks']:,} times{cost}{gained}, all ranks together"]


def attach_figures(result: Result) -> Iterable[tuple[str, str, float]]:
    """Yields name, unit and value of what two runs are compared by."""
    yield "wall", "wall_s", result["wall_s"]
    for name, words in (
        ("compute_s", "computing"), ("mpi_s", "in MPI"), ("waiting_s", "waiting"),
        ("late_sender_s", "late senders"), ("late_receiver_s", "late receivers"),
        ("collective_wait_s", "waiting in collectives"), ("transfer_s", "transfer"),
        ("could_hide_by_progress_s", "could hide by progress"),
        ("could_hide_by_moving_s", "could hide by moving calls"),
    ):  # fmt: skip
        if (value := mean_s(result, name)) is not None:
            yield f"{words}, mean", "wall_s", value
    for key, (name, _) in POP.items():
        if (value := (result.get("pop") or {}).get(key)) is not None:
            yield name, "ratio", value

# SPDX-License-Identifier: BSD-3-Clause
"""An unmodified MPI program: where its time went, POP's metrics, what could be hidden.

Times of `totals` and `sites` are sums over ranks. People read the mean of a rank, beside its share
of the run. So no time is longer than the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from plait.results.base import Result
from plait.results.figures.threads import EFFICIENCIES
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
# Their words in a narrow column.
_SHORT = {key: words for key, (words, _) in PARTS.items()} | {
    "collective_wait_s": "last rank", "other_wait_s": "not known"
}  # fmt: skip


def mean_s(result: Result, name: str) -> float | None:
    """Returns a total as the mean over ranks, or threads that call MPI; None: it is not known."""
    value = result["totals"].get(name)
    return None if value is None else rank_s(result, value)


def share_text(part: float, whole: float) -> str:
    """Returns a share in percent, with a digit after the point where it is small."""
    if whole <= 0:
        return "–"
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 9.95 or share == 0 else f"{share:.1f} %"


def accounted_s(result: Result) -> float:
    """Returns the time of all ranks, as it was booked."""
    return result["totals"]["compute_s"] + result["totals"]["mpi_s"]


def rank_s(result: Result, sum_s: float) -> float:
    """Returns the mean of a rank, or of a thread that calls MPI, of a sum over all."""
    threads = result["totals"].get("threads")
    return sum_s / (threads or len(result.get("ranks_detail") or []) or result["ranks"])


def whose(result: Result) -> str:
    """Returns "a rank", or "a thread" where several threads of a rank call MPI."""
    return "a thread" if (result["totals"].get("threads") or 0) > result["ranks"] else "a rank"


def rank_text(result: Result, sum_s: float) -> str:
    """Returns the mean of a rank and its share of the run, of a sum over ranks."""
    return f"{seconds_text(rank_s(result, sum_s))} ({share_text(sum_s, accounted_s(result))})"


def summary_sentence(result: Result) -> str:
    """Says how long it took, and the shares that compute, wait and are in MPI."""
    totals, whole = result["totals"], accounted_s(result)
    said = (
        f"wall time {seconds_text(result['wall_s'])}: {share_text(totals['compute_s'], whole)}"
        f" computes, {share_text(totals['mpi_s'], whole)} is in MPI"
    )
    waiting = totals.get("waiting_s")
    if waiting is None:
        return said
    of_a_rank = seconds_text(rank_s(result, waiting))
    return f"{said}, {share_text(waiting, whole)} waits there ({of_a_rank})"


def cores_sentence(result: Result) -> list[str]:
    """Says which cores ranks share, with each other or with other programs."""
    says = (result.get("cores") or {}).get("says")
    return [says] if says else []


def tells_of_messages(result: Result) -> bool:
    """Says if waits are for messages: ranks that share cores wait for each other's turns."""
    return not (result.get("cores") or {}).get("spoils_waits")


def pop_rows(result: Result) -> list[tuple[str, str, str]]:
    """Returns name, value and formula of each metric that is known."""
    known = result.get("pop") or {}
    return [
        (name, f"{known[key]:.3f}", formula)
        for key, (name, formula) in POP.items()
        if known.get(key) is not None
    ]


def instructions_sentence(result: Result) -> list[str]:
    """Says how many instructions a cycle of computation has, where they were counted."""
    mean = (result.get("totals") or {}).get("instructions_per_cycle")
    if mean is None:
        return []
    rows = [row.get("instructions_per_cycle") for row in result.get("ranks_detail") or []]
    counted = [one for one in rows if one is not None] or [mean]
    return [f"computation: {mean:.2f} instructions per cycle, of ranks {min(counted):.2f} to"
            f" {max(counted):.2f}"]  # fmt: skip


def owner(site: Site) -> Site:
    """Returns the first place on the way to a call that is in no wrapper."""
    return (site.get("callers") or [site])[-1]


def place_text(place: Site) -> str:
    """Names a place: file and line where they are known, else function and offset."""
    if place.get("file"):
        line = f":{place['line']}" if place.get("line") else ""
        return f"{place['file'].rsplit('/', 1)[-1]}{line}"
    name = _function(place) or (place.get("module") or "?").rsplit("/", 1)[-1]
    return f"{name}+0x{place['offset']:x}" if place.get("offset") is not None else name


def wrapper_text(site: Site) -> str:
    """Names the places in wrappers between the program's own place and the call; "" without any."""
    within = [*reversed((site.get("callers") or [])[:-1]), site] if site.get("callers") else []
    return "".join(f"← {place_text(place)} " for place in within).rstrip()


def function_text(place: Site) -> str:
    """Names the function around a place; nothing where the place's text says it already."""
    return _function(place) if place.get("file") else ""


def _function(place: Site) -> str:
    return place.get("function") or place.get("symbol") or ""


def sites_by_exposed(result: Result) -> list[Site]:
    """Returns the call sites, those with the largest exposed time first."""
    return sorted(result.get("sites") or [], key=lambda site: -site["exposed_s"])


def main_part(site: Site) -> str:
    """Returns what most of a site's waiting is for, and how much of it that is."""
    most = max(_SHORT, key=lambda name: site.get(name) or 0.0)
    share = share_text(site.get(most) or 0.0, site["exposed_s"])
    return f"{share} {_SHORT[most]}" if site["exposed_s"] > 0 else ""


def hidden_rows(result: Result) -> list[tuple[str, str, str]]:
    """Returns what could be hidden: name, figure, what it says. They are never added up."""
    if not tells_of_messages(result):
        return []
    named = {
        "could_hide_by_progress_s": ("by progress alone", "the program as it is, with --progress"),
        "could_hide_by_moving_s": ("by moving calls", "at most: start earlier, wait later"),
        "bound_s": ("by perfect overlap", "then max(computing, messages) is left"),
    }
    return [
        (name, rank_text(result, total), says)
        for key, (name, says) in named.items()
        if (total := result["totals"].get(key)) is not None
    ]


def advice(result: Result) -> list[str]:
    """Returns what the sites' own advice says, the largest exposed time first, once each."""
    said = (site["advice"] for site in sites_by_exposed(result) if site.get("advice"))
    return list(dict.fromkeys(said))


def rewrites(result: Result) -> list[tuple[str, list[str]]]:
    """Returns lines to write instead, with the site and what it saves; the most saved first.

    Sites whose lines are the same have them once.
    """
    if not tells_of_messages(result):
        return []
    found: dict[tuple[str, ...], str] = {}
    sites = [site for site in result.get("sites") or [] if site.get("rewrite")]
    for site in sorted(sites, key=lambda one: -(one.get("gain_s") or 0.0)):
        gain, error = site.get("gain_s") or 0.0, site.get("gain_error_s") or 0.0
        saves = f", saves {rank_text(result, gain)}" if gain else ""
        within = f" ± {seconds_text(rank_s(result, error))}" if gain and error else ""
        title = f"{site['call'].removeprefix('MPI_')} at {place_text(owner(site))}{saves}{within}"
        found.setdefault(tuple(site["rewrite"]), title)
    return [(title, list(lines)) for lines, title in found.items()]


def progress_sentence(result: Result) -> list[str]:
    """Says what looking after the program's own calls cost, and what was hidden by that."""
    seen = result.get("progress")
    if not seen or not seen.get("looks"):
        return []
    said = f"progress looked {seen['looks']:,} times"
    if seen.get("look_s") is not None:
        said += f", which took {rank_text(result, seen['look_s'])} of a rank"
    if seen.get("hidden_s") is not None:
        said += f", and hid {rank_text(result, max(seen['hidden_s'], 0.0))} at least"
    return [said]


def class_sentences(result: Result) -> list[str]:
    """Says of many ranks which are alike, the largest class first, and which are like no other."""
    if not (classes := result.get("rank_classes")) or not tells_of_messages(result):
        return []
    said = [
        f"{row['count']:,} ranks ({row['ranks']}): {_times_of(row)}" for row in classes[:_CLASSES]
    ]
    if left := sum(row["count"] for row in classes[_CLASSES:]):
        said.append(f"{left:,} ranks in {len(classes) - _CLASSES} more classes")
    unlike = result.get("ranks_detail") or []
    return said + [
        f"rank {row['rank']}, unlike nearly all others: {_times_of(row)}"
        for row in unlike[:_CLASSES]
    ]


_CLASSES = 3  # that are put in words


def _times_of(row: Result) -> str:
    waiting = row.get("waiting_s") or 0.0
    return f"computing {seconds_text(row['compute_s'])}, waiting {seconds_text(waiting)}"


def site_figures(result: Result) -> dict[str, float]:
    """Returns the exposed time of a rank on average, by call and place."""
    found: dict[str, float] = {}
    for site in sites_by_exposed(result):
        name = f"{site['call'].removeprefix('MPI_')} at {place_text(site)}"
        found[name] = found.get(name, 0.0) + site["exposed_s"] / result["ranks"]
    return found


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
    for key, (name, _) in EFFICIENCIES.items():
        if (value := (result.get("openmp") or {}).get(key)) is not None:
            yield f"threads, {name}", "ratio", value

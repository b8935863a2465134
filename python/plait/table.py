# SPDX-License-Identifier: BSD-3-Clause
"""A result as a table of at most 80 columns, and the sentences under it."""

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from plait.bench_table import show_bench
from plait.bounds import bound_sentences, overlapped_text
from plait.hiding import (
    beaten_sentences,
    gain_sentences,
    hidden_text,
    own_ideal_text,
    slower_sentences,
    with_own_ideal,
    worker_sentences,
)
from plait.loggp_table import show_loggp
from plait.measured_prediction import show_measured
from plait.overlap_table import show_nbc, show_overlap
from plait.policies import has_policies, policy_sentences, policy_table
from plait.prediction import is_prediction, prediction_heading, show_prediction
from plait.program import show_program
from plait.progress_table import show_progress
from plait.result import Result, is_program, name_of
from plait.speedup import prediction_sentence
from plait.units import rate_text, seconds_text

_OWN_TABLES = {
    "collective": show_measured, "nbc": show_nbc, "overlap": show_overlap,
    "progress": show_progress,
}  # fmt: skip


def show_result(result: Result, console: Console) -> None:
    """Table and figures of a result of any kind."""
    if is_program(result):
        console.print(Text(heading(result), style="bold"))
        show_program(result, console)
        show_traces(result, console)
        return
    if is_prediction(result):
        show_prediction(result, console)
        return
    if result.get("bench") in _OWN_TABLES:
        console.print(Text(heading(result), style="bold"))
        _OWN_TABLES[result["bench"]](result, console)
        return
    if "bench" in result:
        show_bench(result, console)
        return
    if "probe" in result:
        console.print(Text(heading(result), style="bold"))
        show_loggp(result, console)
        return
    console.print(Text(heading(result), style="bold"))
    console.print(policy_table(result) if has_policies(result) else _variants_table(result))
    for line in sentences(result):
        console.print(line)


def heading(result: Result) -> str:
    """What was run, where, in one phrase."""
    if is_prediction(result):
        return prediction_heading(result)
    parameters, environment = result["parameters"], result["environment"]
    parts = [name_of(result)]
    if size := parameters.get("size"):
        parts.append("×".join(map(str, size)))
    if steps := parameters.get("steps"):
        parts.append(f"{steps} steps")
    if ranks := environment.get("ranks"):
        parts.append(f"{ranks} rank{'s' if ranks != 1 else ''}")
    parts.append(_where(environment))
    return ", ".join(parts)


def _where(environment: dict[str, Any]) -> str:
    if labs := environment.get("labs"):
        return (
            f"{labs[0]['nodes']} nodes at {', '.join(rate_text(lab['rate_bps']) for lab in labs)}"
        )
    if lab := environment.get("lab"):
        return f"{lab['nodes']} nodes at {rate_text(lab['rate_bps'])}"
    hosts = set(environment.get("hosts") or [])
    return f"{len(hosts)} hosts" if len(hosts) > 1 else "shared memory"


def _variants_table(result: Result) -> Table:
    own = bool(with_own_ideal(result))
    gap = 1 if own else 2  # of 80 columns
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    table.add_column("variant", no_wrap=True)
    for name in ("total (IQR)", "compute", "exposed", "/ base", *(["/ ideal"] if own else []),
                 "hidden"):  # fmt: skip
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verified", no_wrap=True)
    base = result["variants"].get("base")
    for name, variant in result["variants"].items():
        total = variant["total_s"]
        ratio = variant.get("ratio_to_base")
        if ratio is None and base:
            ratio = total["median"] / base["total_s"]["median"]
        table.add_row(
            name,
            f"{seconds_text(total['median'], 4)} ({seconds_text(total['q3'] - total['q1'], 2)})",
            seconds_text(variant["compute_s"]),
            seconds_text(variant["exposed_s"]),
            f"{ratio:.3f}" if ratio is not None else "",
            *([own_ideal_text(variant)] if own else []),
            hidden_text(result, name),
            Text("yes", style="green") if variant["verified"] else Text("NO", style="bold red"),
        )
    return table


def sentences(result: Result) -> list[str]:
    """What the table cannot say: the bounds and what limits the rest."""
    own = policy_sentences(result) if has_policies(result) else worker_sentences(result)
    lines = [*gain_sentences(result), *own, *bound_sentences(result), *beaten_sentences(result)]
    lines += slower_sentences(result)
    if "prediction" in result and "app" in result:
        lines.append(prediction_sentence(result))
    if limiter := result.get("limiter"):
        lines.append(f"limit: {limiter}")
    environment = result["environment"]
    if chosen := environment.get("policy_chosen"):
        reason = environment.get("policy_reason")
        lines.append(f"progress: {chosen}" + (f" ({reason})" if reason else ""))
    return lines


def show_traces(result: Result, console: Console) -> None:
    """What the trace of each variant says."""
    for name, summary in (result.get("trace_summary") or {}).items():
        first, *more = trace_sentences(name, summary)
        console.print(first)
        console.print(Padding(Text("\n".join(more)), (0, 0, 0, 2), expand=False))


def trace_sentences(name: str, summary: dict[str, Any]) -> list[str]:
    """The critical path of a variant, and what could be gained."""
    shares = ", ".join(
        f"{what} {share:.0%}" for what, share in path_shares(summary).items() if share >= 0.005
    )
    return [
        f"{name}: critical path {seconds_text(summary['path']['total_s'])}: {shares}",
        f"{summary['limit']}; {overlapped_text(summary)}",
    ]


def path_shares(summary: dict[str, Any]) -> dict[str, float]:
    """What a critical path went to, in words."""
    path = summary["path"]
    whole = path["total_s"] or 1.0
    groups = {
        "compute": ("compute",),
        "messages": ("message",),
        "waiting": ("exposed", "idle"),
        "runtime": ("posting", "overhead"),
    }
    return {
        name: sum(path[f"{kind}_s"] for kind in kinds) / whole for name, kinds in groups.items()
    }

# SPDX-License-Identifier: BSD-3-Clause
"""Says what `plait simulate` found of each scenario, and what its answer does not cover."""

from __future__ import annotations

import math
import pathlib
import re
from collections.abc import Sequence
from typing import Any

from plait.results.base import Result
from plait.units import number_text, seconds_text

Row = dict[str, Any]
_RATE = re.compile(r"[0-9.]+(?:[eE][+-]?[0-9]+)?[kmg]bit")
_FREE = "free"  # the network without any parameters
_PAYLOAD = 1448 / 1514  # of the bytes of a link
_SMALL_SHARE = 0.005
_MOST_LAWS = 4  # that are named of those with one exponent
# Of the figures of a path and of a second run, of which one is a count and the other a difference.
_SAME = 0.01

_NOT_COVERED = {
    "plait": "caches of another machine, the kernel's time for bytes, slow switches, priorities of"
    " tasks, the time to submit them",
    "loggops": "who looks after messages and when, cores that tasks share, caches, switches",
}


def labels_of(result: Result) -> list[str]:
    """Returns what each scenario is called: network and policy, or the dialect `loggops`."""
    bases = _bases_of(result)
    several = len({base for base in bases if base}) > 1
    labels = [_label(row, base, several) for row, base in zip(result["rows"], bases)]
    if not is_over_ranks(result):
        return labels
    return [f"{_ranks_of(result, row)}, {label}" for row, label in zip(result["rows"], labels)]


def is_over_ranks(result: Result) -> bool:
    """Returns whether scenarios have different numbers of ranks, or grids of them."""
    return len({(row["ranks"], row.get("grid")) for row in result["rows"]}) > 1


def _ranks_of(result: Result, row: Row) -> str:
    """Returns "16 ranks", or "4x4 ranks" beside another grid of as many."""
    grids = {one.get("grid") for one in result["rows"] if one["ranks"] == row["ranks"]}
    return f"{row['grid'] if len(grids) > 1 and 'grid' in row else row['ranks']} ranks"


def networks_of(result: Result) -> list[str]:
    """Returns what the network of each scenario is called."""
    return [label.rpartition(", ")[0] or label for label in labels_of(result)]


def _label(row: Row, base: str, several: bool) -> str:
    if row["dialect"] != "plait":
        return row["dialect"]
    name = row["network"]
    if is_rate(name):
        shown = f"{name} on {_file_name(base)}" if several and base else name
    else:
        shown = _file_name(name)
    return f"{shown}, {row['policy']}"


def _file_name(path: str) -> str:
    return pathlib.PurePath(path).name or path


def is_rate(network: str) -> bool:
    """Returns whether a network is a rate, which replaces G of the file before it."""
    return _RATE.fullmatch(network) is not None


def _bases_of(result: Result) -> list[str]:
    """Returns the file of parameters that each row's network is or is put on; empty: none."""
    found, base = [], ""
    for row in result["rows"]:
        network = row.get("network", "")
        if network and network != _FREE and not is_rate(network):
            base = network
        found.append(base)
    return found


def parts_of(rows: Sequence[Row]) -> list[str]:
    """Returns the names of all parts of the critical paths, in order."""
    return list(dict.fromkeys(part for row in rows for part in row.get("parts", {})))


def is_small(row: Row, seconds: float) -> bool:
    """Returns whether a part is hardly anything of the predicted time."""
    return seconds <= _SMALL_SHARE * row["predicted_s"]


def share_text(row: Row, part: str) -> str:
    """Returns a part of the critical path in percent; empty where it is hardly anything."""
    seconds = row.get("parts", {}).get(part, 0)
    if is_small(row, seconds):
        return ""
    return f"{100 * seconds / row['predicted_s']:.0f} %"


def parameters_of(rows: Sequence[Row]) -> list[str]:
    """Returns the parameters by which derivatives are known, in order."""
    return list(dict.fromkeys(name for row in rows for name in row.get("sensitivities", {})))


def derivative_text(row: Row, parameter: str) -> str:
    """Returns how often the parameter stands on the critical path; empty where not known."""
    known = row.get("sensitivities", {}).get(parameter)
    return number_text(known["lambda"]) if known else ""


def limiter_text(row: Row) -> str:
    """Returns the largest part of the critical path."""
    return row.get("limiter", "not known")


def second_run_text(row: Row, parameter: str) -> str:
    """Returns what a run with a little more of the parameter gave; empty where there was none."""
    known = row.get("sensitivities", {}).get(parameter, {})
    said = []
    if (more := known.get("one_more_ns")) is not None:
        said.append(f"{more:+g} ns for +1" if abs(more) < 1e6 else f"{number_text(more)} ns for +1")
    if known.get("jumps") and (less := known.get("one_less_ns")) is not None:
        said.append(f"{number_text(-less)} ns for −1")
    if (percent := known.get("one_percent_more_s")) is not None:
        said.append(f"{seconds_text(percent)} for +1 %")
    return ", ".join(said)


def simulation_sentences(result: Result) -> list[str]:
    """Returns what is to be said of the scenarios, then what no answer covers.

    A sentence that holds for several names them; one that holds for all names none.
    """
    of_each = [
        [*_findings(row), *doubts(result, index)] for index, row in enumerate(result["rows"])
    ]
    lines = _together(of_each, labels_of(result))
    lines += measured_sentences(result)
    lines += _laws_of(result)
    dialects = dict.fromkeys(row["dialect"] for row in result["rows"])
    return [*lines, *(f"not covered: {not_covered(dialect)}" for dialect in dialects)]


def _laws_of(result: Result) -> list[str]:
    """Returns how quantities change with the number of ranks P, those of one law together."""
    those: dict[str, list[str]] = {}
    for law in result.get("laws", []):
        power = f"{law['quantity']} as P^{law['exponent']:.2f}".replace("-", "−")
        those.setdefault(power, []).append(law["of"] or "what the program computes itself")
    return [f"{power}: {', '.join(names[:_MOST_LAWS])}" for power, names in those.items()]


def _together(of_each: Sequence[Sequence[str]], labels: Sequence[str]) -> list[str]:
    holders: dict[str, list[str]] = {}
    for label, sentences in zip(labels, of_each):
        for sentence in sentences:
            holders.setdefault(sentence, []).append(label)
    return [
        sentence if len(named) == len(labels) else f"{'; '.join(named)}: {sentence}"
        for sentence, named in holders.items()
    ]


def not_covered(dialect: str) -> str:
    """Returns what the rules of a dialect leave out, whatever the scenario."""
    return _NOT_COVERED[dialect]


def _findings(row: Row) -> list[str]:
    """Returns up to which latency the time holds, and where another part becomes the largest."""
    found = []
    for more, value in row.get("tolerated_L_ns", {}).items():
        least = "10,000 times what it is" if value is None else f"{number_text(value)} ns"
        found.append(f"L up to {least} for at most {more} more time")
    for change in row.get("takes_over", []):
        found.append(f"limited by {change['limiter']} from {_value_text(row, change)}")
    return found


def _value_text(row: Row, change: Row) -> str:
    """Returns a parameter's value; in the dialect `plait` that of G as the rate of a link."""
    value = change["value"]
    if row["dialect"] == "plait" and change["parameter"] == "G" and value > 0:
        return f"a rate of {8000 / value / _PAYLOAD:.3g} Mbit/s"
    return f"{change['parameter']} = {number_text(value)}{' ns' * (row['dialect'] == 'plait')}"


def doubts(result: Result, index: int) -> list[str]:
    """Returns what an answer does not cover beside what none of its dialect does."""
    row = result["rows"][index]
    ranks, source = row["ranks"], "recorded" if row.get("workers") else "in the file"
    found = [f"for {ranks} rank{'s' if ranks != 1 else ''}, sizes and durations as {source}"]
    if "grid" in row and "recorded_s" not in row:
        found = ["sizes and durations by laws of recordings with other numbers of ranks"]
    if row["dialect"] == "plait":
        found += _doubts_of_network(row, _bases_of(result)[index])
        found += _doubts_of_order(row)
    if "remark" in row:
        found.append(row["remark"])
    if row.get("ranks_run"):
        found.append("all ranks are alike: one was run")
    if row.get("trusted") is False:
        found.append(f"not to be trusted: {row.get('why_not_trusted', 'the order changes')}")
    if "parts" not in row:
        found.append("too many operations to follow the critical path: the time alone is known")
    return found


def _doubts_of_network(row: Row, base: str) -> list[str]:
    if "topology" in row:
        return [f"bytes on links by {row['topology']}: no derivatives, no tolerated latency"]
    if row["network"] == _FREE:
        return ["messages cost nothing, for no network is named"]
    if not base:
        return ["no file of parameters: latency and overheads count as 0"]
    return []


def _doubts_of_order(row: Row) -> list[str]:
    """Returns that the derivative by L is not what a second run gives."""
    of_latency = row.get("sensitivities", {}).get("L")
    if of_latency is None:
        return []
    if "one_more_ns" not in of_latency:
        return ["too many operations for a second run: derivatives are those of the path alone"]
    more, counted = of_latency["one_more_ns"], of_latency["lambda"]
    if math.isclose(more, counted, rel_tol=_SAME, abs_tol=0.5):
        return []
    return [
        f"L stands {number_text(counted)} times on the path, but 1 ns more of it takes"
        f" {number_text(more)} ns: the order of events changes, a look comes no sooner, or"
        " connections share a port"
    ]


def measured_times(result: Result) -> list[tuple[str, float]]:
    """Returns by name the times that were measured: of the recorded run, of the execution."""
    found = []
    recorded = {_ranks_of(result, row): row["recorded_s"]
                for row in result["rows"] if "recorded_s" in row}  # fmt: skip
    for ranks, recorded_s in recorded.items():
        of_ranks = f" on {ranks}" if is_over_ranks(result) else ""
        found.append((f"recorded{of_ranks}", recorded_s))
    if executed := result.get("executed"):
        found.append(("executed", executed["total_s"]["median"]))
    return found


def measured_sentences(result: Result) -> list[str]:
    """Returns how long the program took where it was recorded, and where it was executed."""
    lines = []
    for name, seconds in measured_times(result):
        if name.startswith("recorded"):
            of_ranks = name.removeprefix("recorded")
            lines.append(
                f"the recorded run{of_ranks} took {seconds_text(seconds)}, with its start and its"
                " end, on the network and by the policy that it had"
            )
            continue
        executed = result["executed"]
        total = executed["total_s"]
        ratios = [row["predicted_s"] / seconds for row in result["rows"]]
        beside = " to ".join(dict.fromkeys(f"{r:.3f}" for r in (min(ratios), max(ratios))))
        lines.append(
            f"executed on {executed['ranks']} ranks with {executed['mpi']}, looks"
            f" {executed['looks']}: {seconds_text(seconds)} ({seconds_text(total['q1'])} –"
            f" {seconds_text(total['q3'])}); predicted / executed {beside}, which says something"
            " of the scenario that is the network and the looks of the execution"
        )
    return lines

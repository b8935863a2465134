# SPDX-License-Identifier: BSD-3-Clause
"""The page of a `simulation` result: times over networks and policies, and what they depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.results.base import Result
from plait.results.figures.simulation import (
    Row,
    derivative_text,
    doubts,
    is_over_ranks,
    labels_of,
    limiter_text,
    measured_times,
    networks_of,
    not_covered,
    parameters_of,
    parts_of,
    second_run_text,
    simulation_sentences,
)
from plait.units import part_text, seconds_text
from plait.views.html.article import article, facts
from plait.views.html.drawn.stacked_bars import stacked_bars
from plait.views.html.drawn.svg import element, table, text

_READING = """A bar is the finish time of the last rank, cut into the parts of its critical path.
<b>core</b>: other tasks kept the core. <b>looks</b>: a message had arrived, and nobody had looked
yet. <b>dT/dL</b>: how often L stands on the path, and beside it what a second run with a little
more of it gave; where the two differ, the second run counts."""
_MOST_BARS = 8  # of a drawing
_MOST_LETTERS = 108  # of all names below a drawing, as many as have room side by side
_FAR_ABOVE = 4  # times the longest prediction: a measured bar would make all others small
_MOST_NAMES = 12


def simulation(heading: str, result: Result) -> str:
    """Returns bars over networks and policies, sensitivities, and the figures of each scenario."""
    rows, labels = result["rows"], labels_of(result)
    sections = []
    if any("parts" in row for row in rows):
        drawn = "".join(map(stacked_bars, _drawings(result)))
        sections.append(("Predicted time", drawn + element("p", _READING, class_="reading")))
    sections.append(("Parts of the critical path", _parts(result, labels)))
    if parameters_of(rows):
        sections.append(("Sensitivities", _sensitivities(rows, labels)))
    if names := _names(rows, labels):
        sections.append(("Computation on the critical path", names))
    sections.append(("What the answers do not cover", _uncovered(result, labels)))
    return article(heading, result, sections, facts(simulation_sentences(result)))


def _drawings(result: Result) -> list[dict[str, Any]]:
    """Returns figures as probes have them: a group a network, or a policy where there is one."""
    rows = result["rows"]
    parts = parts_of(rows)
    longest_s = max(row["predicted_s"] for row in rows)
    measured = [each for each in measured_times(result) if each[1] <= _FAR_ABOVE * longest_s]
    if measured:
        parts.append("measured_s")
    over_ranks = is_over_ranks(result)
    policies = list(dict.fromkeys(row.get("policy", row["dialect"]) for row in rows))
    groups: dict[str, list[dict[str, Any]]] = {}
    for network, row in zip(networks_of(result), rows):
        policy = row.get("policy", row["dialect"])
        group, name = (network, policy) if len(policies) > 1 else (policy, network)
        if over_ranks:
            ranks, _, rest = network.partition(", ")
            group, name = ", ".join(filter(None, [rest, policy])), ranks
        spent = {part: row.get("parts", {}).get(part, 0.0) for part in parts}
        groups.setdefault(group, []).append(_bar(name, row["predicted_s"], spent))
    bars = [(group, one) for group, all_bars in groups.items() for one in all_bars]
    for name, seconds in measured:
        spent = {part: seconds if part == "measured_s" else 0.0 for part in parts}
        bars.append(("measured", _bar(name, seconds, spent)))
    most = _most_bars(groups)
    pieces = [bars[at : at + most] for at in range(0, len(bars), most)]
    highest_s = max(one["total_s"]["median"] for _, one in bars)
    return [_drawing(piece, parts, highest_s) for piece in pieces]


def _most_bars(groups: dict[str, list[dict[str, Any]]]) -> int:
    """Returns the number of bars of a drawing below which all names have room."""
    longest = max(len(one["name"]) for of_group in groups.values() for one in of_group)
    for name, of_group in groups.items():
        longest = max(longest, len(name) // (len(of_group) + 1))
    return max(1, min(_MOST_BARS, _MOST_LETTERS // (longest + 1) - 1))


def _bar(name: str, seconds: float, parts_s: dict[str, float]) -> dict[str, Any]:
    total = dict.fromkeys(("median", "q1", "q3"), seconds)
    return {"name": name, "total_s": total, "parts_s": parts_s, "verified": None}


def _drawing(
    bars: Sequence[tuple[str, dict[str, Any]]], parts: list[str], highest_s: float
) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for group, one in bars:
        groups.setdefault(group, []).append(one)
    return {"title": "Predicted time by the parts of the critical path", "parts": parts,
            "highest_s": highest_s,
            "groups": [{"name": name, "bars": of} for name, of in groups.items()]}  # fmt: skip


def _parts(result: Result, labels: Sequence[str]) -> str:
    rows = result["rows"]
    parts = parts_of(rows)
    measured = [] if is_over_ranks(result) else measured_times(result)
    header = ["scenario", "limited by", "predicted", *map(part_text, parts),
              *(f"/ {name}" for name, _ in measured)]  # fmt: skip
    cells = [
        [element("b", text(label)), text(limiter_text(row)),
         text(seconds_text(row["predicted_s"], 4)),
         *(text(_seconds(row, part)) for part in parts),
         *(f"{row['predicted_s'] / seconds:.3f}" if seconds else "–" for _, seconds in measured),
         *([_beside_recorded(row)] if is_over_ranks(result) else [])]
        for label, row in zip(labels, rows)
    ]  # fmt: skip
    if is_over_ranks(result):
        header.append("/ recorded")
    return table(header, cells, numeric_from=2)


def _beside_recorded(row: Row) -> str:
    seconds = row.get("recorded_s")
    return f"{row['predicted_s'] / seconds:.3f}" if seconds else "–"


def _seconds(row: Row, part: str) -> str:
    seconds = row.get("parts", {}).get(part)
    return "–" if seconds is None else seconds_text(seconds)


def _sensitivities(rows: Sequence[Row], labels: Sequence[str]) -> str:
    names = parameters_of(rows)
    header = ["scenario"]
    for name in names:
        header += [f"dT/d{name}", "a second run"]
    cells = []
    for label, row in zip(labels, rows):
        line = [element("b", text(label))]
        for name in names:
            line += [text(derivative_text(row, name)), text(second_run_text(row, name))]
        cells.append(line)
    return table(header, cells)


def _names(rows: Sequence[Row], labels: Sequence[str]) -> str:
    """Returns what tasks or operations take of each path, the longest first; empty: no names."""
    longest: dict[str, float] = {}
    for row in rows:
        for name, seconds in row.get("computation_by_name_s", {}).items():
            longest[name] = max(seconds, longest.get(name, 0.0))
    names = sorted(longest, key=lambda name: -longest[name])[:_MOST_NAMES]
    if not names:
        return ""
    cells = []
    for name in names:
        of_rows = (row.get("computation_by_name_s", {}).get(name) for row in rows)
        cells.append([text(name), *("–" if s is None else text(seconds_text(s)) for s in of_rows)])
    return table(["", *map(text, labels)], cells)


def _uncovered(result: Result, labels: Sequence[str]) -> str:
    cells = [
        [element("b", text(label)), text("; ".join([*doubts(result, index), none_of]))]
        for index, (label, row) in enumerate(zip(labels, result["rows"]))
        for none_of in [f"not covered: {not_covered(row['dialect'])}"]
    ]
    return table(["scenario", ""], cells, numeric_from=9)

# SPDX-License-Identifier: BSD-3-Clause
"""Shows what a trace says: each variant's critical path, and what perfect overlap would leave."""

from typing import Any

from plait.results.base import LEDGER_PARTS, Result
from plait.results.figures.bounds import overlapped_text
from plait.results.figures.traces import path_shares
from plait.units import seconds_text
from plait.views.html.svg import element, table, text

_KINDS = ("compute", "message", *(kind for kind in LEDGER_PARTS if kind != "compute"))


def trace_summaries(result: Result) -> str:
    """A row and a sentence per variant; nothing for a result without a trace."""
    summaries = result.get("trace_summary") or {}
    if not summaries:
        return ""
    shares = list(path_shares(next(iter(summaries.values()))))
    header = ["traced run", "", "critical path", *shares, "lasted"]
    rows = [_row(name, summary) for name, summary in summaries.items()]
    limits = (
        element(
            "li",
            element("b", text(name)),
            text(f": {summary['limit']}; {overlapped_text(summary)}"),
        )
        for name, summary in summaries.items()
    )
    return table(header, rows, numeric_from=2) + element("ul", *limits, class_="facts")


def _row(name: str, summary: dict[str, Any]) -> list[str]:
    path = summary["path"]
    slices = (
        element("i", class_=f"k-{kind}", style=f"width:{_percent(path, kind):.2f}%")
        for kind in _KINDS
    )
    return [
        text(name),
        element("div", *slices, class_="slices", aria_hidden="true"),
        text(seconds_text(path["total_s"])),
        *(f"{share:.0%}" for share in path_shares(summary).values()),
        text(seconds_text(summary["span_s"])),
    ]


def _percent(path: dict[str, float], kind: str) -> float:
    return 100 * path[f"{kind}_s"] / (path["total_s"] or 1.0)

# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a probe as tables, and the sentences under them."""

from typing import Any

from rich.console import Console

from plait.results.base import Result
from plait.units import part_text, seconds_text
from plait.views.terminal.layout import say, show_in_width, title


def show_probe(heading: str, result: Result, console: Console) -> None:
    """Prints what was run, a table for each figure, and what follows from them."""
    title(console, heading)
    for figure in result["figures"]:
        say(console, ["", figure["title"]])
        bars = [(group["name"], bar) for group in figure["groups"] for bar in group["bars"]]
        shares = [
            [part_text(part), *(_share(bar, part) for _, bar in bars)] for part in figure["parts"]
        ]
        columns = [
            ["total (IQR)", *(_total(bar) for _, bar in bars)],
            *shares,
            ["verified", *(_verdict(bar) for _, bar in bars)],
        ]
        show_in_width(console, ["bar", *(f"{name}, {bar['name']}" for name, bar in bars)], columns)
    say(console, ["", *result["sentences"]])


def _total(bar: dict[str, Any]) -> str:
    total = bar["total_s"]
    if bar["verified"] is None:
        return seconds_text(total["median"])
    return f"{seconds_text(total['median'])} ({seconds_text(total['q3'] - total['q1'], 2)})"


def _share(bar: dict[str, Any], part: str) -> str:
    total = bar["total_s"]["median"]
    return f"{bar['parts_s'][part] / total:.1%}" if total else "–"


def _verdict(bar: dict[str, Any]) -> str:
    if bar["verified"] is None:
        return "model"
    return "yes" if bar["verified"] else "NO"

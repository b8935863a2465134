# SPDX-License-Identifier: BSD-3-Clause
"""The article of an architectural probe: its figures as bars, then their numbers."""

from typing import Any

from plait.results.base import Result
from plait.units import part_text, seconds_text
from plait.views.html.article import article, facts
from plait.views.html.drawn.stacked_bars import stacked_bars
from plait.views.html.drawn.svg import element, table, text
from plait.views.html.embedded import timelines


def probe(heading: str, result: Result) -> str:
    """A section for each figure, and what follows from all."""
    sections = [
        (figure["title"], stacked_bars(figure) + _numbers(figure)) for figure in result["figures"]
    ]
    if result.get("timeline"):
        sections.append(("The model above a run", timelines(result)))
    return article(heading, result, sections, facts(result["sentences"]))


def _numbers(figure: dict[str, Any]) -> str:
    rows = []
    for group in figure["groups"]:
        for one in group["bars"]:
            total = one["total_s"]
            rows.append(
                [
                    text(group["name"]),
                    element("b", text(one["name"])),
                    *(text(seconds_text(total[q], 4)) for q in ("median", "q1", "q3")),
                    *(text(seconds_text(one["parts_s"][part])) for part in figure["parts"]),
                    _verdict(one),
                ]
            )
    header = ["", "bar", "median", "q1", "q3", *map(part_text, figure["parts"]), "verified"]
    numbers = table(header, rows, numeric_from=2)
    return element("details", element("summary", "Numbers"), numbers)


def _verdict(one: dict[str, Any]) -> str:
    if one["verified"] is None:
        return text(f"errs by {one['error']:+.1%}") if "error" in one else "–"
    word, class_ = ("yes", "good") if one["verified"] else ("no", "bad")
    return element("span", word, class_=class_)

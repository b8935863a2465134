# SPDX-License-Identifier: BSD-3-Clause
"""The article of a program of somebody's own."""

from plait.results.base import LEDGER_PARTS, Result
from plait.results.figures.program import MOST_LISTED, mean_row, program_sentences
from plait.units import seconds_text
from plait.views.html.article import article, facts
from plait.views.html.breakdown import EVENT_KINDS, LABELS, legend
from plait.views.html.svg import bar, drawing, element, label
from plait.views.html.tables import ledgers
from plait.views.html.timeline import READABLE, middles
from plait.views.html.traces import trace_summaries

WIDTH, LEFT, RIGHT, ROW, TOP = 960.0, 132.0, 110.0, 34.0, 8.0


def program(heading: str, result: Result) -> str:
    """A bar per worker, the middle of the run, the ledger."""
    drawn = middles(result) + _kept_of_the_trace(result) + trace_summaries(result)
    sections = [
        ("Where the time went", _workers(result)),
        ("What happened when", legend(EVENT_KINDS) + drawn),
        ("Ledger", ledgers({result["application"]: result["ledger"]})),
    ]
    return article(heading, result, sections)


def _workers(result: Result) -> str:
    """A bar per worker, all at one scale; where there are many, one for the mean."""
    rows = [(f"rank {row['rank']}, worker {row['worker']}", row) for row in result["ledger"]]
    if len(rows) > MOST_LISTED:
        rows = [(f"mean of {len(rows)}", mean_row(result["ledger"]))]
    longest = max(
        (sum(max(0.0, row[f"{k}_s"]) for k in LEDGER_PARTS) for _, row in rows), default=0.0
    )
    if longest <= 0:
        return element("p", "No time was booked.", class_="quiet")
    scale = (WIDTH - LEFT - RIGHT) / longest
    parts = []
    for index, (name, row) in enumerate(rows):
        y = TOP + index * ROW
        parts.append(label(name, LEFT - 12, y + 17, "lane", "end"))
        x = LEFT
        for kind in LEDGER_PARTS:
            width = max(0.0, row[f"{kind}_s"]) * scale
            if width > 0:
                length = seconds_text(row[f"{kind}_s"])
                parts.append(bar(x, y, width, ROW - 8, kind, f"{name}: {LABELS[kind]} {length}"))
                if width > 64:
                    parts.append(label(length, x + width / 2, y + 17, f"in in-{kind}", "middle"))
            x += width
        total = sum(row[f"{kind}_s"] for kind in LEDGER_PARTS)
        parts.append(label(seconds_text(total, 4), x + 12, y + 17, "figure"))
    drawn = drawing(WIDTH, TOP + ROW * len(rows), "Time of each worker by what it went to", *parts)
    return legend() + drawn + facts(program_sentences(result))


def _kept_of_the_trace(result: Result) -> str:
    """Returns what is to be known about a timeline that is not the whole run."""
    left_out = result.get("events_left_out") or 0
    events = [e for each in (result.get("timeline") or {}).values() for e in each]
    ranks = len({e["rank"] for e in events})
    if len(events) <= READABLE * ranks and result.get("timeline_is_whole", True) and not left_out:
        return ""
    said = "This is as much as can be read, from the middle of the run; a trace has all of it."
    if left_out:
        said += f" {left_out} events found no room and were not recorded."
    return element("p", said, class_="quiet")

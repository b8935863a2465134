# SPDX-License-Identifier: BSD-3-Clause
"""Draws what an unmodified MPI program did: bars of ranks, matrices, message sizes."""

from typing import Any

from plait.results.base import Result
from plait.results.figures.attach import PARTS, rank_s
from plait.units import number_text, seconds_text, size_text
from plait.views.html.drawn.picture import picture
from plait.views.html.drawn.svg import bar, drawing, element, label, legend, text
from plait.views.html.drawn.traffic import matrix_picture

WIDTH, LEFT, RIGHT, ROW, TOP = 960.0, 132.0, 110.0, 30.0, 8.0
# With more ranks than these a bar or a square each says less than a sample or a picture.
_MOST_BARS, _MOST_SQUARES = 32, 64
_OTHER = "other time in MPI"


def rank_bars(result: Result) -> str:
    """Returns a bar a rank: computing, and what its time in MPI went to."""
    ranks = result.get("ranks_detail") or []
    shown = _longest_in_mpi(ranks) if len(ranks) > _MOST_BARS else ranks
    rows = [(f"{row['count']:,} ranks", _parts(row)) for row in result.get("rank_classes") or []]
    rows += [(f"rank {row['rank']}", _parts(row)) for row in shown]
    if not rows:
        means = {name: rank_s(result, total or 0.0) for name, total in result["totals"].items()}
        rows = [("a rank", _parts(means))]
    longest = max(sum(seconds for _, _, seconds in parts) for _, parts in rows)
    if longest <= 0:
        return element("p", "No time was booked.", class_="quiet")
    scale = (WIDTH - LEFT - RIGHT) / longest
    drawn = []
    for index, (name, parts) in enumerate(rows):
        x, y = LEFT, TOP + index * ROW
        drawn.append(label(name, LEFT - 12, y + 16, "lane", "end"))
        for what, class_, seconds in parts:
            if seconds > 0:
                tip = f"{name}: {what} {seconds_text(seconds)}"
                drawn.append(bar(x, y, seconds * scale, ROW - 8, class_, tip))
                x += seconds * scale
        total = sum(seconds for _, _, seconds in parts)
        drawn.append(label(seconds_text(total, 4), x + 12, y + 16, "figure"))
    note = ""
    if len(shown) < len(ranks):
        said = f"{len(shown)} of {len(ranks)} ranks: those that are in MPI longest and shortest."
        note = element("p", text(said), class_="reading")
    if result.get("rank_classes"):
        said = "Ranks that are alike share a bar, the median of each figure."
        note = element("p", text(said), class_="reading")
    title = "Time of each rank by what it went to"
    return _legend() + drawing(WIDTH, TOP + ROW * len(rows), title, *drawn) + note


def _longest_in_mpi(ranks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns those that are in MPI longest and shortest, in the order of ranks."""
    by_time = sorted(ranks, key=lambda row: row.get("mpi_s") or 0.0)
    half = _MOST_BARS // 2
    return sorted([*by_time[:half], *by_time[-half:]], key=lambda row: row["rank"])


def _parts(row: dict[str, Any]) -> list[tuple[str, str, float]]:
    parts = [("computing", "compute", row.get("compute_s") or 0.0)]
    parts += [(name, class_, row.get(key) or 0.0) for key, (name, class_) in PARTS.items()]
    named = sum(seconds for _, _, seconds in parts[1:])
    return [*parts, (_OTHER, "idle", max(0.0, (row.get("mpi_s") or 0.0) - named))]


def _legend() -> str:
    entries = [("computing", "compute"), *PARTS.values(), (_OTHER, "idle")]
    return legend((f"k-{class_}", name) for name, class_ in entries)


def matrices(result: Result) -> str:
    """Returns the bytes and the messages that each rank sends to each."""
    found = result.get("matrix")
    if not found or not found["bytes"]:
        return element("p", "No message was seen.", class_="quiet")
    step = found.get("ranks_a_row", 1)
    shown = [
        element(
            "figure", _square(found[name], unit, title, step), element("figcaption", text(title))
        )
        for name, unit, title in (
            ("bytes", size_text, "bytes"),
            ("messages", lambda n: f"{number_text(n)} messages", "messages"),
        )
    ]
    reading = "A row sends, a column receives; the darker, the more. Collectives are not in it."
    if step > 1:
        reading += f" A row is {step} ranks that follow each other."
    return element("div", *shown, class_="maps") + element("p", reading, class_="reading")


def _square(sent: list[list[float]], unit: Any, title: str, step: int) -> str:  # noqa: ANN401
    if len(sent) <= _MOST_SQUARES:
        return matrix_picture(sent, unit, f"{title} from each rank to each", 330.0, step)
    most = max(max(row) for row in sent) or 1
    grey = bytes(255 - round(255 * size / most) for row in sent for size in row)
    return picture(len(sent), len(sent), grey, f"{title}: at most {unit(most)}")


def size_bars(result: Result) -> str:
    """Returns how many messages of each call have which size."""
    sizes = [one for one in result.get("message_sizes") or [] if one["count"]]
    if not sizes:
        return element("p", "No message was seen.", class_="quiet")
    parts = []
    for call in dict.fromkeys(one["call"] for one in sizes):
        mine = sorted((o for o in sizes if o["call"] == call), key=lambda one: one["log2_bytes"])
        caption = element("figcaption", element("b", text(call)))
        parts.append(element("figure", caption, _histogram(call, mine)))
    return element("div", *parts, class_="maps")


def _histogram(call: str, sizes: list[dict[str, Any]]) -> str:
    most = max(one["count"] for one in sizes)
    drawn = []
    for index, one in enumerate(sizes):
        y = TOP + index * 22
        limit = size_text(2.0 ** one["log2_bytes"]) if one["log2_bytes"] >= 0 else "0 B"
        width = 220 * one["count"] / most
        drawn.append(label(f"to {limit}", 88, y + 13, "lane", "end"))
        tip = f"{call}: {one['count']:,} of at most {limit}"
        drawn.append(bar(100, y, width, 16, "message", tip))
        drawn.append(label(f"{one['count']:,}", 108 + width, y + 13, "tick"))
    return drawing(420, TOP + 22 * len(sizes), f"sizes of {call}", *drawn)

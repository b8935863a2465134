# SPDX-License-Identifier: BSD-3-Clause
"""Draws the communication matrix: who sends how much to whom in a product."""

from collections.abc import Callable
from typing import Any

from plait.results.base import Result
from plait.units import size_text
from plait.views.html.drawn.svg import bar, drawing, element, label, table, text

_MOST_NUMBERED = 16
_SIDE = 480.0
_LEFT, _TOP = 64.0, 44.0


def traffic(result: Result) -> str:
    """Returns the picture, and what each way of dealing rows would send."""
    found = result["traffic"]
    sent = matrix_picture(found["bytes"], size_text, "who sends how much to whom")
    return sent + element("p", _READING, class_="reading") + _dealings(found)


_READING = """A row sends, a column receives; the darker, the more bytes in a product. The table has
what other ways of dealing the rows of this matrix would send."""


def matrix_picture(
    sent: list[list[float]],
    shown: Callable[[float], str],
    title: str,
    side: float = _SIDE,
    ranks_a_row: int = 1,
) -> str:
    """Returns a square a pair of ranks, or of rows of ranks, the darker the more is sent."""
    ranks = len(sent)
    cell = side / max(ranks, 4)
    most = max((one for row in sent for one in row), default=0) or 1
    marks = [label("to rank", _LEFT, 16), label("from", 8, _TOP + 0.6 * cell)]
    step = -(-ranks // _MOST_NUMBERED)
    for rank in range(0, ranks, step):
        middle = (rank + 0.5) * cell
        first = rank * ranks_a_row
        marks.append(label(first, _LEFT + middle, _TOP - 8, anchor="middle"))
        marks.append(label(first, _LEFT - 8, _TOP + middle + 4, anchor="end"))
    for source, row in enumerate(sent):
        for target, size in enumerate(row):
            ends = (_row_text(source, ranks_a_row), _row_text(target, ranks_a_row))
            tip = f"{ends[0]} {'send' if ranks_a_row > 1 else 'sends'} {shown(size)} to {ends[1]}"
            x, y = _LEFT + target * cell, _TOP + source * cell
            square = bar(x, y, cell - 1, cell - 1, "message" if size else "idle", tip)
            share = 0.15 + 0.85 * size / most if size else 0.25
            marks.append(element("g", square, opacity=round(share, 3)))
    size = ranks * cell
    return drawing(_LEFT + size + 8, _TOP + size + 8, title, *marks)


def _row_text(row: int, ranks_a_row: int) -> str:
    first = row * ranks_a_row
    return f"rank {first}" if ranks_a_row == 1 else f"ranks {first} to {first + ranks_a_row - 1}"


def _dealings(found: dict[str, Any]) -> str:
    header = ["rows dealt", "sent", "busiest rank", "messages", "rows", "nonzeros"]
    rows = []
    for name, one in found["dealings"].items():
        shown = element("b", text(name)) if name == found["dealing"] else text(name)
        rows.append([shown, size_text(one["sent_bytes"]), size_text(one["busiest_rank_bytes"]),
                     str(one["messages"]), f"× {one['imbalance_rows']:.2f}",
                     f"× {one['imbalance_nonzeros']:.2f}"])  # fmt: skip
    return table(header, rows)

# SPDX-License-Identifier: BSD-3-Clause
"""Tables that a click on a heading sorts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from plait.views.html.drawn.svg import element, text

Cell = tuple[str, Union[float, str, None]]  # markup, and what it is sorted by


def words(content: object) -> Cell:
    """Returns a cell of text."""
    return text(content), str(content)


def figure(shown: str, value: float | None) -> Cell:
    """Returns a cell of a number, shown as people read it."""
    return text(shown), value


def sortable_table(header: Sequence[str], rows: Sequence[Sequence[Cell]], numeric_from: int) -> str:
    """Returns the table; its first order is that of `rows`."""

    def class_of(index: int) -> str | None:
        return "n" if index >= numeric_from else None

    head = element("tr", *(
        element("th", element("button", text(name), type="button"), class_=class_of(index))
        for index, name in enumerate(header)
    ))  # fmt: skip
    body = (
        element("tr", *(
            element("td", shown, class_=class_of(index), data_key="" if key is None else repr(key)
                    if isinstance(key, float) else key)
            for index, (shown, key) in enumerate(row)
        ))
        for row in rows
    )  # fmt: skip
    whole = element("table", element("thead", head), element("tbody", *body), class_="sortable")
    return element("div", whole, class_="wide")

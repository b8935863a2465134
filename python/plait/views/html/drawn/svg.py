# SPDX-License-Identifier: BSD-3-Clause
"""Elements of HTML and SVG as text, escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable


def element(tag: str, *children: str, **attributes: object) -> str:
    """`<tag …>children</tag>`; children are markup already, attribute values are escaped.

    A trailing underscore is dropped (`class_`), other underscores become hyphens.
    """
    words = [tag]
    for name, value in attributes.items():
        if value is None:
            continue
        text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
        words.append(f'{name.rstrip("_").replace("_", "-")}="{html.escape(text)}"')
    opening = " ".join(words)
    return f"<{opening}>{''.join(children)}</{tag}>"


def text(content: object) -> str:
    """Escaped text."""
    return html.escape(str(content), quote=False)


def label(content: object, x: float, y: float, class_: str = "", anchor: str | None = None) -> str:
    """A piece of text in a drawing."""
    return element("text", text(content), x=x, y=y, class_=class_ or None, text_anchor=anchor)


def bar(x: float, y: float, width: float, height: float, kind: str, tip: str) -> str:
    """A coloured rectangle that explains itself."""
    return element(
        "rect", x=x, y=y, width=max(width, 0.75), height=height, class_=f"k-{kind}", data_tip=tip,
        role="img", aria_label=tip,
    )  # fmt: skip


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def dot(x: float, y: float, class_: str, tip: str) -> str:
    """A point that explains itself."""
    return element("circle", cx=x, cy=y, r=4, class_=class_, data_tip=tip, role="img",
                   aria_label=tip)  # fmt: skip


def polyline(points: list[tuple[float, float]], class_: str) -> str:
    """A line through points."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return element("polyline", points=places, class_=class_)


def drawing(width: float, height: float, title: str, *children: str) -> str:
    """An SVG that scales with the page."""
    return element(
        "svg", *children, viewBox=f"0 0 {width:g} {height:g}", role="group", aria_label=title,
        class_="drawing", style=f"max-width:{width:g}px",
    )  # fmt: skip


def table(header: list[str], rows: list[list[str]], numeric_from: int = 1) -> str:
    """A table; cells are markup."""

    def row(tag: str, cells: list[str]) -> str:
        return element("tr", *(element(tag, cell, class_="n" if i >= numeric_from else None)
                               for i, cell in enumerate(cells)))  # fmt: skip

    head = element("thead", row("th", header))
    return element(
        "div",
        element("table", head, element("tbody", *(row("td", r) for r in rows))),
        class_="wide",
    )


def legend(named: Iterable[tuple[str, str]]) -> str:
    """Colours and their meaning: classes of page.css, and words."""
    items = (
        element("li", element("span", class_=f"swatch {colour}"), text(words))
        for colour, words in named
    )
    return element("ul", *items, class_="legend")


def nice_step(span: float, pieces: int = 6) -> float:
    """A step of 1, 2 or 5 times a power of ten that cuts a span into about so many pieces."""
    if span <= 0:
        return 1.0
    raw = span / pieces
    power = 10.0 ** len(str(int(raw))) / 10 if raw >= 1 else 1.0
    while power > raw:
        power /= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)

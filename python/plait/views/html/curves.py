# SPDX-License-Identifier: BSD-3-Clause
"""Curves over several results on the page: one a variant, and a table of the same numbers."""

from plait.results.figures.curves import Curves
from plait.units import number_text, tick_text
from plait.views.html.article import facts
from plait.views.html.drawn.axes import Axes, rounded
from plait.views.html.drawn.svg import element, legend, table, text

_COLOURS = 8
_READING = """A point is a median, its bar spans the quartiles. Both follow from the times of the
whole run, which the slowest rank decides. """
_MEANING = {
    "Gflop/s": "Operations are counted by the application's formula.",
    "Communication": "The overhead is the time beyond computation alone, measured in the same job.",
    "Gain": "A gain is the median time of base by the time of a variant, in the same job.",
    "Speed-up": "A speed-up is an iteration of base on the fewest ranks by one on so many.",
}


def curves_article(curves: Curves, name: str = "curves") -> str:
    """Returns an article, called `name` on its page: the drawing, then its numbers."""
    reading = curves.reading or _READING + _MEANING[curves.figure.split()[0]]
    return element(
        "article",
        element("header", element("h1", text(curves.title), element("span", text(curves.heading)))),
        element("section", _drawing(curves), element("p", text(reading), class_="reading")),
        element("section", element("h2", "Figures"), _table(curves), facts(curves.unverified)),
        id=name,
    )  # fmt: skip


def _drawing(curves: Curves) -> str:
    spreads = [spread for row in curves.rows.values() for spread in row if spread]
    low = min(0.0, *(spread["q1"] for spread in spreads))
    high = max(low + 1e-9, *(spread["q3"] for spread in spreads))
    across = curves.places[0].x, curves.places[-1].x
    is_time = curves.text_of(1.0).endswith("s")
    axes = Axes(across, rounded(low, high, 5), left=80, inset=24)
    parts = [
        axes.rows(tick_text if is_time else lambda value: number_text(round(value, 6)), 5),
        axes.columns(((each.x, each.label) for each in curves.places), curves.axis, 46, True),
    ]
    colours = _colours(curves)
    parts += [axes.curve(colours[name], _points(curves, name)) for name in curves.rows]
    named = legend((f"c-{colour}", name) for name, colour in colours.items())
    return named + axes.drawing(curves.title, *parts)


def _colours(curves: Curves) -> dict[str, str]:
    """Returns the style of each curve: that of a limit for what no variant is to exceed."""
    names = [name for name in curves.rows if name.lower() != "ideal"]
    colours = {name: str(index % _COLOURS) for index, name in enumerate(names)}
    return {name: colours.get(name, "limit") for name in curves.rows}


def _points(curves: Curves, name: str) -> list[tuple[float, list[float], str]]:
    return [
        (place.x, [spread[q] for q in ("median", "q1", "q3")],
         f"{name}, {curves.axis} {place.label}: {curves.text(spread)}")
        for place, spread in zip(curves.places, curves.rows[name]) if spread
    ]  # fmt: skip


def _table(curves: Curves) -> str:
    rows = [
        [text(place.label), *(text(curves.text(row[index])) for row in curves.rows.values()),
         *(text(said[index]) for said in curves.remarks.values())]
        for index, place in enumerate(curves.places)
    ]  # fmt: skip
    return table([text(curves.axis), *map(text, [*curves.rows, *curves.remarks])], rows)

# SPDX-License-Identifier: BSD-3-Clause
"""Slowdowns over conditions: a curve a variant, medians as points, quartiles as bars."""

import dataclasses
from collections.abc import Iterator, Sequence

from plait.results.base import Spread
from plait.units import number_text
from plait.views.html.drawn.axes import Axes, rounded
from plait.views.html.drawn.curves import curve_legend
from plait.views.html.drawn.svg import element, polyline, text


@dataclasses.dataclass(frozen=True)
class Place:
    """A condition on the horizontal axis."""

    x: float
    label: str
    limit: float | None  # what the condition costs by itself


@dataclasses.dataclass(frozen=True)
class Slowdowns:
    """One variant's slowdown at every place; None where it was not measured."""

    name: str
    colour: str  # of the style sheet
    spreads: list[Spread | None]


def slowdown_curves(
    title: str, limit: str, places: Sequence[Place], variants: Sequence[Slowdowns]
) -> str:
    """Returns a legend and a drawing; `limit` names the dashed line of what conditions cost."""
    across = min(p.x for p in places), max(p.x for p in places)
    limits = [(place.x, place.limit) for place in places if place.limit is not None]
    values = [1.0, *(value for _, value in limits), *_values(variants)]
    low = min(values)
    axes = Axes(across, rounded(low, max(*values, low + 0.05), 5), inset=24)
    parts = [
        axes.rows(lambda value: number_text(round(value, 6)), 5),
        axes.columns(((place.x, place.label) for place in places), marked=True),
        polyline([(axes.x(x), axes.y(value)) for x, value in limits], "curve c-limit"),
    ]
    parts += [axes.curve(variant.colour, _points(variant, places)) for variant in variants]
    named = [*variants, Slowdowns(limit, "limit", [])]
    return element("h3", text(title)) + curve_legend(named) + axes.drawing(title, *parts)


def _values(variants: Sequence[Slowdowns]) -> Iterator[float]:
    for variant in variants:
        for spread in filter(None, variant.spreads):
            yield from (spread["median"], spread["q1"], spread["q3"])


def _points(variant: Slowdowns, places: Sequence[Place]) -> list[tuple[float, list[float], str]]:
    points = []
    for place, spread in zip(places, variant.spreads, strict=True):
        if spread:
            values = [spread[q] for q in ("median", "q1", "q3")]
            said = "{} ({} – {})".format(*(number_text(round(value, 3)) for value in values))
            points.append((place.x, values, f"{variant.name}, {place.label}: {said}"))
    return points

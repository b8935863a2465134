# SPDX-License-Identifier: BSD-3-Clause
"""The page of a `tolerance` result: a curve of slowdown a variant, over links and over noises."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from plait.results.base import Result, Spread
from plait.results.figures.tolerance import (
    Condition,
    at_rates,
    beside_noise,
    condition_text,
    slowdown_of,
    tolerance_sentences,
    variant_names,
)
from plait.units import number_text, rate_text, seconds_text
from plait.views.html.article import article, facts
from plait.views.html.drawn.axes import Axes, rounded
from plait.views.html.drawn.curves import COLOURS, curve_legend
from plait.views.html.drawn.svg import element, polyline, table, text

_READING = """A slowdown is the median time of a variant by the median of its times on the first
link without noise. Bars span the quartiles. <b>The link alone</b>: the slowdown of a program that
only sends. <b>The share alone</b>: that of a program that loses the time of the bursts and no
more, 1 / (1 − share)."""
# Beyond this share the line of the share alone would make all others flat.
_LARGEST_SHARE = 0.5


@dataclasses.dataclass(frozen=True)
class _Place:
    """A condition on the horizontal axis."""

    x: float
    label: str
    limit: float | None  # what the condition costs by itself


@dataclasses.dataclass(frozen=True)
class _Slowdowns:
    """One variant's slowdown at every place; None where it was not measured."""

    name: str
    colour: str  # of the style sheet
    spreads: list[Spread | None]


def tolerance(heading: str, result: Result) -> str:
    """Returns curves over the rates and over the noises, then the figures."""
    sections = []
    rates, noises = at_rates(result), beside_noise(result)
    if len(rates) > 1:
        sections.append(("Slower links", _over_rates(result, rates)))
    if noises:
        sections.append(("Noise", _over_noises(result, [rates[0], *noises])))
    sections.append(("Figures", _figures(result)))
    return article(heading, result, sections)


def _over_rates(result: Result, rates: Sequence[Condition]) -> str:
    first = rates[0]["rate_bps"]
    places = [
        _Place(first / each["rate_bps"], rate_text(each["rate_bps"]), first / each["rate_bps"])
        for each in rates
    ]
    return _drawn("Slowdown over the rate of the links", "the link alone", places,
                           _curves(result, rates))  # fmt: skip


def _over_noises(result: Result, conditions: Sequence[Condition]) -> str:
    places = [
        _Place(float(index), condition_text(each) if index else "no noise", _share_alone(each))
        for index, each in enumerate(conditions)
    ]
    drawn = _drawn("Slowdown beside noise", "the share alone", places,
                            _curves(result, conditions))  # fmt: skip
    return drawn + facts(tolerance_sentences(result))


def _share_alone(condition: Condition) -> float | None:
    share = condition["noise"]["wanted_share"] if condition["noise"] else 0.0
    return 1 / (1 - share) if share <= _LARGEST_SHARE else None


def _curves(result: Result, conditions: Sequence[Condition]) -> list[_Slowdowns]:
    return [
        _Slowdowns(name, str(index % COLOURS), [slowdown_of(each, name) for each in conditions])
        for index, name in enumerate(variant_names(result))
    ]


def _figures(result: Result) -> str:
    rows = [
        [
            text(condition_text(condition)),
            text(name),
            *(text(seconds_text(variant["total_s"][q], 4)) for q in ("median", "q1", "q3")),
            _ratio(condition, name),
            text("yes" if variant["verified"] else "NO"),
        ]
        for condition in result["conditions"]
        for name, variant in condition["variants"].items()
    ]
    header = ["condition", "variant", "median", "q1", "q3", "slowdown", "verified"]
    return table(header, rows, numeric_from=2) + element("p", _READING, class_="reading")


def _ratio(condition: Condition, name: str) -> str:
    slowdown = slowdown_of(condition, name)
    return f"{slowdown['median']:.3f}" if slowdown else ""


def _drawn(title: str, limit: str, places: Sequence[_Place], variants: Sequence[_Slowdowns]) -> str:
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
    named = [*variants, _Slowdowns(limit, "limit", [])]
    return element("h3", text(title)) + curve_legend(named) + axes.drawing(title, *parts)


def _values(variants: Sequence[_Slowdowns]) -> Iterator[float]:
    for variant in variants:
        for spread in filter(None, variant.spreads):
            yield from (spread["median"], spread["q1"], spread["q3"])


def _points(variant: _Slowdowns, places: Sequence[_Place]) -> list[tuple[float, list[float], str]]:
    points = []
    for place, spread in zip(places, variant.spreads):
        if spread:
            values = [spread[q] for q in ("median", "q1", "q3")]
            said = "{} ({} – {})".format(*(number_text(round(value, 3)) for value in values))
            points.append((place.x, values, f"{variant.name}, {place.label}: {said}"))
    return points

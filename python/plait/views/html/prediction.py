# SPDX-License-Identifier: BSD-3-Clause
"""A prediction as curves: time by size, or by ranks, a curve for each algorithm."""

import math
from collections.abc import Callable

from plait.results.base import Result
from plait.results.figures.prediction import Cost, costs_of, network_text
from plait.units import seconds_text, tick_text
from plait.views.html.article import article
from plait.views.html.svg import drawing, element, label, line, table, text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960.0, 320.0, 92.0, 24.0, 12.0, 40.0
_MOST_DECADES = 24


def prediction(heading: str, result: Result) -> str:
    """The network, the curves, the figures."""
    costs = costs_of(result)
    algorithms = list(result["rows"])
    by_size = len({cost.size for cost in costs}) > 1
    charts = {(cost.ranks if by_size else cost.size): [] for cost in costs}
    for cost in costs:
        charts[cost.ranks if by_size else cost.size].append(cost)
    operation = result["parameters"]["operation"]
    parts = [
        element("p", text(network_text(result["parameters"])), class_="reading"),
        legend(algorithms),
    ]
    for title, chosen in charts.items():
        parts.append(element("h3", text(f"{operation}, {title}")))
        parts.append(_curves(f"{operation}, {title}", chosen, algorithms, by_size))
    drawn = "".join(parts) + _figures(costs)
    return article(heading, result, [("Predicted time", drawn)])


def legend(algorithms: list[str]) -> str:
    """Returns what colour each algorithm has."""
    items = (
        element("li", element("span", class_=f"swatch c-{index}"), text(name))
        for index, name in enumerate(algorithms)
    )
    return element("ul", *items, class_="legend")


def place(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """Returns the function from a value to its place on a logarithmic axis."""
    low, high = math.log(low), math.log(high)
    return lambda value: (
        start + (end - start) * ((math.log(value) - low) / (high - low) if high > low else 0.5)
    )


def _curves(title: str, costs: list[Cost], algorithms: list[str], by_size: bool) -> str:
    def across(cost: Cost) -> float:
        return _bytes_of(cost.size) if by_size else float(cost.ranks.split()[0])

    # One rank alone pays nothing, which has no place on a logarithmic axis.
    drawn = [cost for cost in costs if cost.total_s > 0]
    if not drawn:
        return element("p", "One rank alone pays nothing.", class_="quiet")
    low, high = decades([cost.total_s for cost in drawn])
    up = place(low, high, HEIGHT - BOTTOM, TOP)
    along = place(min(map(across, drawn)), max(map(across, drawn)), LEFT + 24, WIDTH - RIGHT - 24)
    parts = [time_axis(low, high, up)]
    for value, name in {across(c): c.size if by_size else c.ranks for c in drawn}.items():
        parts.append(label(name, along(value), HEIGHT - BOTTOM + 22, "tick", "middle"))
    for index, algorithm in enumerate(algorithms):
        own = [cost for cost in drawn if cost.algorithm == algorithm]
        parts.append(_curve(index, sorted(own, key=across), lambda c: along(across(c)), up))
    return drawing(WIDTH, HEIGHT, title, *parts)


def decades(times_s: list[float]) -> tuple[float, float]:
    """The powers of ten around some times, at least one decade apart."""
    low = 10.0 ** math.floor(math.log10(min(times_s)))
    high = 10.0 ** math.ceil(math.log10(max(times_s)))
    return low, high if high > low else low * 10


def time_axis(low: float, high: float, up: Callable[[float], float]) -> str:
    """Lines and figures at powers of ten."""
    parts = []
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1)[:_MOST_DECADES]:
        y = up(10.0**power)
        parts.append(line(LEFT, y, WIDTH - RIGHT, y, "grid"))
        parts.append(label(tick_text(10.0**power), LEFT - 10, y + 4, "tick", "end"))
    return "".join(parts)


def _curve(
    index: int, costs: list[Cost], along: Callable[[Cost], float], up: Callable[[float], float]
) -> str:
    points = [(along(cost), up(cost.total_s), cost) for cost in costs]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    parts = [element("polyline", points=path, class_=f"curve c-{index}")]
    for x, y, cost in points:
        tip = (
            f"{cost.algorithm}, {cost.ranks}, {cost.size}: {seconds_text(cost.total_s)}, of it"
            f" {seconds_text(cost.processor_s)} processor"
        )
        if cost.cheapest:
            tip += "; the least"
        parts.append(
            element(
                "circle", cx=x, cy=y, r=5.0 if cost.cheapest else 3.5,
                class_=f"point c-{index}", data_tip=tip, role="img", aria_label=tip,
            )
        )  # fmt: skip
    return "".join(parts)


def _bytes_of(size: str) -> float:
    number = size.rstrip("KMiB")
    return float(number) * {"B": 1, "KiB": 2**10, "MiB": 2**20}[size.removeprefix(number)]


def _figures(costs: list[Cost]) -> str:
    rows = []
    for cost in costs:
        times = (cost.total_s, cost.processor_s, cost.network_s)
        cells = [text(cost.ranks), text(cost.size), text(cost.algorithm)]
        cells += [text(seconds_text(each)) for each in times]
        said = (("least", cost.cheapest), ("LibNBC", cost.libnbc))
        notes = text(", ".join(word for word, holds in said if holds))
        rows.append([element("b", cell) if cost.cheapest else cell for cell in [*cells, notes]])
    header = ["ranks", "size", "algorithm", "total", "processor", "network", ""]
    return table(header, rows, numeric_from=3)

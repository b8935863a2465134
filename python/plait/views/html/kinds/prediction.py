# SPDX-License-Identifier: BSD-3-Clause
"""A prediction as curves: time by size, or by ranks, a curve for each algorithm."""

from plait.results.base import Result
from plait.results.figures.prediction import Cost, costs_of, network_text
from plait.units import seconds_text
from plait.views.html.article import article
from plait.views.html.drawn.axes import decade_axes, decade_rows
from plait.views.html.drawn.svg import element, legend, polyline, table, text


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
        algorithms_legend(algorithms),
    ]
    for title, chosen in charts.items():
        parts.append(element("h3", text(f"{operation}, {title}")))
        parts.append(_curves(f"{operation}, {title}", chosen, algorithms, by_size))
    drawn = "".join(parts) + _figures(costs)
    return article(heading, result, [("Predicted time", drawn)])


def algorithms_legend(algorithms: list[str]) -> str:
    """Returns what colour each algorithm has."""
    return legend((f"c-{index}", name) for index, name in enumerate(algorithms))


def _curves(title: str, costs: list[Cost], algorithms: list[str], by_size: bool) -> str:
    def across(cost: Cost) -> float:
        return _bytes_of(cost.size) if by_size else float(cost.ranks.split()[0])

    # One rank alone pays nothing, which has no place on a logarithmic axis.
    drawn = [cost for cost in costs if cost.total_s > 0]
    if not drawn:
        return element("p", "One rank alone pays nothing.", class_="quiet")
    sizes = [across(cost) for cost in drawn]
    axes = decade_axes((min(sizes), max(sizes)), [cost.total_s for cost in drawn])
    marks = {across(c): c.size if by_size else c.ranks for c in drawn}
    parts = [decade_rows(axes), axes.columns(marks.items())]
    for index, algorithm in enumerate(algorithms):
        own = sorted((cost for cost in drawn if cost.algorithm == algorithm), key=across)
        places = [(axes.x(across(cost)), axes.y(cost.total_s)) for cost in own]
        parts.append(polyline(places, f"curve c-{index}"))
        parts += [_point(index, *place, cost) for place, cost in zip(places, own)]
    return axes.drawing(title, *parts)


def _point(index: int, x: float, y: float, cost: Cost) -> str:
    tip = (
        f"{cost.algorithm}, {cost.ranks}, {cost.size}: {seconds_text(cost.total_s)}, of it"
        f" {seconds_text(cost.processor_s)} processor"
    )
    if cost.cheapest:
        tip += "; the least"
    return element(
        "circle", cx=x, cy=y, r=5.0 if cost.cheapest else 3.5, class_=f"point c-{index}",
        data_tip=tip, role="img", aria_label=tip,
    )  # fmt: skip


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

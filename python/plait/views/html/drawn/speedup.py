# SPDX-License-Identifier: BSD-3-Clause
"""Speed-up over ranks: what the model predicts with and without overlap, and what was measured."""

from collections.abc import Sequence

from plait.results.base import Result
from plait.results.figures.speedup import PREDICTED, iteration_s
from plait.units import seconds_text
from plait.views.html.drawn.axes import Axes
from plait.views.html.drawn.svg import dot, element, legend, polyline, table, text

_READING = """Lines: an iteration on one rank / on so many, by the model, with computation as
measured here and the network's parameters given. Points: measured, of all results on this page
that solve the same problem with one worker a rank."""


def speedup(result: Result, results: Sequence[Result]) -> str:
    """Curves, points and their figures; for a result with a prediction."""
    predicted = result["prediction"]["over_ranks"]
    alone_s = predicted[0]["base_s"]
    curves = {
        name: [(float(one["ranks"]), alone_s / one[key]) for one in predicted]
        for name, (key, _) in PREDICTED.items()
    }
    points = _measured(result, results)
    reading = element("p", text(" ".join(_READING.split())), class_="reading")
    names = legend((f"c-{index}", name) for index, name in enumerate(curves))
    return names + _drawing(curves, points) + reading + _figures(result, points)


def _measured(result: Result, results: Sequence[Result]) -> dict[str, list[tuple[float, float]]]:
    """(ranks, speed-up) of each variant: against `base` on one rank, measured or predicted."""
    same = [
        other
        for other in results
        if other.get("app") == result["app"]
        and other["parameters"].get("size") == result["parameters"]["size"]
    ]
    alone_s = result["prediction"]["over_ranks"][0]["base_s"]
    for other in same:
        if other["environment"]["ranks"] == 1 and "base" in other["variants"]:
            alone_s = iteration_s(other, "base")
    found: dict[str, list[tuple[float, float]]] = {}
    for other in same:
        for _, names in PREDICTED.values():
            for name in names:
                # More threads also compute faster.
                if other["variants"].get(name, {}).get("workers", 2) == 1:
                    ranks = float(other["environment"]["ranks"])
                    gained = alone_s / iteration_s(other, name)
                    found.setdefault(name, []).append((ranks, gained))
    return found


def _drawing(
    curves: dict[str, list[tuple[float, float]]], points: dict[str, list[tuple[float, float]]]
) -> str:
    everything = [place for group in (curves, points) for one in group.values() for place in one]
    most_ranks, most = (max(values) for values in zip(*everything))

    axes = Axes((0.0, most_ranks), (0.0, most), height=380)
    marks = ((ranks, f"{ranks:g}") for ranks in sorted({ranks for ranks, _ in everything}))
    parts = [axes.rows("{:g}".format, 5), axes.columns(marks, "ranks", gap=30)]
    for index, (name, places) in enumerate(curves.items()):
        colour = f"c-{index}"
        parts.append(polyline([(axes.x(r), axes.y(s)) for r, s in places], f"curve {colour}"))
        for variant in PREDICTED[name][1]:
            for ranks, gained in points.get(variant, []):
                plural = "s" if ranks > 1 else ""
                tip = f"{variant}, {ranks:g} rank{plural}: {gained:.3g} times as fast, measured"
                parts.append(dot(axes.x(ranks), axes.y(gained), f"dot {colour}", tip))
    return axes.drawing("speed-up over ranks", *parts)


def _figures(result: Result, points: dict[str, list[tuple[float, float]]]) -> str:
    rows = []
    for one in result["prediction"]["over_ranks"]:
        cells = [text(one["ranks"])]
        for key, names in PREDICTED.values():
            cells.append(text(seconds_text(one[key])))
            gained = [f"{name} {s:.2f}" for name in names for r, s in points.get(name, [])
                      if r == one["ranks"]]  # fmt: skip
            speed = result["prediction"]["over_ranks"][0]["base_s"] / one[key]
            cells.append(text(f"{speed:.2f}" + (f" ({', '.join(gained)})" if gained else "")))
        rows.append(cells)
    header = ["ranks"]
    for name in PREDICTED:
        header += [name, "speed-up (measured)"]
    return table(header, rows)

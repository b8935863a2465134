# SPDX-License-Identifier: BSD-3-Clause
"""The article of a benchmark: bars per implementation, one group per case."""

from typing import Any

from plait.results.base import Result
from plait.results.rows import cases_of_rows
from plait.units import figure_text
from plait.views.html.article import article
from plait.views.html.drawn.svg import bar, drawing, element, label, line, table, text

WIDTH, LEFT, RIGHT, ROW = 960.0, 190.0, 150.0, 30.0


def benchmark(heading: str, result: Result) -> str:
    """A drawing per case, then the figures in full."""
    parts = []
    for case, implementations in cases_of_rows(result).items():
        title = " ".join(case).replace("_", " ")
        parts += [element("h3", text(title)), _bars(title, case[-1], implementations)]
    return article(heading, result, [("Figures", "".join(parts) + figures_table(result))])


def figures_table(result: Result) -> str:
    """The figures in full, without drawings."""
    rows = []
    for case, implementations in cases_of_rows(result).items():
        for name, spread in implementations:
            figures = [text(figure_text(case[-1], spread[q])) for q in ("median", "q1", "q3")]
            rows.append([text(" ".join(case).replace("_", " ")), text(name), *figures])
    return table(["case", "implementation", "median", "q1", "q3"], rows, numeric_from=2)


def _bars(title: str, figure: str, implementations: list[tuple[str, dict[str, Any]]]) -> str:
    # A hidden fraction may be negative: such a bar has no length.
    longest = max(0.0, *(spread["q3"] for _, spread in implementations)) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / longest
    ours = next((s["median"] for name, s in implementations if name == "plait"), None)
    parts = []
    for index, (name, spread) in enumerate(implementations):
        y = 6 + index * ROW
        kind = "compute" if name.startswith("plait") else "idle"
        median, q1, q3 = (figure_text(figure, spread[q]) for q in ("median", "q1", "q3"))
        tip = f"{name}: {median} ({q1} – {q3})"
        parts.append(label(name, LEFT - 12, y + 17, "name", "end"))
        parts.append(bar(LEFT, y, max(0.0, spread["median"]) * scale, ROW - 8, kind, tip))
        low, high = (LEFT + max(0.0, spread[q]) * scale for q in ("q1", "q3"))
        parts.append(line(low, y + 11, high, y + 11, "whisker"))
        ratio = f"   × {spread['median'] / ours:.2f}" if ours and name != "plait" else ""
        parts.append(label(median + ratio, WIDTH - RIGHT + 16, y + 16, "figure"))
    return drawing(WIDTH, 12 + ROW * len(implementations), title, *parts)

# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark's figures: bars per implementation, one group per case."""

from typing import Any

from plait.report.svg import bar, drawing, element, label, line, table, text
from plait.result import Result, flatten_rows

WIDTH, LEFT, RIGHT, ROW = 960.0, 190.0, 150.0, 30.0
_Cases = dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]]


def benchmark(result: Result) -> str:
    """A drawing per case, then the figures in full."""
    cases = _cases_of(result)
    parts = []
    for case, implementations in cases.items():
        title = " ".join(case).replace("_", " ")
        parts += [element("h3", text(title)), _bars(title, implementations)]
    return "".join(parts) + _table_of(cases)


def figures_table(result: Result) -> str:
    """The figures in full, without drawings."""
    return _table_of(_cases_of(result))


def _table_of(cases: _Cases) -> str:
    rows = []
    for case, implementations in cases.items():
        for name, spread in implementations:
            figures = [f"{spread[q]:.4g}" for q in ("median", "q1", "q3")]
            rows.append([text(" ".join(case).replace("_", " ")), text(name), *figures])
    return table(["case", "implementation", "median", "q1", "q3"], rows, numeric_from=2)


def _cases_of(result: Result) -> _Cases:
    cases: _Cases = {}
    for path, spread in flatten_rows(result["rows"]):
        cases.setdefault(path[1:], []).append((path[0], spread))
    return cases


def _bars(title: str, implementations: list[tuple[str, dict[str, Any]]]) -> str:
    # A hidden fraction may be negative: such a bar has no length.
    longest = max(0.0, *(spread["q3"] for _, spread in implementations)) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / longest
    ours = next((s["median"] for name, s in implementations if name == "plait"), None)
    parts = []
    for index, (name, spread) in enumerate(implementations):
        y = 6 + index * ROW
        kind = "compute" if name.startswith("plait") else "idle"
        tip = f"{name}: {spread['median']:.4g} ({spread['q1']:.4g} – {spread['q3']:.4g})"
        parts.append(label(name, LEFT - 12, y + 17, "name", "end"))
        parts.append(bar(LEFT, y, max(0.0, spread["median"]) * scale, ROW - 8, kind, tip))
        low, high = (LEFT + max(0.0, spread[q]) * scale for q in ("q1", "q3"))
        parts.append(line(low, y + 11, high, y + 11, "whisker"))
        ratio = f"   × {spread['median'] / ours:.2f}" if ours and name != "plait" else ""
        parts.append(label(f"{spread['median']:.4g}{ratio}", WIDTH - RIGHT + 16, y + 16, "figure"))
    return drawing(WIDTH, 12 + ROW * len(implementations), title, *parts)

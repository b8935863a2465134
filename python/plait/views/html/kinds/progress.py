# SPDX-License-Identifier: BSD-3-Clause
"""The page of a `progress` result: the regret as heat maps, and every row of every cell."""

from __future__ import annotations

from collections.abc import Sequence

from plait.results.base import Result
from plait.results.figures.progress import (
    OWN,
    Cell,
    Map,
    cells_of,
    contestants_of,
    grid_of,
    maps_of,
    progress_sentences,
    size_label,
    task_text,
)
from plait.units import seconds_text
from plait.views.html.article import article
from plait.views.html.drawn.svg import drawing, element, label, table, text
from plait.views.html.kinds.benchmark import figures_table

# The colour says nothing about what is beyond.
HOTTEST = 0.10
_LEFT, _TOP, _WIDTH, _HEIGHT, _GAP = 72.0, 26.0, 74.0, 34.0, 2.0
_READING = f"""<b>Regret</b>: the time of <i>{OWN}</i> by that of the fastest other row, less 1;
it is negative where <i>{OWN}</i> is the fastest. In each repetition the fastest row is that of the
other repetitions, so that no row wins by luck; the median is shown. Colours go from 0 % to 10 %,
and are the same on every page. <b>Attainable</b> = max(computation + the processor time the
transport itself takes, communication), each measured alone in this session."""


def progress(heading: str, result: Result) -> str:
    """The regret as heat maps, then every row of every cell."""
    sections = [
        ("Regret", _regrets(result)),
        ("Time by what can be attained", _over_attainable(result)),
        ("Figures", figures_table(result)),
    ]
    return article(heading, result, sections)


def _regrets(result: Result) -> str:
    """A heat map for each number in flight and rate, and what they come to."""
    mpi = result["environment"]["mpi"]
    maps = [_map(each, mpi, cells) for each, cells in maps_of(cells_of(result)).items()]
    said = [element("p", text(line), class_="limit") for line in progress_sentences(result)]
    reading = element("p", _READING, class_="reading")
    return element("div", *maps, class_="maps") + _scale() + "".join(said) + reading


def _over_attainable(result: Result) -> str:
    """Every row of every cell: its time by what can be attained."""
    cells = cells_of(result)
    rows = contestants_of(cells)
    lines = []
    for cell in cells:
        limit, regret = cell.attainable_us, cell.regret()
        lines.append([
            text(cell.name),
            text(seconds_text(1e-6 * limit)) if limit else "",
            *(_ratio(cell.over_attainable(row)) for row in rows),
            f"{regret:.1%}" if regret is not None else "",
        ])  # fmt: skip
    return table(["cell", "attainable", *map(text, rows), "regret"], lines)


def _ratio(value: float | None) -> str:
    return f"{value:.3f}" if value is not None else ""


def _map(each: Map, mpi: str, cells: Sequence[Cell]) -> str:
    tasks, sizes, by_place = grid_of(cells)
    title = f"{mpi}, {each.describe()}"
    parts = [label(size_label(size), _LEFT + (column + 0.5) * _WIDTH, _TOP - 8, "tick", "middle")
             for column, size in enumerate(sizes)]  # fmt: skip
    for row, task_s in enumerate(tasks):
        y = _TOP + row * _HEIGHT
        parts.append(label(task_text(task_s), _LEFT - 8, y + 21, "tick", "end"))
        for column, size in enumerate(sizes):
            cell = by_place.get((task_s, size))
            if cell is not None:
                parts += _square(cell, _LEFT + column * _WIDTH, y)
    width, height = _LEFT + len(sizes) * _WIDTH, _TOP + len(tasks) * _HEIGHT
    return element("figure", element("h3", text(title)), drawing(width, height, title, *parts))


def _square(cell: Cell, x: float, y: float) -> list[str]:
    regret = cell.regret()
    if regret is None:
        return []
    tip = f"{cell.name}: regret {regret:.1%}, the fastest other row is {cell.best_other()}"
    return [
        _coloured(x, y, _WIDTH - _GAP, heat(regret), tip),
        label(f"{regret:.1%}", x + (_WIDTH - _GAP) / 2, y + 21, "figure", "middle"),
    ]


def heat(regret: float) -> float:
    """Returns the strength of the colour, from 0 to 1."""
    return min(max(regret / HOTTEST, 0.0), 1.0)


def _coloured(x: float, y: float, width: float, strength: float, tip: str) -> str:
    return element(
        "rect", x=x, y=y, width=width, height=_HEIGHT - _GAP, class_="heat",
        style=f"fill-opacity:{strength:.3f}", data_tip=tip, role="img", aria_label=tip,
    )  # fmt: skip


def _scale() -> str:
    """The colours from none to the strongest."""
    steps = 5
    parts = []
    for step in range(steps + 1):
        regret = HOTTEST * step / steps
        beyond = " and more" if step == steps else " and less" if step == 0 else ""
        x = _LEFT + step * _WIDTH
        parts.append(_coloured(x, 0.0, _WIDTH - _GAP, heat(regret), f"{regret:.0%}{beyond}"))
        parts.append(label(f"{regret:.0%}", x + (_WIDTH - _GAP) / 2, 21.0, "tick", "middle"))
    return drawing(_LEFT + (steps + 1) * _WIDTH, _HEIGHT, "the scale of the colours", *parts)

# SPDX-License-Identifier: BSD-3-Clause
"""A figure over two scales, as a mesh in three dimensions: LibNBC's slides 13 and 14."""

from collections.abc import Mapping, Sequence

from plait.units import number_text
from plait.views.html.drawn.svg import dot, drawing, element, label, line, nice_step, polyline, text

WIDTH, HEIGHT, LEFT, BOTTOM = 960.0, 420.0, 70.0, 46.0
# Of the drawing: along the front edge, and to the right and up along the side edge.
_FRONT, _RIGHT, _UP, _TALL = 600.0, 200.0, 120.0, 220.0

Place = tuple[int, int]  # of a row and of a column


class _Projection:
    def __init__(self, rows: int, columns: int, highest: float) -> None:
        self.rows, self.columns = max(rows - 1, 1), max(columns - 1, 1)
        self.step = nice_step(highest, 4)
        self.highest = self.step * max(1, -(-highest // self.step))

    def at(self, row: float, column: float, value: float) -> tuple[float, float]:
        along, back = column / self.columns, row / self.rows
        x = LEFT + along * _FRONT + back * _RIGHT
        y = HEIGHT - BOTTOM - back * _UP - value / self.highest * _TALL
        return x, y


def surface(
    title: str, rows: Sequence[str], columns: Sequence[str], values: Mapping[Place, float]
) -> str:
    """Returns the mesh of percentages; nothing where fewer than two rows or columns have values.

    Rows go to the back, columns to the right. A place without a value breaks the lines through it.
    """
    if min(len({row for row, _ in values}), len({column for _, column in values})) < 2:
        return ""
    to = _Projection(len(rows), len(columns), max(*values.values(), 1e-9))
    parts = _axes(to, rows, columns)
    for row in reversed(range(len(rows))):
        parts += _mesh_line(to, values, [(row, column) for column in range(len(columns))])
    for column in range(len(columns)):
        parts += _mesh_line(to, values, [(row, column) for row in range(len(rows))])
    for (row, column), value in values.items():
        tip = f"{rows[row]}, {columns[column]}: {number_text(round(value, 2) + 0)} %"
        parts.append(dot(*to.at(row, column, value), "dot c-0", tip))
    return element("h3", text(title)) + drawing(WIDTH, HEIGHT, title, *parts)


def _mesh_line(
    to: _Projection, values: Mapping[Place, float], places: Sequence[Place]
) -> list[str]:
    """Returns the pieces of a line between neighbours that both have values."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for row, column in places:
        if (row, column) in values:
            pieces[-1].append(to.at(row, column, values[row, column]))
        elif pieces[-1]:
            pieces.append([])
    return [polyline(piece, "curve c-0") for piece in pieces if len(piece) > 1]


def _axes(to: _Projection, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    last_row, last_column = len(rows) - 1, len(columns) - 1
    floor = [(0, 0), (0, last_column), (last_row, last_column), (last_row, 0), (0, 0)]
    corners = [to.at(row, column, 0) for row, column in floor]
    parts = [line(*begin, *end, "grid") for begin, end in zip(corners, corners[1:])]
    for index in range(round(to.highest / to.step) + 1):
        value = index * to.step
        x, y = to.at(0, 0, value)
        parts += [line(x, y, *to.at(last_row, 0, value), "grid"),
                  label(f"{value:g} %", x - 8, y + 4, "tick", "end")]  # fmt: skip
    least_gap = 46.0
    before = -least_gap
    for column, name in enumerate(columns):
        x, y = to.at(0, column, 0)
        if x - before >= least_gap:
            before = x
            parts.append(label(name, x, y + 20, "tick", "middle"))
    for row, name in enumerate(rows):
        x, y = to.at(row, last_column, 0)
        parts.append(label(name, x + 10, y + 4, "tick"))
    return parts

# SPDX-License-Identifier: BSD-3-Clause
"""The pages of `nbc` and `overlap` results: curves against sizes, and what they come to."""

from plait.results.base import Result
from plait.results.figures.overlap import is_processor_row, nbc_sentences, overlap_sentence
from plait.views.html.article import article
from plait.views.html.drawn.curves import COLOURS, Curve, Point, curves, size_text
from plait.views.html.drawn.surface import Place, surface
from plait.views.html.drawn.svg import element, text
from plait.views.html.kinds.benchmark import figures_table

# Title, unit, the rows' figure, and the one of `alone` that limits it.
_NBC_PLOTS = (
    ("overlap that wall-clock time confirms", "%", "confirmed_overlap_percent",
     "attainable_overlap_percent"),
    ("overlap by OSU's definition", "%", "osu_overlap_percent", ""),
    ("overlap by IMB's documents", "%", "imb_documents_percent", ""),
    ("overlap by IMB-NBC's code", "%", "imb_code_percent", ""),
    ("overhead, as a share of the blocking call", "%", "overhead_percent", ""),
    ("overhead", "µs", "overhead_us", "transport_cpu_us"),
)  # fmt: skip
_NBC_READING = """<b>Overhead</b>: start, tests and wait together (LibNBC).
<b>Overlap that wall-clock time confirms</b>: communication and work alone, less the whole, by
communication. <b>Attainable</b>: what the processor time of the transport leaves.
OSU and IMB take the work as it went beside communication, so that a transport which slows it down
does not count there. <b>Processor share</b>: processor time of a process during the blocking call,
by wall time; a library that polls takes all of a processor while it waits."""
_OVERLAP_READING = """<b>Availability</b>: 1 − (iteration − work) / base, as SMB defines it: of the
time of a message, the part in which the program could compute. Rank 0 posts, computes and waits;
rank 1 does the opposite at once. <b>Attainable</b>: what the transport's processor time leaves."""


def nbc(heading: str, result: Result) -> str:
    """Returns what is hidden of each operation, by every definition."""
    rows = result["rows"]
    ways = [row for row in rows if row != "alone" and not is_processor_row(row)]
    shares = [row for row in rows if is_processor_row(row)]
    parts = [_said(nbc_sentences(result))]
    operations = dict.fromkeys(cell["op"] for cells in rows.values() for cell in cells.values())
    for op in operations:
        for title, unit, figure, limit in _NBC_PLOTS:
            drawn = _curves_of(result, ways, figure, "op", op)
            drawn += _limit(result, limit, "op", op)
            parts.append(curves(f"{op}: {title}", unit, drawn))
        drawn = _curves_of(result, shares, "processor_percent", "op", op)
        drawn += _limit(result, "transport_percent", "op", op, "what the transport itself takes")
        parts.append(curves(f"{op}: processor share of the blocking call", "%", drawn))
        parts += _surfaces(result, shares, op)
    drawn = "".join(parts) + element("p", _NBC_READING, class_="reading")
    sections = [("What is hidden", drawn), ("Figures", figures_table(result))]
    return article(heading, result, sections)


def overlap(heading: str, result: Result) -> str:
    """The availability of sends and of receives."""
    ways = [row for row in result["rows"] if row != "alone"]
    parts = [_said([overlap_sentence(result)])]
    for direction in ("send", "receive"):
        drawn = _curves_of(result, ways, "availability_percent", "direction", direction)
        drawn += _limit(result, "attainable_percent", "direction", direction)
        parts.append(curves(f"{direction}: availability", "%", drawn))
    drawn = "".join(parts) + element("p", _OVERLAP_READING, class_="reading")
    sections = [("What the library hides by itself", drawn), ("Figures", figures_table(result))]
    return article(heading, result, sections)


def _said(sentences: list[str]) -> str:
    return "".join(element("p", text(sentence), class_="limit") for sentence in sentences)


def _curves_of(result: Result, rows: list[str], figure: str, key: str, value: str) -> list[Curve]:
    return [
        Curve(row.removeprefix("processor, "), _points(result, row, figure, key, value),
              str(index % COLOURS))
        for index, row in enumerate(rows)
    ]  # fmt: skip


# What the call needs, as the slides plot it, and what it takes of a library that polls.
_SURFACES = (("transport_percent", "share of a processor that the call needs"),
             ("processor_percent", "share of a processor that the call takes"))  # fmt: skip


def _surfaces(result: Result, rows: list[str], op: str) -> list[str]:
    """Returns the shares over communicator size and data size."""
    cells = [cell for row in rows for cell in result["rows"][row].values() if cell["op"] == op]
    sizes = sorted({cell["size_bytes"] for cell in cells})
    names = [row.removeprefix("processor, ") for row in rows]
    parts = []
    for figure, title in _SURFACES:
        values: dict[Place, float] = {}
        for index, row in enumerate(rows):
            for point in _points(result, row, figure, "op", op):
                values[index, sizes.index(point.size_bytes)] = point.median
        columns = [size_text(size) for size in sizes]
        parts.append(surface(f"{op}: {title}", names, columns, values))
    return parts


def _limit(
    result: Result, figure: str, key: str, value: str, name: str = "attainable"
) -> list[Curve]:
    if figure == "transport_cpu_us":
        name = "the transport's processor time"
    return [Curve(name, _points(result, "alone", figure, key, value), "limit")]


def _points(result: Result, row: str, figure: str, key: str, value: str) -> list[Point]:
    """Of the cells whose remark `key` is `value`, by size."""
    points = []
    for cell in result["rows"].get(row, {}).values():
        spread = cell.get(figure)
        if cell.get(key) == value and isinstance(spread, dict):
            points.append(Point(cell["size_bytes"], *(spread[q] for q in ("median", "q1", "q3"))))
    return sorted(points, key=lambda point: point.size_bytes)

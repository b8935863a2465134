# SPDX-License-Identifier: BSD-3-Clause
"""A series of runs of one application over sizes, ranks, grids or rates, a run a point.

Every point is a result of its own, in a file of its own; what is read off them, curves compute.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence

from plait import results
from plait.errors import BadInput
from plait.plain import plain, tell
from plait.results import Result
from plait.results.figures.curves import Curves, curves_of
from plait.results.figures.scaling import are_of_scaling, scaling_curves
from plait.run.nodes import is_of_nodes, run_of_nodes, wanted_of
from plait.run.runner import Request, prepare, rates_of, run_program
from plait.run.words import take_options
from plait.units import rate_text
from plait.views.html import write_report
from plait.views.html.curves import curves_article
from plait.views.terminal.console import console
from plait.views.terminal.curves import show_curves

# Options of applications that take one value, and so a list of them is a series.
_SIZES = ("--n", "--size", "--class", "--phantom", "--grid")


@dataclasses.dataclass(frozen=True)
class Point:
    """One run of a series."""

    place: str  # as it stands in a file's name: `n=500`
    asked: Request


def points_of(asked: Request, ranks: Sequence[int], rates: str | None) -> list[Point]:
    """Returns the runs that these words ask for: one, unless a list stands where one value may.

    Errors: BadInput for two lists, a value that is named twice, and rates without nodes.
    """
    values, _ = take_options(asked.options, _SIZES)
    lists = {option: value.split(",") for option, value in values.items() if "," in value}
    if len(ranks) > 1:
        lists["--ranks"] = [str(count) for count in ranks]
    if rates is not None:
        lists["--rates"] = [rate_text(rate_bps) for rate_bps in rates_of(rates)]
    if len(lists) > 1:
        raise BadInput(f"{' and '.join(lists)}: both are lists; a series goes over one of them")
    if not lists:
        return [Point("", dataclasses.replace(asked, ranks=ranks[0]))]
    ((option, each),) = lists.items()
    if len(set(each)) < len(each):
        raise BadInput(f"{option} {','.join(each)}: names one twice")
    if asked.trace is not None:
        raise BadInput("--trace: a trace is of one run, and this is a series")
    name = {"--rates": "rate"}.get(option, option.removeprefix("--"))
    asked = dataclasses.replace(asked, ranks=ranks[0])
    return [Point(f"{name}={value}", _at(asked, option, value)) for value in each]


def _at(asked: Request, option: str, value: str) -> Request:
    """Returns the run with this value of the option."""
    if option == "--ranks":
        lab = asked.lab
        if lab is not None and "nodes=" not in lab and "name=" not in lab:
            lab = f"nodes={value}" + (f",{lab}" if lab else "")
        return dataclasses.replace(asked, ranks=int(value), lab=lab)
    if option == "--rates":
        if asked.lab is None:
            raise BadInput("--rates: name the nodes too, such as --lab nodes=2")
        if "rate=" in asked.lab:
            raise BadInput("--rates: --lab names a rate, too")
        return dataclasses.replace(asked, lab=f"{asked.lab},rate={value}")
    _, others = take_options(asked.options, (option,))
    return dataclasses.replace(asked, options=[*others, option, value])


def file_of(point: Point, json: pathlib.Path) -> pathlib.Path:
    """Returns where the result of a point goes: beside the file that was named."""
    return json.with_suffix(f".{point.place}{json.suffix}")


def run_application(asked: Request) -> tuple[Result | None, int]:
    """Runs an application as one job, or as the jobs that `--per-node` takes."""
    return run_of_nodes(asked) if is_of_nodes(asked) else run_program(asked)


def prepare_points(points: Sequence[Point], json: pathlib.Path | None) -> None:
    """Has what the runs take installed and built, after refusing words and files that are wrong."""
    for point in points:
        if is_of_nodes(point.asked):
            wanted_of(point.asked)
        if json is not None and point.place:
            results.check_writable(file_of(point, json), "--json")
    prepare(points[-1].asked)


def run_series(
    points: Sequence[Point], json: pathlib.Path | None, page: pathlib.Path | None
) -> int:
    """Runs every point, writes its file, and shows the curves; returns the largest exit code."""
    found: list[Result] = []
    exit_code = 0
    for number, point in enumerate(points, 1):
        tell(f"{point.asked.name}, {point.place} ({number} of {len(points)})")
        result, code = run_application(point.asked)
        if result is None:
            return code
        found.append(result)
        exit_code = max(exit_code, code)
        if json is not None:
            results.save(result, file_of(point, json))
            print(plain(f"result: {results.short(file_of(point, json))}"))
    show_curves_of(found, page)
    return exit_code


def show_curves_of(found: Sequence[Result], page: pathlib.Path | None) -> None:
    """Shows the curves over results as a table, where they have some, and writes the page."""
    curves: Curves | None = scaling_curves(found) if are_of_scaling(found) else curves_of(found)
    if page is not None:
        write_report(found, page, curves_article(curves) if curves else "")
    if curves:
        show_curves(curves, console())
    if page is not None:
        print(plain(f"report: {results.short(page)}"))

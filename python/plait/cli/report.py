# SPDX-License-Identifier: BSD-3-Clause
"""`plait report`: result files as one page, and as files for other tools."""

import pathlib
from typing import Annotated, Optional

import typer

from plait.formats.written import Wanted, check_wanted, write_wanted
from plait.results import check_writable, load
from plait.results.figures.attach_timeline import with_timeline
from plait.run.series import show_curves_of


def report(
    files: Annotated[
        list[pathlib.Path], typer.Argument(metavar="RESULT.json…", help="Result files.")
    ],
    output: Annotated[
        Optional[pathlib.Path],
        typer.Option("--output", "-o", help="The page; beside the first result when left out."),
    ] = None,
    csv: Annotated[
        Optional[pathlib.Path],
        typer.Option(metavar="FOLDER", help="Write tables as CSV here, too: a file each."),
    ] = None,
    hatchet: Annotated[
        Optional[pathlib.Path],
        typer.Option(metavar="FILE", help="Write call sites for Hatchet and Thicket, too."),
    ] = None,
    trace: Annotated[
        Optional[pathlib.Path],
        typer.Option(metavar="FILE", help="The trace of the same run; the page shows its middle."),
    ] = None,
    otf2: Annotated[
        Optional[pathlib.Path],
        typer.Option(metavar="FOLDER", help="Write the trace for Vampir and Scalasca, too."),
    ] = None,
    goal: Annotated[
        Optional[pathlib.Path],
        typer.Option(metavar="FILE", help="Write the trace for simulators that read GOAL, too."),
    ] = None,
) -> None:
    """Write one self-contained HTML page: breakdown, timeline, ledger, circumstances.

    Of several results of one application it begins with curves over what differs between them.
    """
    wanted = Wanted(csv=csv, hatchet=hatchet, trace=trace, otf2=otf2, goal=goal)
    check_wanted(wanted, len(files))
    results = [load(file) for file in files]
    page = output or files[0].with_suffix(".html")
    check_writable(page, "--output")
    write_wanted(wanted, {str(file): one for file, one in zip(files, results)})
    if trace is not None and results[0].get("kind") == "attach":
        results[0] = with_timeline(results[0], trace)
    show_curves_of(results, page)

# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure loggp`: the network's parameters of LogGP."""

from typing import Annotated

import typer

from plait.cli.measure_options import given
from plait.cli.options import Json, Lab, Mpi, Report, ReportFile, Verbose, report_page, run_and_end
from plait.cli.passing_on import PASSED_ON, PassingOn
from plait.run.runner import Request

_EPILOG = """**Examples**

`plait measure loggp`

`plait measure loggp --lab nodes=2,rate=1gbit --report`

`plait measure loggp --mpi mpich --max-size 256KiB --repeat 20`

Exit code: 0 measured, 2 bad input, 3 or more: the job broke off."""


def register(app: typer.Typer) -> None:
    """Add the command to `plait measure`."""
    app.command(epilog=_EPILOG, cls=PassingOn, context_settings=PASSED_ON)(loggp)


def loggp(
    context: typer.Context,
    ranks: Annotated[int, typer.Option("--ranks", "-n", min=1, help="Number of processes: 2.")] = 2,
    mpi: Mpi = "openmpi",
    lab: Lab = None,
    sizes: Annotated[
        str | None,
        typer.Option(help="Message sizes, 1,1KiB,64KiB; 1, 1025, 2049, … when left out."),
    ] = None,
    max_size: Annotated[str | None, typer.Option(help="Largest of these; 64KiB.")] = None,
    messages: Annotated[int | None, typer.Option(help="Messages of a burst (n); 10.")] = None,
    floods: Annotated[
        str | None,
        typer.Option(help="Sizes that both ranks send at once, or none; 64KiB,1MiB."),
    ] = None,
    raw_tcp: Annotated[
        bool,
        typer.Option("--raw-tcp", help="Also TCP without the MPI library, in the same session."),
    ] = False,
    repeat: Annotated[int | None, typer.Option(help="Rounds over all sizes; 10.")] = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
    verbose: Verbose = False,
) -> None:
    """Measure L, o, g and G of LogGP between two ranks, as netgauge does, and G both ways at once.

    Options that are not listed go to the program itself.
    """
    options = given(sizes=sizes, max_size=max_size, messages=messages, floods=floods, repeat=repeat)
    options += ["--raw-tcp"] if raw_tcp else []
    page = report_page("loggp", report, report_file)
    request = Request("network", "loggp", mpi, ranks, lab, [*options, *context.args], verbose)
    run_and_end(request, json, page)

# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure nbc`: what of a collective operation can be hidden."""

from typing import Annotated

import typer

from plait.cli.measure_options import (
    Lab,
    Mpi,
    Only,
    Repeat,
    Sizes,
    Verbose,
    given,
)
from plait.cli.options import Json, Report, ReportFile, report_page, run_and_end
from plait.cli.passing_on import PASSED_ON, PassingOn
from plait.run.runner import Request

_EPILOG = """**Examples**

`plait measure nbc --op alltoall --sizes 64KiB,1MiB --lab nodes=2,rate=1gbit --report`

`plait measure nbc --op allreduce,bcast --ranks 4 --mpi mpich`

What the columns mean is in docs/use/measure_overlap.md."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("nbc", epilog=_EPILOG, cls=PassingOn, context_settings=PASSED_ON)(nbc)


def nbc(
    context: typer.Context,
    op: Annotated[
        str,
        typer.Option(
            help="allgather, allreduce, alltoall, bcast, gather, reduce, reduce_scatter, scan or"
            " scatter, or several with commas."
        ),
    ] = "alltoall",
    sizes: Sizes = None,
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of processes.")] = 2,
    mpi: Mpi = "openmpi",
    lab: Lab = None,
    only: Only = None,
    repeat: Repeat = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
    verbose: Verbose = False,
) -> None:
    """Measure what of a collective operation hides behind work: MPI's calls, and plait's tasks."""
    options = [*given(op=op, sizes=sizes, only=only, repeat=repeat), *context.args]
    request = Request("network", "nbc", mpi, ranks, lab, options, verbose)
    run_and_end(request, json, report_page("nbc", report, report_file))

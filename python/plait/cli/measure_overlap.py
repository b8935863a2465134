# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure overlap`: what this MPI library hides of a message by itself."""

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

`plait measure overlap --lab nodes=2,rate=1gbit`

`plait measure overlap --sizes 8,64KiB,1MiB --mpi mpich --report`

What the figures mean is in docs/use/measure_overlap.md."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("overlap", epilog=_EPILOG, cls=PassingOn, context_settings=PASSED_ON)(overlap)


def overlap(
    context: typer.Context,
    sizes: Sizes = None,
    mpi: Mpi = "openmpi",
    lab: Lab = None,
    only: Only = None,
    repeat: Repeat = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
    verbose: Verbose = False,
) -> None:
    """Measure what MPI_Isend and MPI_Irecv leave to the program (SMB), and what plait leaves."""
    options = [*given(sizes=sizes, only=only, repeat=repeat), *context.args]
    request = Request("network", "overlap", mpi, 2, lab, options, verbose)
    run_and_end(request, json, report_page("overlap", report, report_file))

# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure windows`: gets and puts on messages and on the MPI library's own windows."""

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

`plait measure windows`

`plait measure windows --lab nodes=2,rate=1gbit --sizes 8,64KiB,1MiB --mpi mpich --report`

What the figures mean is in docs/use/one_sided.md."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("windows", epilog=_EPILOG, cls=PassingOn, context_settings=PASSED_ON)(windows)


def windows(
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
    """Measure gets and puts on windows: alone, in a stream, and on a rank that computes."""
    options = [*given(sizes=sizes, only=only, repeat=repeat), *context.args]
    request = Request("network", "windows", mpi, 2, lab, options, verbose)
    run_and_end(request, json, report_page("windows", report, report_file))

# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure`: what this network and this MPI library can do."""

import typer

from plait.cli import measure_loggp, measure_nbc, measure_overlap, measure_windows

app = typer.Typer(
    no_args_is_help=True, help="Measure what this network and this MPI library can do."
)
measure_loggp.register(app)
measure_nbc.register(app)
measure_overlap.register(app)
measure_windows.register(app)

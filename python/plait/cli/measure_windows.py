# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure windows`: gets and puts on messages and on the MPI library's own windows."""

import typer

from plait.cli.measure_rows import Start, add_rows

_EPILOG = """**Examples**

`plait measure windows`

`plait measure windows --lab nodes=2,rate=1gbit --sizes 8,64KiB,1MiB --mpi mpich --report`

docs/use/one_sided.md explains the figures."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    add_rows(app, _EPILOG, windows)


def windows() -> Start:
    """Measure gets and puts on windows: alone, in a stream, and on a rank that computes."""
    return Start()

# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure overlap`: the part of a message that this MPI library hides by itself."""

import typer

from plait.cli.measure_rows import Start, add_rows

_EPILOG = """**Examples**

`plait measure overlap --lab nodes=2,rate=1gbit`

`plait measure overlap --sizes 8,64KiB,1MiB --mpi mpich --report`

docs/use/measure_overlap.md explains the figures."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    add_rows(app, _EPILOG, overlap)


def overlap() -> Start:
    """Measure the time that MPI_Isend and MPI_Irecv leave to the program (SMB), and plait too."""
    return Start()

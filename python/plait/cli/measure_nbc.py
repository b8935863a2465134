# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure nbc`: the part of a collective operation that can be hidden."""

from typing import Annotated

import typer

from plait.cli.measure_options import given
from plait.cli.measure_rows import Start, add_rows

_EPILOG = """**Examples**

`plait measure nbc --op alltoall --sizes 64KiB,1MiB --lab nodes=2,rate=1gbit --report`

`plait measure nbc --op allreduce,bcast --ranks 4 --mpi mpich`

docs/use/measure_overlap.md explains the columns."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    add_rows(app, _EPILOG, nbc)


def nbc(
    op: Annotated[
        str,
        typer.Option(
            help="One or several with commas of allgather, allreduce, alltoall, barrier, bcast,"
            " exscan, gather, reduce, reduce_scatter, scan, scatter; allgatherv, alltoallv,"
            " gatherv, scatterv; neighbour_allgather, neighbour_alltoall."
        ),
    ] = "alltoall",
    ranks: Annotated[int, typer.Option("--ranks", "-n", min=1, help="Number of processes.")] = 2,
) -> Start:
    """Measure how much of a collective operation hides behind work, by MPI's calls and as tasks."""
    return Start(ranks, given(op=op))

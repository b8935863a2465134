# SPDX-License-Identifier: BSD-3-Clause
"""`plait measure`: what this network and this MPI library can do."""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Optional

import typer

from plait.cli.options import (
    Json,
    Lab,
    Mpi,
    Repeat,
    Report,
    ReportFile,
    Verbose,
    given,
    report_page,
    run_and_end,
)
from plait.cli.passing_on import PassingOn
from plait.run.runner import Request

app = typer.Typer(
    no_args_is_help=True, help="Measure what this network and this MPI library can do."
)

_LOGGP = """**Examples**

`plait measure loggp`

`plait measure loggp --lab nodes=2,rate=1gbit --report`

`plait measure loggp --mpi mpich --max-size 256KiB --repeat 20`

Exit code: 0 measured, 2 bad input, 3 or more: the job broke off."""

_NBC = """**Examples**

`plait measure nbc --op alltoall --sizes 64KiB,1MiB --lab nodes=2,rate=1gbit --report`

`plait measure nbc --op allreduce,bcast --ranks 4 --mpi mpich`

docs/use/measure_overlap.md explains the columns."""

_OVERLAP = """**Examples**

`plait measure overlap --lab nodes=2,rate=1gbit`

`plait measure overlap --sizes 8,64KiB,1MiB --mpi mpich --report`

docs/use/measure_overlap.md explains the figures."""

_WINDOWS = """**Examples**

`plait measure windows`

`plait measure windows --lab nodes=2,rate=1gbit --sizes 8,64KiB,1MiB --mpi mpich --report`

docs/use/one_sided.md explains the figures."""


@app.command(epilog=_LOGGP, cls=PassingOn)
def loggp(
    context: typer.Context,
    ranks: Annotated[int, typer.Option("--ranks", "-n", min=1, help="Number of processes: 2.")] = 2,
    mpi: Mpi = "openmpi",
    lab: Lab = None,
    sizes: Annotated[
        Optional[str],
        typer.Option(help="Message sizes, 1,1KiB,64KiB; 1, 1025, 2049, … when left out."),
    ] = None,
    max_size: Annotated[Optional[str], typer.Option(help="Largest of these; 64KiB.")] = None,
    messages: Annotated[Optional[int], typer.Option(help="Messages of a burst (n); 10.")] = None,
    floods: Annotated[
        Optional[str],
        typer.Option(help="Sizes that both ranks send at once, or none; 64KiB,1MiB."),
    ] = None,
    raw_tcp: Annotated[
        bool,
        typer.Option("--raw-tcp", help="Also TCP without the MPI library, in the same session."),
    ] = False,
    repeat: Annotated[Optional[int], typer.Option(help="Rounds over all sizes; 10.")] = None,
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


@dataclasses.dataclass(frozen=True)
class Start:
    """Holds what a command's own options say of its program's start."""

    ranks: int = 2
    options: Sequence[str] = ()


def _add_rows(epilog: str) -> Callable[[Callable[..., Start]], None]:
    """Adds a command that is named and described as the function below, and has its options.

    Behind them come the options of all commands whose programs measure rows at message sizes. The
    command starts the program of its name in `network/`.
    """

    def add(own: Callable[..., Start]) -> None:
        name = own.__name__

        def command(
            context: typer.Context,
            sizes: Annotated[Optional[str], typer.Option(help="Bytes, as 8,4KiB,1MiB.")] = None,
            mpi: Mpi = "openmpi",
            lab: Lab = None,
            only: Annotated[
                Optional[str],
                typer.Option(help="Which rows: plait auto,nonblocking; -- --help lists them."),
            ] = None,
            repeat: Repeat = None,
            json: Json = None,
            report: Report = False,
            report_file: ReportFile = None,
            verbose: Verbose = False,
            **of_own: object,
        ) -> None:
            start = own(**of_own)
            shared = given(sizes=sizes, only=only, repeat=repeat)
            options = [*start.options, *shared, *context.args]
            request = Request("network", name, mpi, start.ranks, lab, options, verbose)
            run_and_end(request, json, report_page(name, report, report_file))

        context, *shared, _ = inspect.signature(command).parameters.values()
        options = [*inspect.signature(own).parameters.values(), *shared]
        command.__signature__ = inspect.Signature([context, *options])
        app.command(name, help=own.__doc__, epilog=epilog, cls=PassingOn)(command)

    return add


@_add_rows(_NBC)
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


@_add_rows(_OVERLAP)
def overlap() -> Start:
    """Measure the time that MPI_Isend and MPI_Irecv leave to the program (SMB), and plait too."""
    return Start()


@_add_rows(_WINDOWS)
def windows() -> Start:
    """Measure gets and puts on windows: alone, in a stream, and on a rank that computes."""
    return Start()

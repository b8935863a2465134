# SPDX-License-Identifier: BSD-3-Clause
"""`plait attach` as the help shows it; `plait.attach.command` reads its words and does the work."""

import sys
from typing import Annotated

import typer

from plait.attach.command import main as attach_main
from plait.launch import library

_EPILOG = """**Examples**

`mpiexec -n 4 plait attach ./program input.txt`

`mpiexec -n 4 plait attach --progress --report=page.html -- ./program -x`

`mpiexec -n 4 plait attach --mpi openmpi python3 script.py`

It stands before the program, not before mpiexec. `plait run --attach ./program` starts mpiexec,
too, and an emulated cluster with `--lab`. The exit code is the program's."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command("attach", epilog=_EPILOG, context_settings=settings)(attach)


def attach(
    program: Annotated[list[str], typer.Argument(metavar="PROGRAM", help="With its words.")],
    progress: Annotated[
        bool, typer.Option("--progress", help="Give non-blocking calls progress.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Write a trace for Perfetto; --trace=FILE names it.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Find send buffers that change before their wait.")
    ] = False,
    json: Annotated[str | None, typer.Option("--json", help="Write the result file here.")] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write an HTML report; --report=FILE.html names it.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no summary.")] = False,
    mpi: Annotated[
        str | None, typer.Option(help=f"Of a script or an interpreter. {library.HELP}")
    ] = None,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Write --json and --report of a job that was killed.")
    ] = False,
    build: Annotated[
        bool, typer.Option("--build", help="Build plait's library for --mpi, and end.")
    ] = False,
) -> None:
    """Run an unmodified MPI program with plait in front of its MPI library.

    It says at the end how much the program waited, where, and how much of that could be hidden.
    """
    attach_main(sys.argv[2:])

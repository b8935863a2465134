# SPDX-License-Identifier: BSD-3-Clause
"""`plait simulate`: how long a program takes on a machine that is not here."""

import os
import pathlib
import sys
from typing import Annotated, Optional

import typer

from plait import ready
from plait.cli.options import given
from plait.errors import BadInput
from plait.programs import without_mpi

EPILOG = """**Examples**

`plait simulate program.goal --loggops L=2500,o=1500,g=1000,G=6,O=0,S=65535`

`plait simulate program.goal --dialect loggops --finish`

Times are in ns, as LogGOPSim has them. Exit code: 0, or 2 where the file or the program in it is
wrong; a line says each time what."""


def simulate(
    file: Annotated[pathlib.Path, typer.Argument(metavar="FILE.goal", help="Text or binary.")],
    dialect: Annotated[
        Optional[str], typer.Option(help="loggops: the times of LogGOPSim, oddities included.")
    ] = None,
    loggops: Annotated[
        Optional[str],
        typer.Option(help="L=2500,o=1500,g=1000,G=6,O=0,S=65535: in ns, ns a byte and bytes."),
    ] = None,
    finish: Annotated[
        bool, typer.Option("--finish", help="Print each rank's finish time in ns, nothing else.")
    ] = False,
    json: Annotated[
        Optional[pathlib.Path], typer.Option(help="File for the result; - = standard output.")
    ] = None,
    write_goal: Annotated[
        Optional[pathlib.Path], typer.Option(help="File for the program as GOAL text.")
    ] = None,
    write_binary: Annotated[
        Optional[pathlib.Path], typer.Option(help="File for the program in GOAL's binary form.")
    ] = None,
    write_lp: Annotated[
        Optional[pathlib.Path],
        typer.Option(help="File for the run as a linear program, the order of events frozen."),
    ] = None,
) -> None:
    """Predict how long a program takes on a machine that is not here, and what limits it."""
    if not file.is_file():
        raise BadInput(f"{file}: there is no such file")
    words = given(
        dialect=dialect, loggops=loggops, json=json, write_goal=write_goal,
        write_binary=write_binary, write_lp=write_lp,
    )  # fmt: skip
    ready.build("openmpi", "simulate")
    sys.stdout.flush()
    program = str(_find())
    os.execv(program, [program, *words, *(["--finish"] if finish else []), "--", str(file)])


def _find() -> pathlib.Path:
    """Returns the program, which needs no MPI."""
    if program := without_mpi("network", "simulate"):
        return program
    raise BadInput("plait's program simulate is not built yet; from a checkout ./plait builds it")

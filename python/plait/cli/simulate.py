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

`plait run ./my_program --record FOLDER`, then
`plait simulate FOLDER --network measured.json,500mbit,1gbit --policy sleeping,dedicated`

Times are in ns, as LogGOPSim has them. Exit code: 0, or 2 where the file or the program in it is
wrong; a line says each time what."""


def simulate(
    file: Annotated[
        pathlib.Path, typer.Argument(metavar="FILE.goal|FOLDER", help="GOAL, or a recording.")
    ],
    dialect: Annotated[
        Optional[str],
        typer.Option(
            help="loggops: the times of LogGOPSim, oddities included; plait: who looks after"
            " messages, and on whose core, counts (of recordings the default)."
        ),
    ] = None,
    loggops: Annotated[
        Optional[str],
        typer.Option(help="L=2500,o=1500,g=1000,G=6,O=0,S=65535: in ns, ns a byte and bytes."),
    ] = None,
    network: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE|RATE,…",
            help="Files of a network's parameters, and rates such as 1gbit,500mbit on top of them.",
        ),
    ] = None,
    policy: Annotated[
        Optional[str],
        typer.Option(metavar="P,…", help="Who looks: none, workers, sleeping, auto, dedicated."),
    ] = None,
    workers: Annotated[
        Optional[int], typer.Option(min=0, help="Threads of a rank that run tasks.")
    ] = None,
    cores: Annotated[Optional[int], typer.Option(min=0, help="Cores of a rank.")] = None,
    bucket: Annotated[
        Optional[int], typer.Option(min=0, help="Bytes that a link lets pass at once.")
    ] = None,
    look: Annotated[
        Optional[float], typer.Option(help="Microseconds of a core that a look costs.")
    ] = None,
    runtime: Annotated[
        Optional[int], typer.Option(min=0, help="The only runtime of a recording to take, from 0.")
    ] = None,
    ranks: Annotated[
        Optional[str],
        typer.Option(help="Other grid for a program on a periodic grid: 216x216x216."),
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
    if not file.exists():
        raise BadInput(f"{file}: there is no such file")
    words = given(
        dialect=dialect, loggops=loggops, ranks=ranks, network=network, policy=policy,
        workers=workers, cores=cores, bucket=bucket, look=look, runtime=runtime, json=json,
        write_goal=write_goal,
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

# SPDX-License-Identifier: BSD-3-Clause
"""`plait simulate`: how long a program takes on a machine that is not here."""

import os
import pathlib
import sys
from collections.abc import Mapping
from typing import Annotated, Optional

import typer

from plait import ready
from plait.cli.options import (
    Lab,
    Mpi,
    Report,
    ReportFile,
    Verbose,
    check_writable,
    given,
    report_page,
)
from plait.errors import BadInput
from plait.programs import without_mpi
from plait.run.recorded_calls import recorded_calls
from plait.run.simulated import STANDARD_OUTPUT, Execution, SimulationRun, run_simulation

EPILOG = """**Examples**

`plait simulate program.goal --loggops L=2500,o=1500,g=1000,G=6,O=0,S=65535`

`plait simulate program.goal --dialect loggops --finish`

`plait run ./my_program --record FOLDER`, then
`plait simulate FOLDER --network measured.json,500mbit,1gbit --policy sleeping,dedicated`

`plait run --attach ./their_program --record FOLDER`, then the same lines

`plait simulate FOLDER --network measured.json --report --execute --lab nodes=2,rate=1gbit`

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
    nodes: Annotated[
        Optional[str],
        typer.Option(metavar="N|N,N,…", help="How many nodes there are, or the node of each rank."),
    ] = None,
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
    report: Report = False,
    report_file: ReportFile = None,
    execute: Annotated[
        bool,
        typer.Option(
            "--execute",
            help="Run the program as a real MPI job, too: messages are real, computation waits.",
        ),
    ] = False,
    looks: Annotated[
        Optional[str],
        typer.Option(
            metavar="WHEN", help="Of --execute: a rank looks always, idle, or each so many µs."
        ),
    ] = None,
    repeat: Annotated[
        Optional[int],
        typer.Option(help="Of --execute: runs after the first, which does not count; 5."),
    ] = None,
    mpi: Mpi = None,
    lab: Lab = None,
    verbose: Verbose = False,
) -> None:
    """Predict how long a program takes on a machine that is not here, and what limits it."""
    if not file.exists():
        raise BadInput(f"{file}: there is no such file")
    calls = recorded_calls(file) if file.is_dir() else None
    if calls is not None:
        if runtime is not None:
            raise BadInput("--runtime: a recording of plait attach has no runtimes")
        file = calls.program
        is_loggops = dialect == "loggops" or loggops or ranks or finish or write_lp
        if dialect == "plait" or not is_loggops:
            dialect, policy, nodes = "plait", policy or calls.policy, nodes or calls.nodes
            cores = calls.cores if cores is None and calls.cores else cores
    words = given(
        dialect=dialect, loggops=loggops, ranks=ranks, network=network, policy=policy,
        workers=workers, cores=cores, nodes=nodes, bucket=bucket, look=look, runtime=runtime,
    )  # fmt: skip
    written = given(write_goal=write_goal, write_binary=write_binary, write_lp=write_lp)
    last = ["--finish"] if finish else []
    of_job = {"looks": looks, "repeat": repeat, "mpi": mpi, "lab": lab}
    if execute:
        _refuse_beside_execute({"--finish": finish, "--ranks": ranks})
    else:
        _refuse_without_execute({**of_job, "verbose": verbose or None})
    page = report_page("simulate", report, report_file)
    check_writable({"--report": page})
    if page is None and not execute and calls is None:
        ready.build("openmpi", "simulate")
        sys.stdout.flush()
        program = str(_find())
        all_words = [*words, *given(json=json), *written, *last]
        os.execv(program, [program, *all_words, "--", str(file)])
    check_writable({"--json": None if json == STANDARD_OUTPUT else json})
    known = {name: value for name, value in of_job.items() if value is not None}
    execution = Execution(**known, runtime=runtime, verbose=verbose) if execute else None
    if execution is not None:
        execution.prepare()
    ready.build("openmpi", "simulate")
    asked = SimulationRun(
        _find(), [*words, *written, *last], file, json, page, execution,
        recorded_s=calls.took_s if calls is not None else None,
    )  # fmt: skip
    raise typer.Exit(run_simulation(asked))


def _refuse_beside_execute(given_words: Mapping[str, object]) -> None:
    for option, value in given_words.items():
        if value:
            raise BadInput(f"{option}: not with --execute, which runs the program as it is")


def _refuse_without_execute(given_words: Mapping[str, object]) -> None:
    for option, value in given_words.items():
        if value is not None:
            raise BadInput(f"--{option}: is for real runs; give --execute too")


def _find() -> pathlib.Path:
    """Returns the program, which needs no MPI."""
    if program := without_mpi("network", "simulate"):
        return program
    raise BadInput("plait's program simulate is not built yet; from a checkout ./plait builds it")

# SPDX-License-Identifier: BSD-3-Clause
"""`plait simulate`: how long a program takes on a machine that is not here."""

import os
import pathlib
import sys
from collections.abc import Mapping, Sequence
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
from plait.run.recorded_calls import RecordedCalls, recorded_calls
from plait.run.simulated import STANDARD_OUTPUT, Execution, SimulationRun, run_simulation

EPILOG = """**Examples**

`plait simulate program.goal --loggops L=2500,o=1500,g=1000,G=6,O=0,S=65535`

`plait simulate program.goal --dialect loggops --finish`

`plait run ./my_program --record FOLDER`, then
`plait simulate FOLDER --network measured.json,500mbit,1gbit --policy sleeping,dedicated`

`plait run --attach ./their_program --record FOLDER`, then the same lines

`plait simulate FOLDER_2 FOLDER_4 --ranks 8,64 --network measured.json`

`plait simulate FOLDER --topology 'fat_tree:2;4,4;1,2;1,2,rate=10gbit' --network measured.json`

`plait simulate FOLDER --network measured.json --report --execute --lab nodes=2,rate=1gbit`

Times are in ns, as LogGOPSim has them. Exit code: 0, or 2 where the file or the program in it is
wrong; a line says each time what."""


def simulate(
    files: Annotated[
        list[pathlib.Path],
        typer.Argument(
            metavar="FILE.goal|FOLDER",
            help="GOAL, or a recording. For --ranks 8,64 recordings of one program on two numbers"
            " of ranks or more.",
        ),
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
    topology: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE.xml|KIND:…",
            help="Links that nodes share, which SimGrid simulates: a platform file, or"
            " fat_tree:2;4,4;1,2;1,2,rate=10gbit,latency=1us, star:, torus:, dragonfly:.",
        ),
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
    region: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME[:N]",
            help="The only region of a recording of plait attach to take, its stay N, from 0.",
        ),
    ] = None,
    ranks: Annotated[
        Optional[str],
        typer.Option(
            metavar="N,…",
            help="Numbers of ranks, or grids, to predict from several recordings: 8,64 or 4x4. Of"
            " one file another grid, where all ranks do the same on a periodic one: 216x216x216.",
        ),
    ] = None,
    ranks_of_a_node: Annotated[
        Optional[int],
        typer.Option(min=1, help="Of several recordings: how many ranks share a node."),
    ] = None,
    same_work: Annotated[
        bool,
        typer.Option(
            "--same-work",
            help="Of several recordings: the work of a rank does not grow, and durations are those"
            " of the fewest ranks.",
        ),
    ] = False,
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
    for file in files:
        if not file.exists():
            raise BadInput(f"{file}: there is no such file")
    several = len(files) > 1
    if several and not ranks:
        raise BadInput("several recordings: give --ranks, the numbers of ranks to predict: 8,64")
    file = files[0]
    found = [recorded_calls(one, several, region or "") if one.is_dir() else None for one in files]
    calls = found[0]
    if any((one is None) != (calls is None) for one in found):
        raise BadInput("recordings of plait attach do not go together with others")
    if calls is not None:
        if runtime is not None:
            raise BadInput("--runtime: a recording of plait attach has no runtimes")
        files = [one.program for one in found if one is not None]
        file = calls.program
        if several and ranks_of_a_node is None and not nodes:
            ranks_of_a_node = _ranks_of_a_node(found)
        is_loggops = dialect == "loggops" or loggops or finish or write_lp
        is_loggops = is_loggops or (ranks and not several)
        if dialect == "plait" or not is_loggops:
            _expect_alike(found, {"policy": policy, "cores": cores})
            dialect, policy = "plait", policy or calls.policy
            nodes = nodes or (None if several else calls.nodes)
            cores = calls.cores if cores is None and calls.cores else cores
    if calls is None and region is not None:
        raise BadInput("--region: is of recordings of plait attach, and this is none")
    words = given(
        dialect=dialect, loggops=loggops, ranks=ranks, network=network, policy=policy,
        workers=workers, cores=cores, nodes=nodes, topology=topology, bucket=bucket, look=look,
        runtime=runtime, ranks_of_a_node=ranks_of_a_node,
    )  # fmt: skip
    written = given(write_goal=write_goal, write_binary=write_binary, write_lp=write_lp)
    last = [option for option, on in (("--finish", finish), ("--same-work", same_work)) if on]
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
        os.execv(program, [program, *all_words, "--", *map(str, files)])
    check_writable({"--json": None if json == STANDARD_OUTPUT else json})
    known = {name: value for name, value in of_job.items() if value is not None}
    execution = Execution(**known, runtime=runtime, verbose=verbose) if execute else None
    if execution is not None:
        execution.prepare()
    ready.build("openmpi", "simulate")
    asked = SimulationRun(
        _find(), [*words, *written, *last], files, json, page, execution,
        recorded_s={str(one.program): one.took_s for one in found if one is not None},
        doubt=next((one.doubt for one in found if one is not None and one.doubt), ""),
    )  # fmt: skip
    raise typer.Exit(run_simulation(asked))


def _expect_alike(
    found: Sequence[Optional[RecordedCalls]], given_words: Mapping[str, object]
) -> None:
    """Refuses recordings of other machines, where the command line does not say which is meant."""
    for option, value in given_words.items():
        each = {getattr(one, option) for one in found}
        if not value and len(each) > 1:
            each_text = " and ".join(sorted(map(str, each)))
            raise BadInput(f"recordings differ in {option}: {each_text}; give --{option}")


def _ranks_of_a_node(found: Sequence[Optional[RecordedCalls]]) -> int:
    """Returns how many ranks each node has in all recordings."""
    each = {one.ranks_of_a_node for one in found if one is not None}
    if len(each) > 1 or 0 in each:
        raise BadInput(
            "recordings do not have the same number of ranks on each node; give --ranks-of-a-node"
        )
    return each.pop()


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

# SPDX-License-Identifier: BSD-3-Clause
"""`plait run`: one application, its table, its report, its exit code; or a program of one's own."""

import os
import pathlib
from typing import Annotated, Optional

import typer

from plait.attach.words import parse_switches
from plait.cli.options import (
    Json,
    Lab,
    Mpi,
    Report,
    ReportFile,
    Verbose,
    check_writable,
    ranks_of,
    report_page,
)
from plait.errors import BadInput
from plait.launch.mpi import LAB_BY_SRUN, LAUNCHERS, uses_srun
from plait.programs import described, is_foreign, known
from plait.run.attached import run_attached
from plait.run.foreign import ForeignRun, run_foreign, tell_of_recording
from plait.run.output import show_and_write, tell_of_trace
from plait.run.runner import Request
from plait.run.series import points_of, prepare_points, run_application, run_series

EPILOG = """**Examples**

`plait run jacobi3d --ranks 2 --size 512x512x64 --steps 40`

`plait run jacobi3d --ranks 4 --lab nodes=4,rate=1gbit --mpi mpich --report`

`plait run jacobi3d -- --help` shows the options of the program itself

`plait run hpl --lab nodes=2,rate=1gbit --n 1000,2000,4000 --json hpl.json --report`

`plait run fft3d --lab rate=200mbit --ranks 2,4,8 --report`

`plait run hpl --lab nodes=2,cores=2,rate=1gbit --ranks 4 --per-node 2`

`plait run redblack3d --policies 'HAND,MT(1)+!OLAP,MT(1)+OLAP+XTRA,TASK'`

`plait run jacobi3d --ranks 8 --launcher srun`

`plait run ./my_program --ranks 4 --report -- --its-own words`

`plait run cp2k.psmp --ranks 4 -- -i input.inp`

`plait run --attach ./their_program --ranks 4 --lab nodes=2,rate=1gbit --report`

A program of your own gets its own words and no others, and its output comes as it is. What follows
`--` is the program's in any case. `--report`, `--trace`, `--record` and `--json` of such a program
need plait's library in it, or `--attach`.

Exit code: 0 every variant verified, 1 one did not, 2 bad input, 3 or more: the job broke off. That
of a program of your own is its own."""


def _list(asked: bool) -> None:
    if not asked:
        return
    for name, line in described("apps", "openmpi").items():
        print(f"{name:<12} {line}".rstrip())
    raise typer.Exit


def _launch_by(name: Optional[str]) -> None:
    """Every start below reads the variable, which can be set for a whole session, too."""
    if name is None:
        return
    if name not in LAUNCHERS:
        raise BadInput(f"--launcher {name}: it can be {' or '.join(LAUNCHERS)}")
    os.environ["PLAIT_LAUNCHER"] = name


def run(
    context: typer.Context,
    program: Annotated[
        str,
        typer.Argument(
            metavar="APP",
            help="The application, e.g. jacobi3d; or a program, by its path or in PATH.",
            autocompletion=lambda: known("apps", "openmpi"),
        ),
    ],
    ranks: Annotated[
        str,
        typer.Option("--ranks", "-n", metavar="N", help="Number of processes; 2,4,8: a run each."),
    ] = "2",
    mpi: Mpi = "openmpi",
    lab: Lab = None,
    rates: Annotated[
        Optional[str],
        typer.Option(help="Link rates, a run each: 1gbit,500mbit; takes --lab nodes=N."),
    ] = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
    trace: Annotated[
        Optional[pathlib.Path], typer.Option(help="Write a trace that Perfetto opens.")
    ] = None,
    record: Annotated[
        Optional[pathlib.Path],
        typer.Option(
            metavar="FOLDER", help="Write a recording of all tasks and messages, for simulations."
        ),
    ] = None,
    attach: Annotated[
        bool,
        typer.Option(
            "--attach",
            help="Profile an unmodified MPI program; --attach=progress,verify does more.",
        ),
    ] = False,
    attach_switches: Annotated[
        Optional[str], typer.Option("--attach-switches", hidden=True)
    ] = None,
    verbose: Verbose = False,
    _launcher: Annotated[
        Optional[str],
        typer.Option(
            "--launcher",
            metavar="NAME",
            callback=_launch_by,
            is_eager=True,
            help="What starts the ranks: mpiexec (the default), or srun under Slurm.",
        ),
    ] = None,
    _listing: Annotated[
        bool,
        typer.Option(
            "--list", callback=_list, is_eager=True, help="Name every application, a line each."
        ),
    ] = False,
) -> None:
    """Run an application under mpiexec, here or in an emulated cluster, and show what came out.

    Options that are not listed go to the program itself. Those of all applications are `--size
    512x512x64`, `--steps N`, `--repeat N` (runs of each variant, interleaved), `--variants
    base,olap,plait,ideal`, `--grid 1x1x2`, `--workers N` and `--policy
    auto|dedicated|sleeping|workers|none`. A list of sizes (`--n 1000,2000`), of `--ranks` or of
    `--rates` is a series: a run and a result file for each, and curves over all.
    """
    counts = ranks_of(ranks)
    if lab is not None and uses_srun():
        raise BadInput(LAB_BY_SRUN)
    page = report_page(program, report, report_file)
    check_writable({"--json": json, "--report": page, "--trace": trace})
    words = [program, *context.args]
    asked = ForeignRun(words, mpi, counts[0], lab, json, page, trace, verbose, record)
    attaches = attach or attach_switches is not None
    if attaches or is_foreign(program, mpi):
        if len(counts) > 1 or rates is not None:
            option = "--ranks" if len(counts) > 1 else "--rates"
            raise BadInput(f"{option}: series are of plait's own applications, not of {program}")
        if attaches:
            raise typer.Exit(run_attached(asked, parse_switches(attach_switches or "")))
        raise typer.Exit(run_foreign(asked))
    for option, value in zip(context.args, context.args[1:]):
        if option in ("--steps", "--repeat", "--workers") and not _is_whole(value):
            raise BadInput(f"{option} {value}: give a whole number")
    request = Request(
        "apps", program, mpi, counts[0], lab, context.args, verbose, trace, record=record
    )
    points = points_of(request, counts, rates)
    prepare_points(points, json)
    if len(points) > 1 and record is not None:
        raise BadInput("--record: one run, not a series")
    if len(points) > 1:
        raise typer.Exit(run_series(points, json, page))
    result, code = run_application(points[0].asked)
    if result is not None:
        show_and_write(result, json, page)
        if trace:
            tell_of_trace(result, trace)
        tell_of_recording(program, record)
    raise typer.Exit(code)


def _is_whole(value: str) -> bool:
    return value.removeprefix("-").isdecimal()

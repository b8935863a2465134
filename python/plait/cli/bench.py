# SPDX-License-Identifier: BSD-3-Clause
"""`plait bench`: one benchmark, its table and its result file."""

from typing import Annotated, Optional

import typer

from plait.cli.options import (
    Json,
    Lab,
    Mpi,
    Report,
    ReportFile,
    Verbose,
    measure_and_end,
    report_page,
    run_and_end,
)
from plait.errors import BadInput
from plait.programs import known
from plait.run.runner import Request
from plait.run.tolerance import ToleranceRun, run_tolerance

EPILOG = """**Examples**

`plait bench message --sizes 8,4KiB,1MiB --mpi mpich`

`plait bench bindings`; with `--lab nodes=2,rate=1gbit` its exchange

`plait bench exchange --lab nodes=2,rate=1gbit --report`

`plait bench progress --lab nodes=2 --rates 200mbit,1gbit,2gbit --report`

`plait bench fft --lab nodes=2,rate=1gbit --class A`

`plait bench dense --lab nodes=2,rate=1gbit --n 2000`

`plait bench sparse --lab nodes=2,rate=1gbit --mtx matrix.mtx.gz --deal metis`

`plait bench tolerance hpl --n 5000 --variants base,olap,plait --rates 1gbit,500mbit --report`

`plait bench metg -- --help` shows the options of the program itself"""


def bench(
    context: typer.Context,
    name: Annotated[
        Optional[str],
        typer.Argument(
            metavar="[NAME]",
            help="Which; without it, what there is.",
            autocompletion=lambda: known("bench", "openmpi"),
        ),
    ] = None,
    ranks: Annotated[
        Optional[int],
        typer.Option("--ranks", "-n", min=1, help="Number of processes; chosen when left out."),
    ] = None,
    mpi: Mpi = "openmpi",
    lab: Lab = None,
    rates: Annotated[
        Optional[str],
        typer.Option(help="Of progress and tolerance: link rates, a job each: 200mbit,1gbit."),
    ] = None,
    noise: Annotated[
        Optional[str],
        typer.Option(
            help="Of tolerance: noises LENGTH/PERIOD, a job each at the first rate: 10ms/100ms;"
            " or none."
        ),
    ] = None,
    rounds: Annotated[
        Optional[int],
        typer.Option(min=1, help="Of tolerance: how often each job is run, in turns."),
    ] = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="From a checkout: install what it is compared with.")
    ] = False,
    verbose: Verbose = False,
) -> None:
    """Run a benchmark beside its peers. Options that are not listed go to the program itself."""
    if name is None:
        typer.echo(f"benchmarks: {', '.join(known('bench', mpi)) or 'none is built'}")
        return
    if name == "tolerance":
        asked = ToleranceRun.of_words(context.args, mpi, ranks, lab, verbose, rates, noise, rounds)
        page = report_page(f"tolerance-{asked.name}", report, report_file)
        measure_and_end(lambda: run_tolerance(asked), json, page)
    for option, given in (("--noise", noise), ("--rounds", rounds)):
        if given is not None:
            raise BadInput(f"{option}: only tolerance takes it")
    request = Request(
        "bench", name, mpi, ranks, lab, context.args, verbose, rates=rates, peers=peers
    )
    run_and_end(request, json, report_page(name, report, report_file))

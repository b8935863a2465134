# SPDX-License-Identifier: BSD-3-Clause
"""What the commands under `plait measure` share: options, and how one ends."""

import pathlib
from typing import Annotated

import typer

from plait.benchmarks import Request, run_benchmark
from plait.cli.options import check_writable, show_and_write

Mpi = Annotated[str, typer.Option(help="MPI library: openmpi or mpich.")]
Lab = Annotated[
    str | None,
    typer.Option(help="Measure in an emulated cluster: nodes=N,rate=R; see plait run."),
]
Sizes = Annotated[str | None, typer.Option(help="Bytes, as 8,4KiB,1MiB.")]
Only = Annotated[
    str | None, typer.Option(help="Which rows: plait auto,nonblocking; -- --help lists them.")
]
Repeat = Annotated[int | None, typer.Option(help="Repetitions, interleaved.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show all that the launcher says.")]


def measure_and_end(request: Request, json: pathlib.Path | None, page: pathlib.Path | None) -> None:
    """Run the program of that name, show and write what it measured, and exit as it did."""
    check_writable({"--json": json, "--report": page})
    result, code = run_benchmark(request)
    if result is not None:
        show_and_write(result, json, page)
    raise typer.Exit(code)


def given(**options: object) -> list[str]:
    """Those that are not None, as a program takes them."""
    words: list[str] = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words

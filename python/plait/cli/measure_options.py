# SPDX-License-Identifier: BSD-3-Clause
"""Options that the commands under `plait measure` share."""

from typing import Annotated

import typer

from plait.launch.library import HELP

Mpi = Annotated[str, typer.Option(help=HELP)]
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


def given(**options: object) -> list[str]:
    """Those that are not None, as a program takes them."""
    words: list[str] = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words

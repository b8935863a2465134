# SPDX-License-Identifier: BSD-3-Clause
"""Options that the commands under `plait measure` share."""

from typing import Annotated

import typer

Sizes = Annotated[str | None, typer.Option(help="Bytes, as 8,4KiB,1MiB.")]
Only = Annotated[
    str | None, typer.Option(help="Which rows: plait auto,nonblocking; -- --help lists them.")
]
Repeat = Annotated[int | None, typer.Option(help="Repetitions, interleaved.")]


def given(**options: object) -> list[str]:
    """Those that are not None, as a program takes them."""
    words: list[str] = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words

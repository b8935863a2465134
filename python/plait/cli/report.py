# SPDX-License-Identifier: BSD-3-Clause
"""`plait report`: result files as one page."""

import pathlib
from typing import Annotated

import typer

from plait.plain import plain
from plait.results import check_writable, load, short
from plait.views.html import write_report


def report(
    files: Annotated[
        list[pathlib.Path], typer.Argument(metavar="RESULT.json…", help="Result files.")
    ],
    output: Annotated[
        pathlib.Path | None,
        typer.Option("--output", "-o", help="The page; beside the first result when left out."),
    ] = None,
) -> None:
    """Write one self-contained HTML page: breakdown, timeline, ledger, circumstances."""
    results = [load(file) for file in files]
    page = output or files[0].with_suffix(".html")
    check_writable(page, "--output")
    write_report(results, page)
    typer.echo(plain(f"report: {short(page)}"))

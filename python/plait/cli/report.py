# SPDX-License-Identifier: BSD-3-Clause
"""`plait report`: result files as one page."""

import pathlib
from typing import Annotated, Optional

import typer

from plait.results import check_writable, load
from plait.run.series import show_curves_of


def report(
    files: Annotated[
        list[pathlib.Path], typer.Argument(metavar="RESULT.json…", help="Result files.")
    ],
    output: Annotated[
        Optional[pathlib.Path],
        typer.Option("--output", "-o", help="The page; beside the first result when left out."),
    ] = None,
) -> None:
    """Write one self-contained HTML page: breakdown, timeline, ledger, circumstances.

    Of several results of one application it begins with curves over what differs between them.
    """
    results = [load(file) for file in files]
    page = output or files[0].with_suffix(".html")
    check_writable(page, "--output")
    show_curves_of(results, page)

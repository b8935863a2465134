# SPDX-License-Identifier: BSD-3-Clause
"""`plait report`: result files as one page."""

import pathlib
from typing import Annotated, Optional

import typer

from plait.errors import BadInput
from plait.plain import plain
from plait.results import check_writable, load, short
from plait.results.tables import write_csv
from plait.run.series import show_curves_of


def report(
    files: Annotated[
        list[pathlib.Path], typer.Argument(metavar="RESULT.json…", help="Result files.")
    ],
    output: Annotated[
        Optional[pathlib.Path],
        typer.Option("--output", "-o", help="The page; beside the first result when left out."),
    ] = None,
    csv: Annotated[
        Optional[pathlib.Path],
        typer.Option(metavar="FOLDER", help="Write tables as CSV here, too: a file each."),
    ] = None,
) -> None:
    """Write one self-contained HTML page: breakdown, timeline, ledger, circumstances.

    Of several results of one application it begins with curves over what differs between them.
    """
    results = [load(file) for file in files]
    page = output or files[0].with_suffix(".html")
    check_writable(page, "--output")
    if csv is not None:
        if csv.exists() and not csv.is_dir():
            raise BadInput(f"--csv {csv}: is a file; name a folder")
        written = write_csv({str(file): one for file, one in zip(files, results)}, csv)
        print(plain(f"tables: {short(csv)} ({len(written)} files)"))
    show_curves_of(results, page)

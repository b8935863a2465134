# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands share, and what they mean."""

import pathlib
from typing import Annotated

import typer

from plait import result as results
from plait.report import write_report
from plait.table import show_result
from plait.terminal import console

Json = Annotated[pathlib.Path | None, typer.Option("--json", help="Write the result file here.")]
Report = Annotated[
    bool, typer.Option("--report", help="Write an HTML report; --report=FILE.html names it.")
]
ReportFile = Annotated[pathlib.Path | None, typer.Option("--report-file", hidden=True)]


def report_page(
    program: str, report: bool, report_file: pathlib.Path | None
) -> pathlib.Path | None:
    """Where the report goes, if one is wanted."""
    if report_file or not report:
        return report_file
    return results.default_folder() / f"{pathlib.Path(program).name}.html"


def check_writable(paths: dict[str, pathlib.Path | None]) -> None:
    """Refuse files that cannot be written, before any work: option name to path."""
    for option, path in paths.items():
        if path is not None:
            results.check_writable(path, option)


def show_and_write(
    result: results.Result, json: pathlib.Path | None, page: pathlib.Path | None
) -> None:
    """Show a result's tables, and write the files that are wanted."""
    show_result(result, console())
    for path, write in ((json, results.save), (page, write_report)):
        if path:
            write(result, path)
            typer.echo(f"{'result' if path is json else 'report'}: {results.short(path)}")

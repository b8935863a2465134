# SPDX-License-Identifier: BSD-3-Clause
"""`plait bench`: one benchmark, its table and its result file."""

import subprocess
import sys
from typing import Annotated

import typer
from rich.console import Console

from plait import result as results
from plait.cli.options import Json, Report, ReportFile, check_writable, report_page
from plait.errors import JobFailed
from plait.programs import available, find_program
from plait.report import write_report
from plait.scratch import scratch_folder
from plait.table import show_result


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "bench", context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
    )(bench)


def bench(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Which; without it, what there is.")
    ] = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
) -> None:
    """Run a benchmark beside its peers. Options that are not listed go to the program itself."""
    if name is None:
        names = sorted(available("bench", "openmpi"))
        typer.echo(
            "benchmarks: "
            + (", ".join(names) if names else "none is built; ./plait bench builds them")
        )
        return
    program = find_program("bench", name, "openmpi")
    page = report_page(program.name, report, report_file)
    check_writable({"--json": json, "--report": page})
    with scratch_folder() as folder:
        file = folder / "result.json"
        done = subprocess.run(
            [str(program), "--json", str(file), *context.args], check=False, stdout=subprocess.PIPE
        )
        if done.returncode not in (0, 1) or not file.exists():
            raise typer.Exit(done.returncode) if done.returncode == 2 else JobFailed(
                f"{program.name} ended with status {done.returncode}"
            )  # fmt: skip
        result = results.load(file)
    show_result(result, Console(width=None if sys.stdout.isatty() else 80))
    for path, write in ((json, results.save), (page, write_report)):
        if path:
            write(result, path)
            typer.echo(f"{'result' if path is json else 'report'}: {results.short(path)}")
    raise typer.Exit(done.returncode)

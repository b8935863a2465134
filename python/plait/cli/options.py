# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands share, what they mean, and how a command ends."""

import pathlib
from collections.abc import Callable
from typing import Annotated, NoReturn, Optional

import typer

from plait import results
from plait.errors import BadInput
from plait.lab import LabSpec
from plait.launch import library
from plait.results import Result
from plait.run.output import show_and_write
from plait.run.runner import Request, prepare, run_program


def _checked_lab(text: str) -> str:
    LabSpec.parse(text)
    return text


def ranks_of(text: str) -> list[int]:
    """Returns the numbers of processes that a word names, such as 2 or 2,4,8."""
    for word in text.split(","):
        if not word.removeprefix("-").isdecimal():
            raise BadInput(f"--ranks {text}: give a whole number")
        if int(word) < 1:
            raise BadInput(f"--ranks {text}: give at least 1")
    return [int(word) for word in text.split(",")]


Json = Annotated[Optional[pathlib.Path], typer.Option("--json", help="Write the result file here.")]
Report = Annotated[
    bool, typer.Option("--report", help="Write an HTML report; --report=FILE.html names it.")
]
Mpi = Annotated[Optional[str], typer.Option(help=library.HELP, parser=library.check, metavar="MPI")]
Lab = Annotated[
    Optional[str],
    typer.Option(
        help="Run in an emulated cluster: nodes=N,rate=R, and delay=D, cores=K or cores=shared;"
        " or name=NAME of one that is up.",
        parser=_checked_lab,
        metavar="LAB",
    ),
]
Repeat = Annotated[Optional[int], typer.Option(help="Repetitions, interleaved.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show all that the launcher says.")]
ReportFile = Annotated[Optional[pathlib.Path], typer.Option("--report-file", hidden=True)]


def given(**options: object) -> list[str]:
    """Those that are not None, as a program takes them."""
    words: list[str] = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def report_page(
    program: str, report: bool, report_file: Optional[pathlib.Path]
) -> Optional[pathlib.Path]:
    """Return the path of the report, or None where none is wanted."""
    if report_file or not report:
        return report_file
    return results.default_folder() / f"{pathlib.Path(program).name}.html"


def check_writable(paths: dict[str, Optional[pathlib.Path]]) -> None:
    """Refuse files that cannot be written, before any work: option name to path."""
    for option, path in paths.items():
        if path is not None:
            results.check_writable(path, option)


def run_and_end(
    request: Request, json: Optional[pathlib.Path], page: Optional[pathlib.Path]
) -> NoReturn:
    """Run the program of that name, show and write its result, and exit as it did."""

    def measure() -> tuple[Optional[Result], int]:
        prepare(request)
        return run_program(request)

    measure_and_end(measure, json, page)


def measure_and_end(
    measure: Callable[[], tuple[Optional[Result], int]],
    json: Optional[pathlib.Path],
    page: Optional[pathlib.Path],
) -> NoReturn:
    """Measure, show and write the result if there is one, and exit with the code beside it."""
    check_writable({"--json": json, "--report": page})
    result, code = measure()
    if result is not None:
        show_and_write(result, json, page)
    raise typer.Exit(code)

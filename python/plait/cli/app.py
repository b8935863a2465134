# SPDX-License-Identifier: BSD-3-Clause
"""The `plait` command: its subcommands, and how it ends."""

import os
import sys
from typing import Annotated

import typer

from plait import __version__
from plait.attach.command import main as attach_main
from plait.cli import attach, bench, lab, measure, noise_maker, papers, predict, run, simulate
from plait.cli.compare import compare
from plait.cli.moved import TyperException
from plait.cli.passing_on import PassingOn, join_values
from plait.cli.report import report
from plait.doctor import main as find_what_lacks
from plait.errors import BadInput, JobFailed, sentence_of
from plait.interrupts import Interrupted, signals_as_exceptions
from plait.plain import refuse

# What would have been right, by pydantic's name of what is wrong.
_RIGHT = {
    "int_parsing": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "at least {ge}",
}
app = typer.Typer(
    name="plait",
    help="Measure, predict and hide communication time in MPI programs.",
    epilog="From a checkout, `./plait` without a word lists "
    "`demo`, `test`, `soak`, `faults` and `docs`, too. "
    "`plait doctor` says what this machine lacks; "
    '`eval "$(./plait --show-completion)"` completes words.',
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command("run", epilog=run.EPILOG, cls=PassingOn)(run.run)
app.command("attach", cls=attach.Attach, add_help_option=False)(attach.attach)
app.add_typer(lab.app, name="lab")
app.command()(report)
app.command("bench", epilog=bench.EPILOG, cls=PassingOn)(bench.bench)
app.command()(compare)
app.add_typer(measure.app, name="measure")
app.add_typer(predict.app, name="predict")
app.command("simulate", epilog=simulate.EPILOG)(simulate.simulate)
app.command("noise", epilog=noise_maker.EPILOG)(noise_maker.noise)
app.command("papers", epilog=papers.EPILOG)(papers.papers)


@app.command()
def doctor() -> None:
    """Say what this machine lacks for plait, and what follows from it.

    Exit code: 0 nothing is lacking, 1 something is.
    """
    raise typer.Exit(find_what_lacks())


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"plait {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Measure, predict and hide communication time in MPI programs."""


def main() -> None:
    """Run the command; every bad input is one line on stderr and exit code 2."""
    if sys.argv[1:2] == ["attach"]:  # whose words are a program's
        attach_main(sys.argv[2:])
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks µ still gets its table
        stream.reconfigure(errors="backslashreplace")
    try:
        with signals_as_exceptions():
            code = app(join_values(sys.argv[1:]), prog_name="plait", standalone_mode=False)
            sys.stdout.flush()
    except BadInput as error:
        _end(str(error), 2)
    except JobFailed as error:
        _end(str(error), error.exit_code)
    except Interrupted as interrupted:
        _end(f"stopped by {interrupted}", 128 + interrupted.number)
    except (KeyboardInterrupt, typer.Abort):
        _end("stopped", 130)
    except TyperException as error:
        _end(_sentence_of(error), 2)
    except BrokenPipeError:
        _drop_output()
        sys.exit(0)
    except OSError as error:  # a disk that is full, a folder that is gone
        _drop_output()
        _end(sentence_of(error), 2)
    sys.exit(code if isinstance(code, int) else 0)


def _open_closed_streams() -> None:
    """Gives closed standard streams to /dev/null, lest another file gets their numbers."""
    while (null := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(null, True)
    os.close(null)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def _drop_output() -> None:
    """Drops what is left to write to standard output, which has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _sentence_of(error: TyperException) -> str:
    """Returns what typer refuses, with the value or the commands that it leaves out."""
    said = error.format_message()
    for bad in getattr(error.__cause__, "errors", list)():
        if right := _RIGHT.get(bad["type"], "").format(**bad.get("ctx", {})):
            return f"{error.param.opts[0]} {bad['input']}: give {right}"
    if said.startswith("No such command"):
        commands = error.ctx.command.commands
        known = ", ".join(name for name in commands if not commands[name].hidden)
        return f"{said[0].lower()}{said[1:].rstrip('.')}; there are: {known}"
    return said


def _end(message: str, code: int) -> None:
    if message:  # else it has been said
        refuse(message)
    sys.exit(code)

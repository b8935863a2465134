# SPDX-License-Identifier: BSD-3-Clause
"""`plait attach`: checks the program, puts the library in front, and becomes the program."""

from __future__ import annotations

import os
import pathlib
import sys
import time
from typing import NoReturn

from plait import ready
from plait.attach import built, target
from plait.attach.words import OPTIONS, Asked, parse, rank, settings
from plait.errors import BadInput, JobFailed, sentence_of
from plait.plain import refuse, tell

_HELP = """\
Usage: mpiexec -n RANKS plait attach [OPTIONS] [--] PROGRAM [WORDS]...

Runs an unmodified MPI program with plait in front of its MPI library, and says
at the end how much it waited, where, and how much of that could be hidden.

{}
  mpiexec -n 4 plait attach ./program input.txt
  mpiexec -n 4 plait attach --progress --report=page.html -- ./program -x
  mpiexec -n 4 plait attach --mpi openmpi python3 script.py

It stands before the program, not before mpiexec. The exit code is the
program's. `plait run --attach ./program` starts mpiexec, too, and an emulated
cluster with --lab.
"""
_WIDTH_OF_OPTION = 20
_OTHERS_WAIT_S = 1.0


def main(words: list[str]) -> NoReturn:
    """Run the command; it ends as the program does, or with one line and exit code 2."""
    try:
        asked = parse(words)
        if asked.help:
            print(_help(), end="")
            sys.exit(0)
        if asked.build:
            print(_library(asked, asked.mpi or "openmpi"))
            sys.exit(0)
        if asked.salvage:
            _salvage(asked)
        _become(asked)
    except BadInput as error:
        _refuse(str(error))
    except JobFailed as error:  # ./plait has said why
        sys.exit(error.exit_code)
    except OSError as error:
        _refuse(sentence_of(error))


def _help() -> str:
    lines = ""
    for name, option in OPTIONS.items():
        value = f"[={option.value}]" if option.may else f" {option.value}".rstrip()
        lines += f"  {name + value:<{_WIDTH_OF_OPTION - 2}}"
        lines += option.says.replace("\n", "\n" + " " * _WIDTH_OF_OPTION) + "\n"
    return _HELP.format(lines)


def _refuse(line: str) -> NoReturn:
    """One rank says it. The others leave later, for launchers end a job with its first rank."""
    if (rank() or 0) == 0:
        refuse(line)
    else:
        time.sleep(_OTHERS_WAIT_S)
    sys.exit(2)


def _library(asked: Asked, mpi: str, kind: str | None = None) -> str:
    """The library to be put in front; inside mpiexec every rank would build it."""
    if (rank() is None or asked.build) and (targets := built.targets(mpi, kind)):
        ready.build(mpi, *targets)
    return built.find(mpi, kind)


def _salvage(asked: Asked) -> NoReturn:
    from plait.attach.salvage import salvage

    library = _library(asked, asked.mpi or "openmpi")
    json = pathlib.Path(asked.json or "")
    told = settings(library, asked.switches, str(json), asked.trace, asked.quiet)
    is_written, said = salvage(library, json, told)
    if not is_written:
        raise BadInput(said or f"{json}: the job has left nothing")
    tell(said, end="")
    if asked.report is not None:
        from plait.attach.reporting import page_of, write_page

        write_page(json, asked.trace, page_of(asked, json.stem))
    sys.exit(0)


def _become(asked: Asked) -> NoReturn:
    found = target.find(asked.program[0], asked.mpi)
    json, is_first = asked.json, (rank() or 0) == 0
    if is_first:
        _check_outputs(asked)
    library = _library(asked, found.mpi, found.kind)
    if asked.report is not None and is_first:
        from plait.attach.reporting import run_and_report

        run_and_report(asked, found, library)
    os.environ.update(settings(library, asked.switches, json, asked.trace, asked.quiet,
                               found.opened, asked.record is not None))  # fmt: skip
    sys.stdout.flush()
    os.execv(found.path, asked.program)


def _check_outputs(asked: Asked) -> None:
    """Refuse files that cannot be written, before the program starts; make a recording's folder."""
    if asked.record is not None:
        from plait.run.recorded_calls import make_ready

        make_ready(pathlib.Path(asked.record), ranks=1)  # how many there are is not known here
    for option, name in (
        ("--json", asked.json), ("--trace", asked.trace), ("--report", asked.report or None),
    ):  # fmt: skip
        if name is None:
            continue
        path = pathlib.Path(name)
        if path.is_dir():
            raise BadInput(f"{option} {name}: is a folder")
        if not path.absolute().parent.is_dir():
            raise BadInput(f"{option} {name}: there is no folder {path.parent}")
        if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise BadInput(f"{option} {name}: cannot be written")

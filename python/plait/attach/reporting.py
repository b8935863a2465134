# SPDX-License-Identifier: BSD-3-Clause
"""Runs rank 0 as a child, for a report is written when the program has ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import resource
import signal
import sys
import tempfile
from typing import NoReturn

from plait.attach.salvage import salvage
from plait.attach.target import Target
from plait.attach.words import Asked, rank, settings
from plait.errors import BadInput
from plait.plain import refuse, tell

_PR_SET_PDEATHSIG = 1
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2,
              signal.SIGQUIT, signal.SIGCONT, signal.SIGWINCH, signal.SIGALRM)  # fmt: skip


def run_and_report(asked: Asked, found: Target, library: str) -> NoReturn:
    """Runs the program, writes the report, and ends as the program did."""
    page = page_of(asked, pathlib.Path(asked.program[0]).name)
    with tempfile.TemporaryDirectory(prefix="plait-attach-") as folder:
        json = asked.json or str(pathlib.Path(folder, "result.json"))
        with contextlib.suppress(FileNotFoundError):
            pathlib.Path(json).unlink()  # of an earlier run
        told = settings(library, asked.switches, json, asked.trace, asked.quiet, found.opened,
                        asked.record is not None)  # fmt: skip
        status = _run(found.path, asked.program, {**os.environ, **told})
        if not (file := pathlib.Path(json)).exists():
            salvage(library, file, told)
        write_page(file, asked.trace, page)
    _end_as(status)


def page_of(asked: Asked, name: str) -> pathlib.Path:
    """Returns where the report goes; `BadInput` where nothing can be written there."""
    from plait import results

    page = pathlib.Path(asked.report) if asked.report else results.default_folder() / f"{name}.html"
    results.check_writable(page, "--report")
    return page


def _run(path: str, words: list[str], environment: dict[str, str]) -> int:
    """Runs a child that has what this process has got from the launcher; returns its status."""
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        if rank() is not None:  # launchers signal groups: the program is to get a signal once
            os.setpgid(0, 0)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
        with contextlib.suppress(OSError):
            if os.getppid() == parent:
                os.execve(path, words, environment)
        os._exit(127)
    for number in _FORWARDED:
        signal.signal(number, lambda number, _frame: _pass_on(pid, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
    os.closerange(3, _largest_open() + 1)  # the launcher's sockets are the program's alone
    return os.waitpid(pid, 0)[1]


def _pass_on(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _largest_open() -> int:
    return max(int(path.name) for path in pathlib.Path("/proc/self/fd").iterdir())


def write_page(json: pathlib.Path, trace: str | None, page: pathlib.Path) -> None:
    """Writes the report, or says why there is none."""
    from plait import results
    from plait.results.figures.attach_timeline import with_timeline
    from plait.views.html import write_report

    try:
        if not json.exists():
            raise BadInput("the program left no result, so there is no report: it never called "
                           "MPI_Init")  # fmt: skip
        result = with_timeline(results.load(json), pathlib.Path(trace) if trace else None)
        write_report(result, page)
        tell(f"report: {results.short(page)}")
    except BadInput as error:
        refuse(str(error))


def _end_as(status: int) -> NoReturn:
    """Ends by the same signal, or with the same code."""
    sys.stderr.flush()
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the program's own is there
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)

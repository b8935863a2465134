# SPDX-License-Identifier: BSD-3-Clause
"""Running one job to its end, whatever the end: nothing of it is left behind."""

import contextlib
import ctypes
import dataclasses
import os
import pathlib
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO

from plait.launch.guard import guarded
from plait.launch.mpi import Launch
from plait.launch.noise import Death, StreamFilter, find_death, signal_name
from plait.launch.processes import living_family

OnProgress = Callable[[dict[str, object]], None]
Lines = queue.Queue[tuple[str, str | None]]
_GRACE_S = 3.0
_FINALIZE_S = 10.0
_PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass
class Outcome:
    """How a job ended."""

    exit_code: int
    output_lines: list[str]
    error_lines: list[str]
    launcher_text: str
    death: Death | None
    ended: bool = True  # by itself; False: it had to be, after its last words


class Interrupted(Exception):
    """SIGINT, SIGTERM or SIGHUP arrived."""

    def __init__(self, number: int) -> None:
        super().__init__(signal_name(number))
        self.number = number


@contextlib.contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """Turn the signals that end a command into `Interrupted`, once; the clean-up ignores more."""
    handled = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    raised = False

    def raise_it(number: int, _frame: object) -> None:
        nonlocal raised
        if not raised:
            raised = True
            raise Interrupted(number)

    before = {number: signal.signal(number, raise_it) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_job(
    job: Launch,
    on_progress: OnProgress | None = None,
    on_line: Callable[[str], None] | None = None,
    names: dict[str, str] | None = None,
) -> Outcome:
    """Run to the end; `on_line` sees every line, `names` maps addresses to node names."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    spared = set(living_family(-1))
    process = subprocess.Popen(
        job.argv, env=job.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        text=True, errors="replace",
    )  # fmt: skip
    lines: Lines = queue.Queue()
    for kind, stream in (("out", process.stdout), ("err", process.stderr)):
        threading.Thread(target=_read, args=(kind, stream, lines), daemon=True).start()
    # Hydra prints its banner to standard output, Open MPI to standard error.
    errors, output = StreamFilter(), StreamFilter()
    try:
        with guarded(process.pid, spared):
            for kind, line in _until_end(process, lines, job.last_words):
                fields = (output if kind == "out" else errors).take(line)
                if fields is not None:
                    if on_progress:
                        on_progress(fields)
                    continue
                if on_line:
                    on_line(line)
        ended = process.poll() is not None
    finally:
        end_session(process, spared)
    code = process.returncode if ended else 0
    said = errors.launcher_text + "\n" + output.launcher_text
    death = find_death(said, names) if code else None
    return Outcome(code, output.program_lines, errors.program_lines, said, death, ended)


def _read(kind: str, stream: IO[str], lines: Lines) -> None:
    for line in stream:
        lines.put((kind, line))
    lines.put((kind, None))


def _until_end(
    process: subprocess.Popen[str], lines: Lines, last_words: pathlib.Path | None
) -> Iterator[tuple[str, str]]:
    """Lines until both streams end, or shortly after mpiexec did, whichever is first.

    If it says nothing for a while after its last words, they end too.
    """
    open_streams, deadline = 2, None
    while open_streams:
        try:
            kind, line = lines.get(timeout=0.1)
        except queue.Empty:
            if process.poll() is not None:
                deadline = deadline or time.monotonic() + 1.0
                if time.monotonic() > deadline:
                    return
            elif last_words and _age_s(last_words) > _FINALIZE_S:
                return
            continue
        if line is None:
            open_streams -= 1
        else:
            yield kind, line
    process.wait()


def _age_s(file: pathlib.Path) -> float:
    """Seconds since something was written to it; 0 while it is empty or missing."""
    with contextlib.suppress(FileNotFoundError):
        if (status := file.stat()).st_size > 0:
            return time.time() - status.st_mtime
    return 0.0


def end_session(process: subprocess.Popen[str], spared: set[int]) -> None:
    """Ask mpiexec to end, then kill what is left of its session and descendants, each by its id."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    # Ranks that mpiexec has just told to go get a moment; orphans become our children (subreaper).
    for attempt in range(40):
        left = [
            pid
            for pid in living_family(process.pid, spared)
            if pid != process.pid or process.poll() is None
        ]
        if not left:
            break
        if attempt >= 10:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
        _reap(process)
    process.wait()


def _reap(process: subprocess.Popen[str]) -> None:
    """Collect orphans that were handed to us."""
    for _ in range(100):
        try:
            info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if info is None or info.si_pid == process.pid:
                return
            os.waitpid(info.si_pid, os.WNOHANG)
        except ChildProcessError:
            return

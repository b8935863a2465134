# SPDX-License-Identifier: BSD-3-Clause
"""Running one job to its end, whatever the end: nothing of it is left behind."""

from __future__ import annotations

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
from typing import IO, Optional

from plait.interrupts import Interrupted, signals_as_exceptions, uninterrupted
from plait.launch.guard import guarded
from plait.launch.mpi import Launch
from plait.launch.noise import Death, StreamFilter, find_death
from plait.launch.processes import has_living_children, living_family
from plait.launch.scratch import library_folders

__all__ = ["Interrupted", "OnProgress", "Outcome", "run_job", "signals_as_exceptions"]

OnProgress = Callable[[dict[str, object]], None]
Lines = queue.Queue[tuple[str, Optional[str]]]
_GRACE_S = 2.0
_FINALIZE_S = 10.0
# mpiexec has this long to end after its last child; Open MPI's may wait for itself for ever.
_WITHOUT_CHILDREN_S = 2.0
_ORPHANS_S = 0.5
_LOOK_INTERVAL_S = 0.1
_HUNG = 3
_PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass
class Outcome:
    """Holds the exit code and the output of a job that ended."""

    exit_code: int
    output_lines: list[str]
    error_lines: list[str]
    launcher_text: str
    death: Death | None
    ended: bool = True  # by itself; False: it had to be, after its last words
    launcher_signal: int | None = None  # what killed mpiexec


def run_job(
    job: Launch,
    on_progress: OnProgress | None = None,
    on_line: Callable[[str], None] | None = None,
    names: dict[str, str] | None = None,
) -> Outcome:
    """Run to the end; `on_line` sees every line, `names` maps addresses to node names."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with guarded() as guard, _folders_of(job) as settings:
        spared = set(living_family(-1))
        lines: Lines = queue.Queue()
        # Hydra prints its banner to standard output, Open MPI to standard error.
        errors, output = StreamFilter(), StreamFilter()
        process = None
        try:
            with uninterrupted():
                process = _start(job, settings, lines)
            end = _End(process, job.last_words)
            with guard.watching(process.pid):
                for kind, line in _until(end, lines, lambda: end_session(process, spared)):
                    fields = (output if kind == "out" else errors).take(line)
                    if fields is not None:
                        if on_progress:
                            on_progress(fields)
                        continue
                    if on_line:
                        on_line(line)
                end.wait()
        finally:
            with uninterrupted():
                if process is not None:
                    end_session(process, spared)
    said = errors.launcher_text + "\n" + output.launcher_text
    if end.hung:
        said += "\nmpiexec did not end when its ranks had"
    ended = not end.forced
    code = process.returncode if ended else _HUNG if end.hung else 0
    death = find_death(said, names) if code else None
    killed_by = -code if code < 0 else None
    lines_of = (output.program_lines, errors.program_lines)
    return Outcome(code, *lines_of, said, death, ended, killed_by)


def _folders_of(job: Launch) -> contextlib.AbstractContextManager[dict[str, str]]:
    return contextlib.nullcontext({}) if job.is_elsewhere else library_folders()


def _start(job: Launch, settings: dict[str, str], lines: Lines) -> subprocess.Popen[str]:
    streams = None if job.keeps_streams else subprocess.PIPE
    process = subprocess.Popen(
        job.argv, env={**job.environment, **settings}, stdin=subprocess.DEVNULL,
        stdout=streams, stderr=streams, start_new_session=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    for kind, stream in (("out", process.stdout), ("err", process.stderr)):
        if stream is None:
            lines.put((kind, None))
            continue
        threading.Thread(target=_read, args=(kind, stream, lines), daemon=True).start()
    return process


def _read(kind: str, stream: IO[str], lines: Lines) -> None:
    for line in stream:
        lines.put((kind, line))
    lines.put((kind, None))


class _End:
    """Notices when a job is over, or has to be."""

    def __init__(self, process: subprocess.Popen[str], last_words: pathlib.Path | None) -> None:
        self.hung = False  # mpiexec outlived its children
        self.forced = False  # it was ended: hung, or silent after its last words
        self._process = process
        self._last_words = last_words
        self._next_look = 0.0
        self._ended_at: float | None = None
        self._had_children = False
        self._childless_since: float | None = None

    def has_come(self) -> bool:
        """Returns whether mpiexec has just ended, hangs, or was silent long after its last word."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + _LOOK_INTERVAL_S
        if self._process.poll() is not None:
            self._ended_at = self._ended_at or now
            return now > self._ended_at + _ORPHANS_S
        if has_living_children(self._process.pid):
            self._had_children, self._childless_since = True, None
        elif self._had_children:
            self._childless_since = self._childless_since or now
            self.hung = now > self._childless_since + _WITHOUT_CHILDREN_S
        said_all = self._last_words and _age_s(self._last_words) > _FINALIZE_S
        self.forced = self.hung or bool(said_all)
        return self.forced

    def wait(self) -> None:
        """Wait for mpiexec, whose streams have ended."""
        if self.forced:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_WITHOUT_CHILDREN_S)
        self.forced = self.hung = self._process.poll() is None


def _until(end: _End, lines: Lines, put_an_end: Callable[[], None]) -> Iterator[tuple[str, str]]:
    """All lines; `put_an_end` is called when the job's end has come and something still lives."""
    open_streams, is_over = 2, False
    while open_streams:
        if not is_over and end.has_come():
            put_an_end()
            is_over = True
        try:
            kind, line = lines.get(timeout=0.1)
        except queue.Empty:
            if is_over:
                return  # somebody else holds a stream
            continue
        if line is None:
            open_streams -= 1
        else:
            yield kind, line


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

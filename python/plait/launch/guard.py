# SPDX-License-Identifier: BSD-3-Clause
"""Ends what a command leaves when it is killed: a process of its own, which waits for that.

A command that ends in any other way clears up itself.  mpiexec hears of its parent's death from
the kernel and tells the ranks, but is not sure to see that through: what is left of its session
after a moment is killed here.  Then the command's temporary folders and its cluster are removed.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

from plait.launch.processes import living_family

_START = pathlib.Path(__file__).parents[1] / "start.py"
_GRACE_S = 1.0
_PATIENCE_S = 10.0
_NO_SESSION = 0


class Guard:
    """The other end of a process that waits for this one's death."""

    def __init__(self) -> None:
        # A session of its own, out of a terminal's reach.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", _START, __name__], start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    @contextlib.contextmanager
    def watching(self, session: int) -> Iterator[None]:
        """Have what lives of that session ended, too, should this process be killed meanwhile."""
        self._tell(session)
        try:
            yield
        finally:
            self._tell(_NO_SESSION)

    def close(self) -> None:
        """Nothing is left to clear up."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()

    def _tell(self, session: int) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._process.stdin.fileno(), f"{session}\n".encode())


_guards: list[Guard] = []


@contextlib.contextmanager
def guarded() -> Iterator[Guard]:
    """Have a process of its own wait for this one's death: one, however often this is nested."""
    if _guards:
        yield _guards[0]
        return
    _guards.append(Guard())
    try:
        yield _guards[0]
    finally:
        _guards.pop().close()


def main() -> None:
    """Wait for the end of standard input, which is the death of whoever held its other end."""
    begin = time.time()
    session = _NO_SESSION
    for line in sys.stdin:
        session = int(line)
    if session != _NO_SESSION:
        _end(session)
    from plait.lab import remove_stale
    from plait.run.scratch import remove_orphans, remove_stale_folders

    remove_stale_folders()
    remove_orphans(begin)
    remove_stale()


def _end(session: int) -> None:
    begin = time.monotonic()
    while (left := living_family(session)) and time.monotonic() < begin + _GRACE_S + _PATIENCE_S:
        if time.monotonic() > begin + _GRACE_S:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


if __name__ == "__main__":
    main()

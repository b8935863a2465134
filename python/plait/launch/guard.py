# SPDX-License-Identifier: BSD-3-Clause
"""Has a process of its own wait for a command's death: see `plait.launch.clear_up`."""

import contextlib
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

_START = pathlib.Path(__file__).parents[1] / "start.py"
NO_SESSION = 0


class Guard:
    """The other end of a process that waits for this one's death."""

    def __init__(self) -> None:
        # A session of its own, out of a terminal's reach.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", _START, "plait.launch.clear_up"], start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    @contextlib.contextmanager
    def watching(self, session: int) -> Iterator[None]:
        """Have what lives of that session ended, too, should this process be killed meanwhile."""
        self._tell(session)
        try:
            yield
        finally:
            self._tell(NO_SESSION)

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

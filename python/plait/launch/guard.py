# SPDX-License-Identifier: BSD-3-Clause
"""Ends a job whose command was killed: `python -m plait.launch.guard SESSION`.

A command that ends in any other way ends its job itself.  mpiexec hears of its parent's death from
the kernel and tells the ranks, but is not sure to see that through: what is left of its session
after a moment is killed here.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

from plait.launch.processes import living_family

_GRACE_S = 3.0
_PATIENCE_S = 10.0


@contextlib.contextmanager
def guarded(session: int, spared: set[int]) -> Iterator[None]:
    """Have a process of its own wait for this one's death; it is one of the `spared`."""
    guard = subprocess.Popen(
        [sys.executable, "-m", __name__, str(session)], start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    spared.add(guard.pid)
    try:
        yield
    finally:
        guard.kill()
        guard.wait()
        guard.stdin.close()


def main() -> None:
    """Wait for the end of standard input, which is the death of whoever held its other end."""
    session = int(sys.argv[1])
    sys.stdin.buffer.read()
    begin = time.monotonic()
    while (left := living_family(session)) and time.monotonic() < begin + _GRACE_S + _PATIENCE_S:
        if time.monotonic() > begin + _GRACE_S:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Ends what a command leaves when it is killed: a process of its own, which waits for that.

A command that ends in any other way clears up itself.  mpiexec hears of its parent's death from
the kernel and tells the ranks, but is not sure to see that through: what is left of its session
after a moment is killed here.  Then the command's temporary folders and its cluster are removed.
"""

import contextlib
import os
import signal
import sys
import time

from plait.launch.guard import NO_SESSION
from plait.launch.processes import living_family

_GRACE_S = 1.0
_PATIENCE_S = 10.0


def main() -> None:
    """Wait for the end of standard input, which is the death of whoever held its other end."""
    begin = time.time()
    session = NO_SESSION
    for line in sys.stdin:
        session = int(line)
    if session != NO_SESSION:
        _end(session)
    from plait.lab import remove_stale  # while a job runs its cores are not to be taken for this
    from plait.launch.scratch import remove_orphans, remove_stale_folders

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

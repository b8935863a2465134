# SPDX-License-Identifier: BSD-3-Clause
"""Progress for programs that keep their own requests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from plait.binding.choice import core


@contextlib.contextmanager
def progress(interval_s: float = 0.0) -> Iterator[None]:
    """Lets messages go on that mpi4py has started, while the program computes.

    A thread of plait looks after them, without the interpreter's lock: as often as it pays, or
    every `interval_s` seconds. Needs MPI_THREAD_MULTIPLE, mpi4py's default. May be nested.

        requests = [comm.Irecv(ghost, left), comm.Isend(edge, right)]
        with plait.progress():
            compute()
        MPI.Request.Waitall(requests)
    """
    looks = core()
    looks._progress_start(interval_s)
    try:
        yield
    finally:
        looks._progress_stop()

# SPDX-License-Identifier: BSD-3-Clause
"""A long message of mpi4py's arrives while nobody calls MPI."""

import time

import numpy as np
from mpi4py import MPI

import plait

world = MPI.COMM_WORLD
other = 1 - world.rank
sent = np.arange(1 << 20, dtype=np.int64) + world.rank
got = np.full(1 << 20, -1, dtype=np.int64)
world.Barrier()
requests = [world.Irecv(got, other), world.Isend(sent, other)]
with plait.progress(), plait.progress(1e-3):
    late = time.monotonic() + 60
    while (got[0] == -1 or got[-1] == -1 or got[1 << 19] == -1) and time.monotonic() < late:
        time.sleep(0.001)
    assert time.monotonic() < late, "the message has not come"
MPI.Request.Waitall(requests)
assert (got == np.arange(1 << 20) + other).all()
try:
    with plait.progress(-1.0):
        raise AssertionError("an interval below 0 was taken")
except plait.UsageError as e:
    assert "interval" in str(e)

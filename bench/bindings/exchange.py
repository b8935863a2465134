# SPDX-License-Identifier: BSD-3-Clause
"""Two ranks of mpi4py exchange messages while they work: exchange.py BYTES REPEAT, on two ranks.

Rank 0 prints the times in ms, a list for each row: the exchange alone, the work alone, and both,
without and with `plait.progress()`. The rows take turns; a time is that of the slower rank.
"""

import json
import statistics
import sys

import numba
import numpy as np
from mpi4py import MPI

import plait

world = MPI.COMM_WORLD
other = 1 - world.rank


@numba.njit
def work(x, rounds):
    """Computes in a cache, and holds the interpreter's lock."""
    for _ in range(rounds):
        for i in range(x.size):
            x[i] = x[i] * 0.999 + 0.001


class Exchange:
    """The messages of a rank and what it computes meanwhile."""

    def __init__(self, size_bytes):
        self.sent = np.full(size_bytes, 1 + world.rank, dtype=np.uint8)
        self.got = np.zeros_like(self.sent)
        self.x = np.ones(1 << 10)
        self.rounds = 0
        work(self.x, 1)

    def start(self):
        """Starts one message each way."""
        return [world.Irecv(self.got, other), world.Isend(self.sent, other)]

    def connect(self):
        """Sends there, then back: Open MPI loses messages that cross while two sockets open."""
        first, second = ((world.Send, self.sent), (world.Recv, self.got))[:: 1 - 2 * world.rank]
        first[0](first[1], other)
        second[0](second[1], other)

    def alone(self):
        """Exchanges, and does nothing else."""
        MPI.Request.Waitall(self.start())

    def work_alone(self):
        """Computes, and sends nothing."""
        work(self.x, self.rounds)

    def plain(self):
        """Computes between start and end of the exchange."""
        requests = self.start()
        work(self.x, self.rounds)
        MPI.Request.Waitall(requests)

    def with_progress(self):
        """Does the same while plait looks after the messages."""
        requests = self.start()
        with plait.progress():
            work(self.x, self.rounds)
        MPI.Request.Waitall(requests)


def ms_of(what):
    """Returns the time of the slower rank."""
    world.Barrier()
    began = MPI.Wtime()
    what()
    return 1e3 * world.allreduce(MPI.Wtime() - began, MPI.MAX)


def make_equal(one):
    """Gives the work the rounds that take as long as the exchange, once the processors are warm."""
    one.rounds = 1
    while ms_of(one.work_alone) < 10:
        one.rounds *= 2
    for _ in range(4):  # each but the first time from a better guess
        exchange, work_alone = (
            statistics.median(ms_of(what) for _ in range(5)) for what in (one.alone, one.work_alone)
        )
        one.rounds = max(1, round(one.rounds * exchange / work_alone))


def main():
    """Measures, and prints what was found."""
    one = Exchange(int(sys.argv[1]))
    repeat = int(sys.argv[2])
    one.connect()
    make_equal(one)
    rows = {
        "exchange alone": one.alone,
        "work alone": one.work_alone,
        "plain": one.plain,
        "plait.progress": one.with_progress,
    }
    found = {name: [] for name in rows}
    for turn in range(repeat + 1):
        for name, what in rows.items():
            ms = ms_of(what)
            if turn > 0:  # the first warms up
                found[name].append(ms)
    assert (one.got == 1 + other).all()
    if world.rank == 0:
        print(json.dumps(found))


main()

# SPDX-License-Identifier: BSD-3-Clause
"""A program of two ranks that calls MPI from known lines, a hundred times each: LIBRARY."""

import ctypes
import os
import sys
import threading
import time

ROUNDS = 100
MPI = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)


def take_late(rank):
    for _ in range(ROUNDS):
        if rank == 0:
            MPI.receive(1, 1)  # waits for a sender
        else:
            time.sleep(0.005)
            MPI.send(7, 0, 1)  # sends late


def total(value):
    return MPI.sum(value)  # in a wrapper


class Zähler:
    def __init__(self):
        self.seen = 0

    def zähle(self, rank):
        for _ in range(ROUNDS):
            self.seen += total(rank)  # first caller
        for _ in range(ROUNDS):
            self.seen += total(2 * rank)  # second caller


def parts():
    for part in range(ROUNDS):
        yield MPI.sum(part)  # in a generator


def beside(rank, found):
    for turn in range(ROUNDS):
        MPI.send(turn, 1 - rank, 2)
        found.append(MPI.receive(1 - rank, 2))  # in a thread


def made(turn):
    """Code that is gone when it has run; the next one may lie where it lay."""
    told = {"MPI": MPI}
    exec(compile("\n" * turn + "value = MPI.sum(1)", f"made_{turn}.py", "exec"), told)
    return told["value"]


sys.setswitchinterval(1e-4)
MPI.start()
rank = MPI.rank_of()
take_late(rank)
(counter := Zähler()).zähle(rank)
thread = threading.Thread(target=beside, args=(rank, found := []))
thread.start()
spun = 0
while thread.is_alive():  # the interpreter's lock is this thread's most of the time
    spun += 1
seen = counter.seen, sum(parts()), sum(found), sum(made(turn) for turn in range(5))
os.write(1, "seen {} {} {} {}\n".format(*seen).encode())  # at once: two ranks have one pipe
MPI.finish()

# SPDX-License-Identifier: BSD-3-Clause
"""Tasks that something else finishes, and messages whose length is known late, on any ranks."""

import threading

import numpy as np
from mpi4py import MPI

import plait
from plait import in_, inout, out


def raises(kind, call, *words):
    try:
        call()
    except kind as e:
        told = " ".join([str(e), *getattr(e, "__notes__", [])])
        assert all(word in told for word in words), told
        return e
    raise AssertionError(f"{kind.__name__} was expected")


def a_timer_finishes_a_task(rt):
    x, copy = np.zeros(4), np.zeros(4)

    def begins(v, until):
        def ends():
            v[:] = 7
            until.release()

        threading.Timer(0.02, ends).start()

    end = rt.task(begins, out(x), held=True)
    rt.task(lambda v, w: np.copyto(w, v), in_(x), out(copy))
    end.wait()
    assert (x == 7).all()
    rt.wait()
    assert (copy == 7).all()


def all_holds_are_released(rt):
    x = np.zeros(1)
    kept = []

    def begins(v, until):
        kept.append(until.another())
        until.release()
        raises(plait.UsageError, until.release, "null pointer")

    end = rt.task(begins, out(x), held=True)
    rt.task(lambda: None, also=[in_(np.zeros(1))])
    while not kept:
        rt.wait_on(np.zeros(1))
    assert not end.done()
    kept.pop().release()
    rt.wait()
    assert end.done()


def requests_finish_tasks(rt):
    """Sums by MPI, begun in a task, anew and in a recording."""
    x = np.array([rt.rank + 1.0])
    comm = MPI.COMM_WORLD.Dup()

    def sums(v, until):
        with rt.mpi():
            request = comm.Iallreduce(MPI.IN_PLACE, v)
        until.finish_with(request)

    def halves(v):
        v /= rt.size

    def submit():
        rt.task(sums, inout(x), held=True)
        rt.task(halves, inout(x))

    submit()
    rt.wait()
    mean = (rt.size + 1) / 2
    assert x[0] == mean, x
    rt.replay(rt.record(submit), 20)
    rt.wait()
    assert x[0] == mean, x
    with rt.mpi():
        comm.Free()


def two_chains_of_requests(rt):
    """Tasks that wait for the right to call MPI, and for the lock of the interpreter."""
    pairs = [(np.array([rt.rank + 1.0 + i]), MPI.COMM_WORLD.Dup()) for i in range(2)]

    def sums(v, comm, until):
        with rt.mpi():
            request = comm.Iallreduce(MPI.IN_PLACE, v)
        until.finish_with(request)

    def divides(v):
        v /= rt.size

    for _ in range(50):
        for x, comm in pairs:
            rt.task(sums, inout(x), comm, held=True)
            rt.task(divides, inout(x))
    rt.wait()
    for i, (x, comm) in enumerate(pairs):
        assert abs(x[0] - (rt.size + 1) / 2 - i) < 1e-9, x
        with rt.mpi():
            comm.Free()


def lengths(rt):
    """Of a ring of messages that tasks decide how long they are."""
    left, right = (rt.rank - 1) % rt.size, (rt.rank + 1) % rt.size
    sent, got = np.arange(10.0) + rt.rank, np.full(10, -1.0)
    count, came = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.uint64)

    def chooses(n):
        n[0] = rt.rank % 7 + 2

    rt.task(chooses, out(count))
    rt.recv_counted(got, came, left, 3)
    rt.send_counted(sent, count, right, 3)
    rt.wait()
    n = left % 7 + 2
    assert came[0] == n, came
    assert (got[:n] == np.arange(n) + left).all(), got
    assert (got[n:] == -1).all(), got
    raises(ValueError, lambda: rt.send_counted(sent, np.zeros(1), right), "one integer of 8 bytes")
    raises(ValueError, lambda: rt.send_counted(sent[::2], count, right), "one piece")


def numbers_of_parts_are_checked(rt):
    x = np.zeros(rt.size + 1)
    parts = [1] * (rt.size + 1)
    raises(ValueError, lambda: rt.allgatherv(x[:1], x, parts), "each rank")
    raises(ValueError, lambda: rt.alltoallv(x, x, parts, parts), "each rank")


def neighbours_of_different_sizes(rt):
    left, right = (rt.rank - 1) % rt.size, (rt.rank + 1) % rt.size
    if rt.size < 3:
        return
    mine = np.full(rt.rank + 1, 1.0 * rt.rank)
    both = np.zeros(left + right + 2)
    rt.neighbour_allgatherv(mine, both, [left + 1, right + 1], [left, right], [left, right])
    rt.wait()
    assert both.tolist() == [left] * (left + 1) + [right] * (right + 1)
    to_left, to_right = [-1.0 * rt.rank], [1.0 * rt.rank] * 2
    swapped = np.zeros(3)
    rt.neighbour_alltoallv(np.array(to_left + to_right), swapped, [1, 2], [2, 1], [left, right],
                           [left, right])  # fmt: skip
    rt.wait()
    assert swapped.tolist() == [left, left, -right]
    raises(ValueError, lambda: rt.neighbour_alltoallv(mine, both, [1], [1, 1], [left, right],
                                                      [left, right]), "each neighbour")  # fmt: skip


def kernels_take_no_hold(rt):
    empty = plait.kernel(lambda v: None)
    raises(TypeError, lambda: rt.task(empty, inout(np.zeros(1)), held=True), "no hold")


def fails_later(v, until):
    threading.Timer(0.01, lambda: until.fail(KeyError("as asked"))).start()


def fails_in_words(v, until):
    until.fail("the disk is full")


def forgets(v, until):
    pass


class Unprintable(Exception):
    def __str__(self):
        raise KeyError("as asked")


def fails_oddly(v, until):
    raises(KeyError, lambda: until.fail(Unprintable()), "as asked")
    until.release()


def raises_itself(v, until):
    raises_itself.until = until
    raise KeyError("as asked")


def failures():
    for function, kind, words in (
        (fails_later, KeyError, "as asked"),
        (fails_in_words, plait.TaskError, "the disk is full"),
        (forgets, plait.TaskError, "dropped, neither released nor failed"),
        (raises_itself, KeyError, "as asked"),
    ):
        rt = plait.Runtime(MPI.COMM_SELF, workers=2)
        x = np.zeros(1)
        rt.task(function, inout(x), name="begins", held=True)
        raises(kind, rt.wait, words)
        rt.finalize()
    raises(plait.UsageError, raises_itself.until.release, "null pointer")
    with plait.Runtime(MPI.COMM_SELF) as rt:
        rt.task(fails_oddly, inout(np.zeros(1)), held=True)


with plait.Runtime(workers=2) as runtime:
    for check in (
        a_timer_finishes_a_task,
        all_holds_are_released,
        requests_finish_tasks,
        two_chains_of_requests,
        lengths,
        numbers_of_parts_are_checked,
        neighbours_of_different_sizes,
        kernels_take_no_hold,
    ):
        check(runtime)
failures()

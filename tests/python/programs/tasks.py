# SPDX-License-Identifier: BSD-3-Clause
"""Tasks of one rank: their order, what they hold, their exceptions, and the interpreter's lock."""

import array
import gc
import signal
import sys
import threading
import time
import traceback

import numpy as np

import plait
from plait import commutative, in_, inout, out


def raises(kind, call, *words):
    try:
        call()
    except kind as e:
        assert all(word in str(e) for word in words), str(e)
        return e
    raise AssertionError(f"{kind.__name__} was expected")


def tasks_follow_each_other(rt):
    x = np.zeros(64)
    order = []

    def append(values, i):
        order.append(i)
        values += 1

    for i in range(300):
        rt.task(append, inout(x), i)
    rt.wait()
    assert order == list(range(300))
    assert (x == 300).all()


def pascals_triangle(rt):
    n = 12
    u = np.zeros(n + 1, dtype=np.int64)
    u[n] = 1

    def add(a, b):
        a += b

    for _ in range(n):
        for i in range(n):
            rt.task(add, inout(u[i : i + 1]), in_(u[i + 1 : i + 2]))
    rt.wait()
    binomial = 1
    for k in range(n + 1):
        assert u[n - k] == binomial, (k, u)
        binomial = binomial * (n - k) // (k + 1)


def strided_views_do_not_conflict(rt):
    """Both tasks wait for each other: they run at once, for their columns share no byte."""
    if rt.workers < 2:
        return
    a = np.zeros((50, 4))
    both = threading.Barrier(2)

    def meet(column):
        both.wait(60)
        column += 1

    rt.task(meet, inout(a[:, 1]))
    rt.task(meet, inout(a[:, 2]))
    rt.wait()
    assert a.sum(axis=0).tolist() == [0, 50, 50, 0]


def ends(rt):
    x = np.zeros(3)
    first = rt.task(lambda v: v.__iadd__(1), inout(x), name="first")
    first.wait()
    assert first.done()
    assert x[0] == 1
    rt.task(lambda v: v.__imul__(5), inout(x), priority=plait.high)
    rt.wait_on(x)
    assert x[0] == 5
    total = np.zeros(1)
    for i in range(20):
        rt.task(lambda t, n: t.__iadd__(n), commutative(total), i)
    rt.wait()
    assert total[0] == 190


def children(rt):
    x = np.zeros(8)

    def parent(v):
        for i in range(8):
            rt.task(lambda one, k: one.__iadd__(k), inout(v[i : i + 1]), i)

    rt.task(parent, inout(x))
    rt.wait()
    assert x.tolist() == list(range(8))


def other_arrays(rt):
    """What has the buffer protocol, and what has DLPack alone."""
    many = array.array("d", [1.0] * 5)
    bytes_ = bytearray(b"aaaa")

    class Tensor:
        def __init__(self, of):
            self.of = of

        def __dlpack__(self, **more):
            return self.of.__dlpack__(**more)

        def __dlpack_device__(self):
            return self.of.__dlpack_device__()

    owned = np.zeros(4)
    tensor = Tensor(owned)
    rt.task(lambda v: v.append(2.0) if False else v.__setitem__(0, 7.0), inout(many))
    rt.task(lambda v: v.__setitem__(0, 98), out(bytes_))
    rt.task(lambda v: v.of.__iadd__(4), inout(tensor))
    rt.wait()
    assert (many[0], bytes_[:2], owned[0]) == (7.0, b"ba", 4)
    many.append(1.0)  # nothing holds it any more


def refusals(rt):
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    raises(ValueError, lambda: rt.task(print, out(fixed)), "read-only")
    rt.task(lambda v: None, in_(fixed))
    raises(ValueError, lambda: rt.task(print, in_(np.array([None, 1]))), "Python objects")
    raises(TypeError, lambda: rt.task(print, in_(3.0)), "array")
    raises(TypeError, lambda: rt.task(3, in_(fixed)), "function")
    raises(TypeError, lambda: rt.task(print, in_(fixed), name=3), "str")
    apart = np.zeros((3,) * 6)[(slice(None, None, 2),) * 6]
    raises(ValueError, lambda: rt.task(print, in_(apart)), "four axes")
    raises(plait.UsageError, lambda: rt.send(fixed, 7), "7")
    raises(ValueError, lambda: plait.Runtime(policy="often"), "often")
    seen = []
    other = threading.Thread(
        target=lambda: seen.append(raises(plait.StateError, rt.wait, "another thread"))
    )
    other.start()
    other.join()
    assert len(seen) == 1
    rt.wait()


def exceptions(workers):
    def fails(v):
        raise KeyError("as asked")

    x = np.zeros(2)
    rt = plait.Runtime(workers=workers)
    rt.task(fails, inout(x), name="fails")
    e = raises(KeyError, rt.wait, "as asked")
    assert "in fails" in "".join(traceback.format_exception(type(e), e, e.__traceback__))
    if sys.version_info >= (3, 11):
        assert any("'fails'" in note for note in e.__notes__)
    rt.finalize()
    raises(plait.StateError, rt.wait, "ended")
    raises(plait.StateError, lambda: rt.send(x, 0), "ended")


def replays(rt):
    x = np.zeros(16)
    with rt.recording() as sweep:
        assert rt.task(lambda v: v.__iadd__(1), inout(x[:8])) is None
        rt.task(lambda v, w: v.__iadd__(w), inout(x[8:]), in_(x[:8]))
    assert x.sum() == 0
    rt.replay(sweep, 10)
    rt.wait()
    assert x[0] == 10
    assert x[8] == 55

    def stops():
        rt.task(lambda v: v.__iadd__(1), inout(x))
        raise ZeroDivisionError

    raises(ZeroDivisionError, lambda: rt.record(stops))
    rt.wait()
    assert x[0] == 10
    del sweep
    rt.wait()  # and it is freed
    again = rt.record(lambda: rt.task(lambda v: v.__iadd__(1), inout(x)))
    rt.replay(again, 3)
    rt.wait()
    assert x[0] == 13


def references_return(rt):
    x = np.zeros(4)

    def nothing(v, o):
        pass

    other = object()
    for round_ in range(2):
        before = [sys.getrefcount(x), sys.getrefcount(nothing), sys.getrefcount(other)]
        for _ in range(200):
            rt.task(nothing, inout(x), other)
        rt.wait()
        rt.wait()  # what the last tasks held is let go by the next call
        gc.collect()
        after = [sys.getrefcount(x), sys.getrefcount(nothing), sys.getrefcount(other)]
        assert after == before, (round_, before, after)


def signals_end_a_wait(rt):
    x, y = np.zeros(2), np.ones(2)
    rt.recv(x, 0, 9)
    signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    raises(ZeroDivisionError, rt.wait)
    rt.send(y, 0, 9)
    rt.wait()
    assert x[0] == 1


def lock_cannot_hang(workers):
    """Far more tasks of Python than may be in flight, and another thread that wants the lock."""
    rt = plait.Runtime(workers=workers, in_flight=8)
    x = [np.zeros(1) for _ in range(5)]
    go_on = True

    def computes():
        while go_on:
            sum(range(100))

    other = threading.Thread(target=computes)
    other.start()
    for i in range(2000):
        rt.task(lambda v: v.__iadd__(1), inout(x[i % 5]))
    rt.wait()
    go_on = False
    other.join()
    assert [v[0] for v in x] == [400] * 5
    rt.finalize()


def numpy_tasks_of_two_workers_meet(rt):
    """A task waits, without the lock, for another: time.sleep gives the lock away as numpy does."""
    if rt.workers < 2:
        return
    x, y = np.zeros(1), np.zeros(1)

    def waits(v):
        late = time.monotonic() + 60
        while y[0] == 0 and time.monotonic() < late:
            time.sleep(0.001)
        v[0] = y[0]

    rt.task(waits, inout(x))
    rt.task(lambda v: v.__iadd__(3), inout(y), also=[])
    rt.wait()
    assert x[0] == 3


for workers in (1, 3):
    runtime = plait.Runtime(workers=workers)
    assert (runtime.rank, runtime.size, runtime.workers) == (0, 1, workers)
    for check in (tasks_follow_each_other, pascals_triangle, strided_views_do_not_conflict, ends,
                  children, other_arrays, refusals, replays, references_return, signals_end_a_wait,
                  numpy_tasks_of_two_workers_meet):  # fmt: skip
        check(runtime)
    assert runtime.ledger()["wall_s"] > 0
    runtime.finalize()
    exceptions(workers)
    lock_cannot_hang(workers)

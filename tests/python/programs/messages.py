# SPDX-License-Identifier: BSD-3-Clause
"""Messages, collectives and windows on any number of ranks."""

import numpy as np
from mpi4py import MPI

import plait
from plait import in_, inout

rt = plait.Runtime(workers=2)
rank, size = rt.rank, rt.size
left, right = (rank + size - 1) % size, (rank + 1) % size
assert (rank, size) == (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)


def columns_and_rows():
    """A row of one rank becomes a column of the next, backwards."""
    row = np.arange(20.0).reshape(4, 5) + 100 * rank
    column = np.zeros((5, 3))
    rt.recv(column[::-1, 1], left, 3, name="column")
    rt.send(row[2], right, 3, name="row")
    rt.wait()
    assert (column[::-1, 1] == np.arange(10.0, 15.0) + 100 * left).all()
    assert column[:, [0, 2]].sum() == 0


def temporaries():
    """More arrays than are held side by side, and nobody else has a name for them."""
    got = np.zeros(1500)
    for i in range(1500):
        rt.recv(got[i : i + 1], left, 1)
        rt.send(np.array([i + 0.5 * rank]), right, 1)
    rt.wait()
    assert (got == np.arange(1500) + 0.5 * left).all()


def nobody():
    x = np.ones(3)
    rt.recv(x, plait.nobody)
    rt.send(x, MPI.PROC_NULL)
    rt.wait()
    assert x.sum() == 3


def arrays_in_flight_cannot_be_resized():
    """A rank sends to itself what it cannot resize until the message is over."""
    text, got = bytearray(b"abcd"), bytearray(4)
    rt.recv(memoryview(got), rank, 8)
    try:
        got.append(1)
        raise AssertionError("memory that a message uses was resized")
    except BufferError:
        pass
    rt.send(text, rank, 8)
    rt.wait()
    got.append(1)
    assert got == b"abcd\x01"


def halves():
    colour = rank % 2
    part = MPI.COMM_WORLD.Split(colour, rank)
    among = rt.adopt(part, "half")
    x = np.array([rank + 1.0])
    rt.allreduce(None, x, among=among)
    rt.wait()
    assert x[0] == sum(r + 1 for r in range(size) if r % 2 == colour)


def collectives():
    mine = np.arange(3.0) + rank
    all_ = np.zeros(3)
    ranks = range(size)
    rt.allreduce(mine, all_)
    rt.wait()
    assert (all_ == sum(np.arange(3.0) + r for r in ranks)).all()
    rt.allreduce(mine, all_, "max")
    rt.wait()
    assert (all_ == np.arange(3.0) + size - 1).all()
    first = np.array([7 * (rank + 1)], dtype=np.int32)
    rt.bcast(first, size - 1)
    rt.wait()
    assert first[0] == 7 * size
    total = np.zeros(3)
    rt.reduce(mine, total if rank == 0 else None, "sum", 0)
    before, upto = np.zeros(3), np.zeros(3)
    rt.exscan(mine, before)
    rt.scan(mine, upto)
    rt.barrier()
    rt.wait()
    assert rank != 0 or (total == sum(np.arange(3.0) + r for r in ranks)).all()
    assert (upto == sum(np.arange(3.0) + r for r in range(rank + 1))).all()
    assert rank == 0 or (before == sum(np.arange(3.0) + r for r in range(rank))).all()
    table = np.zeros((size, 2), dtype=np.int64)
    rt.allgather(np.array([rank, -rank]), table)
    rt.wait()
    assert table.tolist() == [[r, -r] for r in ranks]
    swapped = np.zeros(size, dtype=np.int64)
    rt.alltoall(np.arange(size) + 10 * rank, swapped)
    rt.wait()
    assert swapped.tolist() == [10 * r + rank for r in ranks]
    part = np.zeros(2)
    rt.scatter(np.arange(2.0 * size) if rank == 0 else None, part, 0)
    rt.wait()
    assert part.tolist() == [2.0 * rank, 2.0 * rank + 1]
    whole = np.zeros(2 * size) if rank == 0 else None
    rt.gather(part, whole, 0)
    rt.wait()
    assert rank != 0 or whole.tolist() == list(range(2 * size))
    mine_of = np.zeros(1)
    rt.reduce_scatter_block(np.arange(1.0 * size), mine_of)
    rt.wait()
    assert mine_of[0] == size * rank
    counts = [r + 1 for r in ranks]
    uneven = np.zeros(sum(counts))
    rt.allgatherv(np.full(rank + 1, rank + 0.0), uneven, counts)
    rt.wait()
    assert uneven.tolist() == [float(r) for r in ranks for _ in range(r + 1)]
    around = np.zeros(2)
    rt.neighbour_alltoall(np.array([-1.0 * rank, 1.0 * rank]), around, [left, right], [left, right])
    rt.wait()
    assert size < 3 or around.tolist() == [1.0 * left, -1.0 * right]
    try:
        rt.allreduce(np.zeros(2, dtype=bool), np.zeros(2, dtype=bool))
        raise AssertionError("sums of truth values were taken")
    except ValueError as e:
        assert "b1" in str(e)


def windows():
    open_ = np.zeros(8)
    window = rt.window(open_)
    mine = np.full(2, rank + 1.0)
    window.put(mine, right, 16, signal=3)
    window.await_signal(left, 3, [open_])
    doubled = np.zeros(2)
    rt.task(lambda o, d: np.multiply(o[2:4], 2, out=d), in_(open_), inout(doubled))
    rt.wait()
    assert (doubled == 2 * (left + 1.0)).all()
    MPI.COMM_WORLD.Barrier()
    got = np.zeros(2)
    window.get(got, right, 16)
    rt.wait()
    assert (got == rank + 1.0).all()
    window.free()


def stencil():
    """A ring of cells that tasks sweep, replayed, has the bits of numpy on the whole ring."""
    cells, sweeps = 12, 20
    u, v = np.zeros(cells + 2), np.zeros(cells + 2)
    u[1:-1] = np.sin(np.arange(cells) + cells * rank)
    whole = np.sin(np.arange(cells * size, dtype=float))

    def step(a, b):
        rt.recv(a[:1], left, 5)
        rt.send(a[-2:-1], right, 5)
        rt.recv(a[-1:], right, 6)
        rt.send(a[1:2], left, 6)
        for i in range(1, cells + 1, 4):
            rt.task(lambda x, y: np.add(x[:-2] * 0.25, x[2:] * 0.5, out=y), in_(a[i - 1 : i + 5]),
                    inout(b[i : i + 4]), name="sweep")  # fmt: skip

    def there_and_back():
        step(u, v)
        step(v, u)

    sweep = rt.record(there_and_back)
    rt.replay(sweep, sweeps)
    rt.wait()
    for _ in range(2 * sweeps):
        whole = np.roll(whole, 1) * 0.25 + np.roll(whole, -1) * 0.5
    assert (u[1:-1] == whole[cells * rank : cells * (rank + 1)]).all()


for check in (
    columns_and_rows,
    temporaries,
    nobody,
    arrays_in_flight_cannot_be_resized,
    halves,
    collectives,
    windows,
    stencil,
):
    check()
with rt.mpi():
    MPI.COMM_WORLD.Barrier()
rt.finalize()

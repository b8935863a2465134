# SPDX-License-Identifier: BSD-3-Clause
"""Ghosts and redistributions of numpy arrays, against slices of the whole array."""

import functools
import gc
import itertools
import random

import numpy as np
from mpi4py import MPI

import plait
from plait import in_, inout

common = random.Random(17)  # the same on all ranks


def divide(cells, ranks):
    """Returns the box of each rank: cut at random; None where a rank has no cells."""
    boxes = [tuple((0, n) for n in cells)]
    while len(boxes) < ranks:
        one = common.choice([i for i, box in enumerate(boxes) if box is not None])
        axis = common.randrange(len(cells))
        low, high = boxes[one][axis]
        if high - low < 2:
            boxes.append(None)
            continue
        middle = common.randrange(low + 1, high)
        before, after = list(boxes[one]), list(boxes[one])
        before[axis], after[axis] = (low, middle), (middle, high)
        boxes[one] = tuple(before)
        boxes.append(tuple(after))
    common.shuffle(boxes)
    return boxes


def laid_out(shape, dtype, rank):
    """Returns an array of -1 whose memory is in C's order, Fortran's, or with gaps."""
    how = (rank + len(shape)) % 3
    if how == 0 or len(shape) == 4:
        return np.full(shape, -1, dtype)
    if how == 1:
        return np.full(shape, -1, dtype, order="F")
    return np.full([2 * n for n in shape], -1, dtype)[tuple(slice(None, None, 2) for _ in shape)]


def block_of(box, width, cells, dtype, rank):
    """Returns an array with ghosts and the place of its first own cell."""
    if box is None:
        return np.zeros([0] * len(cells), dtype), [0] * len(cells)
    shape = [high - low + 2 * w for (low, high), w in zip(box, width, strict=True)]
    return laid_out(shape, dtype, rank), [low for low, _ in box]


def own(array, width):
    return array[tuple(slice(w, n - w) for w, n in zip(width, array.shape, strict=True))]


def cells_in(whole, box):
    return whole[tuple(slice(low, high) for low, high in box)]


def expected(whole, box, width, periodic, corners, boundary):
    """Returns the block with its ghosts, -1 where no move writes."""
    shape = [high - low + 2 * w for (low, high), w in zip(box, width, strict=True)]
    made = np.full(shape, -1, whole.dtype)
    for at in itertools.product(*map(range, shape)):
        cell = [low - w + i for (low, _), w, i in zip(box, width, at, strict=True)]
        outside = sum(not low <= c < high for (low, high), c in zip(box, cell, strict=True))
        if outside > 1 and not corners:
            continue
        turned = [c % n if p else c for c, n, p in zip(cell, whole.shape, periodic, strict=True)]
        nearest = [min(max(c, 0), n - 1) for c, n in zip(turned, whole.shape, strict=True)]
        if turned == nearest or boundary == "nearest":
            made[at] = whole[tuple(nearest)]
        elif boundary is not None:
            made[at] = boundary
    return made


def test_ghosts(rt):
    axes = common.randint(1, 4)
    cells = [common.randint(1, 7) for _ in range(axes)]
    width = [common.randint(0, 2) for _ in range(axes)]
    periodic = [common.random() < 0.5 for _ in range(axes)]
    corners = common.random() < 0.5
    boundary = common.choice([None, "nearest", 42])
    dtype = common.choice([np.float64, np.int16, np.complex64])
    box = divide(cells, rt.size)[rt.rank]
    u, first = block_of(box, width, cells, dtype, rt.rank)
    mover = rt.ghosts(
        u, width, first=first, cells=cells, periodic=periodic, corners=corners, boundary=boundary
    )
    whole = np.arange(np.prod(cells), dtype=dtype).reshape(cells)

    def step(mover):
        if box is not None:
            rt.task(np.add, in_(own(u, width)), 1, inout(own(u, width)))
        rt.move(mover)

    if box is not None:
        own(u, width)[...] = cells_in(whole, box)
    step(mover)
    sweep = rt.record(functools.partial(step, mover))
    rt.replay(sweep, 3)
    del mover, sweep
    gc.collect()
    rt.wait()
    if box is not None:
        right = expected(whole + 4, box, width, periodic, corners, boundary)
        assert u.tobytes() == right.tobytes(), (rt.rank, u, right)


def test_redistribution(rt):
    axes = common.randint(1, 4)
    cells = [common.randint(2, 7) for _ in range(axes)]
    box, other = divide(cells, rt.size)[rt.rank], divide(cells, rt.size)[rt.rank]
    width = [common.randint(0, 1) for _ in range(axes)]
    u, first = block_of(box, width, cells, np.float32, rt.rank)
    v, to_first = block_of(other, [0] * axes, cells, np.float32, rt.rank)
    whole = np.arange(np.prod(cells), dtype=np.float32).reshape(cells)
    if box is not None:
        own(u, width)[...] = cells_in(whole, box)
    rt.move(rt.redistribution(u, v, cells=cells, first=first, to_first=to_first, width=width))
    del u
    rt.wait()
    if other is not None:
        assert np.array_equal(v, cells_in(whole, other)), rt.rank


def refused(kind, words, call):
    try:
        call()
    except kind as failure:
        assert words in str(failure), failure
    else:
        raise AssertionError(f"not refused: {words}")


def test_refusals(rt):
    """What one rank says wrong raises on all: on that rank with its own words."""
    u = np.zeros((1, 5))
    good = {"first": (rt.rank, 0), "cells": (rt.size, 5)}
    is_last = rt.rank == rt.size - 1

    def only_last(kind, words, array=u, width=0, **more):
        if is_last:
            refused(kind, words, lambda: rt.ghosts(array, width, **{**good, **more}))
        else:
            refused(plait.UsageError, f"rank {rt.size - 1}: ", lambda: rt.ghosts(u, 0, **good))

    fixed = np.zeros((1, 5))
    fixed.flags.writeable = False
    only_last(ValueError, "read-only", fixed)
    only_last(ValueError, "one number for each of 2 axes", first=(0,))
    only_last(ValueError, "5 axes", np.zeros((1, 1, 1, 1, 1)))
    only_last(ValueError, "neither 'nearest' nor a value", boundary="zero")
    only_last(ValueError, "one element", boundary=[1, 2])
    again = np.lib.stride_tricks.as_strided(u, (2, 5), (0, 8))  # the same row twice
    only_last(ValueError, "stand for several", again)
    only_last(AttributeError, "shape", 7)
    only_last(plait.UsageError, "-1 layers of ghosts along axis 0", width=-1)
    refused(plait.UsageError, "along axis 1 leave", lambda: rt.ghosts(u, 0, first=3, cells=(9, 5)))
    refused(plait.UsageError, "cells; they must have all",
            lambda: rt.ghosts(u, 0, first=(rt.rank, 0), cells=(99, 5)))  # fmt: skip
    mover = rt.ghosts(u, 0, **good)
    rt.move(mover)
    return mover


with plait.Runtime(MPI.COMM_WORLD) as rt:
    for _ in range(12):
        test_ghosts(rt)
        test_redistribution(rt)
    left = test_refusals(rt)
refused(plait.StateError, "the runtime has ended", lambda: rt.move(left))

# SPDX-License-Identifier: BSD-3-Clause
"""Kernels run without the interpreter: on arrays of all layouts, with numbers, beside Python."""

import numpy as np

import plait
from plait import in_, inout, out


@plait.kernel
def scaled(a, b, factor, shift, negative):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j] * factor + shift
            if negative:
                b[i, j] = -b[i, j]


@plait.kernel
def count(x):
    x[0] += 1


rt = plait.Runtime(workers=2)
cases = (
    (np.float64, lambda z: z),
    (np.float64, np.asfortranarray),
    (np.float64, lambda z: z[::2, 1:4]),
    (np.int32, lambda z: z.T),
)
for kind, layout in cases:
    a = layout(np.arange(42, dtype=kind).reshape(6, 7))
    b = layout(np.zeros((6, 7), dtype=np.float64))
    rt.task(scaled, in_(a), out(b), 2.5, 3, True)
    rt.wait()
    assert (b == -(a * 2.5 + 3)).all(), (a.strides, kind)

# Twice as many as fit, replayed, beside tasks of Python that want the lock.
n = np.zeros(1, dtype=np.int64)
m = np.zeros(1, dtype=np.int64)
for _ in range(50):
    rt.task(count, inout(n))
    rt.task(lambda v: v.__iadd__(1), inout(m))
sweep = rt.record(lambda: rt.task(count, inout(n)))
rt.replay(sweep, 1000)
rt.wait()
assert (n[0], m[0]) == (1050, 50)
local = np.zeros((1, 1))
scaled(np.ones((1, 1)), local, 2.0, 1, False)  # called as it is
assert local[0, 0] == 3
try:
    rt.task(count, n)
    raise AssertionError("an array without an access was taken")
except TypeError as e:
    assert "in_" in str(e)
rt.finalize()

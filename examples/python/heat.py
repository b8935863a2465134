# SPDX-License-Identifier: BSD-3-Clause
"""Heat spreads from the left end of a rod, of which each rank has a part.

mpiexec -n 4 python heat.py
"""

import numpy as np
from mpi4py import MPI

import plait
from plait import in_, out

cells, pieces, steps = 2400, 4, 200


def relax(old, new):
    """Writes new temperatures of a piece; `old` has a cell more on either side."""
    np.multiply(old[:-2] + old[2:], 0.25, out=new)
    new += 0.5 * old[1:-1]


def change(old, new, largest):
    largest[0] = np.abs(new - old).max()


with plait.Runtime(MPI.COMM_WORLD) as rt:
    left = rt.rank - 1 if rt.rank > 0 else plait.nobody
    right = rt.rank + 1 if rt.rank < rt.size - 1 else plait.nobody
    n = cells // rt.size
    cuts = [1 + n * k // pieces for k in range(pieces + 1)]
    u, v = np.zeros(n + 2), np.zeros(n + 2)
    if rt.rank == 0:
        u[0] = v[0] = 100.0

    def step(old, new):
        rt.recv(old[:1], left, tag=1, name="ghost")
        rt.recv(old[-1:], right, tag=2, name="ghost")
        rt.send(old[1:2], left, tag=2, name="edge")
        rt.send(old[-2:-1], right, tag=1, name="edge")
        for a, b in zip(cuts, cuts[1:]):
            rt.task(relax, in_(old[a - 1 : b + 1]), out(new[a:b]))

    def there_and_back():
        step(u, v)
        step(v, u)

    sweep = rt.record(there_and_back)
    rt.replay(sweep, steps // 2)
    rt.wait()

    largest, heat = np.zeros(1), np.array([u[1:-1].sum()])
    rt.task(change, in_(v[1:-1]), in_(u[1:-1]), out(largest))
    rt.allreduce(None, largest, "max")
    rt.allreduce(None, heat)
    rt.wait()
    if rt.rank == 0:
        print(f"after {steps} steps: {heat[0]:.3f}, the largest step {largest[0]:.4f}")

# SPDX-License-Identifier: BSD-3-Clause
"""Heat spreads from the left end of a rod, of which each rank has a part: by mpi4py alone.

mpiexec -n 4 python heat_mpi4py.py
"""

import numpy as np
from mpi4py import MPI

cells, steps = 2400, 200


def relax(old, new):
    np.multiply(old[:-2] + old[2:], 0.25, out=new)
    new += 0.5 * old[1:-1]


world = MPI.COMM_WORLD
left = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
right = world.rank + 1 if world.rank < world.size - 1 else MPI.PROC_NULL
n = cells // world.size
u, v = np.zeros(n + 2), np.zeros(n + 2)
if world.rank == 0:
    u[0] = v[0] = 100.0

for _ in range(steps):
    requests = [
        world.Irecv(u[:1], left, tag=1),
        world.Irecv(u[-1:], right, tag=2),
        world.Isend(u[1:2], left, tag=2),
        world.Isend(u[-2:-1], right, tag=1),
    ]
    relax(u[1:-1], v[2:-2])  # the inner cells need no neighbour
    MPI.Request.Waitall(requests)
    relax(u[:3], v[1:2])
    relax(u[-3:], v[-2:-1])
    u, v = v, u

largest = world.allreduce(float(np.abs(u[1:-1] - v[1:-1]).max()), MPI.MAX)
heat = world.allreduce(float(u[1:-1].sum()))
if world.rank == 0:
    print(f"after {steps} steps: {heat:.3f}, the largest step {largest:.4f}")

# SPDX-License-Identifier: BSD-3-Clause
"""Heat spreads in a plate that is divided among ranks in both directions.

mpiexec -n 4 python heat_blocks.py
"""

import numpy as np
from mpi4py import MPI

import plait
from plait import in_, out

plate, tiles, steps = (120, 200), 3, 100


def relax(old, new):
    """Writes new temperatures of a tile; `old` has a cell more on each side."""
    np.add(old[:-2, 1:-1], old[2:, 1:-1], out=new)
    new += old[1:-1, :-2] + old[1:-1, 2:]
    new *= 0.25


def cuts(n):
    return [1 + n * k // tiles for k in range(tiles + 1)]


with plait.Runtime(MPI.COMM_WORLD) as rt:
    grid = MPI.Compute_dims(rt.size, 2)
    place = divmod(rt.rank, grid[1])
    low, high = ([n * (p + k) // g for n, p, g in zip(plate, place, grid)] for k in (0, 1))
    ny, nx = high[0] - low[0], high[1] - low[1]
    u, v = np.zeros((ny + 2, nx + 2)), np.zeros((ny + 2, nx + 2))
    if low[0] == 0:
        u[0] = v[0] = 1.0  # a hot wall above; the other ends stay cold
    movers = [rt.ghosts(x, 1, first=low, cells=plate) for x in (u, v)]

    def step(old, new, ghosts):
        rt.move(ghosts)  # returns at once
        for a, b in zip(cuts(ny), cuts(ny)[1:]):
            for c, d in zip(cuts(nx), cuts(nx)[1:]):
                rt.task(relax, in_(old[a - 1 : b + 1, c - 1 : d + 1]), out(new[a:b, c:d]))

    def there_and_back():
        step(u, v, movers[0])
        step(v, u, movers[1])

    sweep = rt.record(there_and_back)
    rt.replay(sweep, steps // 2)
    rt.wait()

    # The whole plate on rank 0.
    whole = np.zeros(plate if rt.rank == 0 else (0, 0))
    rt.move(rt.redistribution(u, whole, cells=plate, first=low, width=1, to_first=0))
    rt.wait()
    if rt.rank == 0:
        print(f"heat in the plate: {whole.sum():.6f}, near the wall {whole[9, 100]:.6f}")

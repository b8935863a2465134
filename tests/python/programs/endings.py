# SPDX-License-Identifier: BSD-3-Clause
"""A task of the last rank raises while the others wait for its messages: the job ends."""

import numpy as np

import plait


def fails(x):
    raise KeyError("as asked")


with plait.Runtime() as rt:
    u = np.zeros(4)
    if rt.rank == rt.size - 1:
        rt.task(fails, plait.inout(u))
    else:
        rt.recv(u, rt.size - 1)
    rt.wait()
print("nobody ended the job")

# SPDX-License-Identifier: BSD-3-Clause
"""A program in Python with regions: marked.py LIBRARY. It calls MPI without any package."""

import ctypes
import sys

import plait

ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)  # what the process has: of several functions of a name the first
name, length = ctypes.create_string_buffer(4096), ctypes.c_int()

mpi.MPI_Init(None, None)
for _ in range(10):
    with plait.region("step"):
        plait.region_begin("été")
        mpi.MPI_Get_processor_name(name, ctypes.byref(length))
        plait.region_end("été")
try:
    with plait.region("failing"):
        raise ValueError
except ValueError:
    pass
mpi.MPI_Finalize()
print("done")

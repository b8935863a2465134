# SPDX-License-Identifier: BSD-3-Clause
"""The peer mpi4py-fft, for a program that has started MPI and reads and writes its arrays."""

import mpi4py

mpi4py.rc.initialize = False
mpi4py.rc.finalize = False

from mpi4py import MPI  # noqa: E402
from mpi4py_fft import PFFT  # noqa: E402
from mpi4py_fft.pencil import Subcomm  # noqa: E402


class Transform:
    """Plans for a grid of cells (z, y, x) in slabs of z over a communicator."""

    def __init__(self, communicator: int, cells: tuple[int, int, int], effort: str) -> None:
        self._ranks = Subcomm(MPI.Intracomm(MPI.Comm.f2py(communicator)), [0, 1, 1])
        self._fft = PFFT(
            self._ranks, cells, axes=(0, 1, 2), dtype=complex, collapse=True, planner_effort=effort
        )

    def part(self, waves: int) -> tuple[int, ...]:
        """Say where this rank's part lies: its address, and beginnings, ends and strides.

        Each of the three is along z, y and x. Strides count elements.
        """
        array = self._fft.forward.output_array if waves else self._fft.forward.input_array
        slices = self._fft.local_slice(bool(waves))
        beginnings = [int(one.start) for one in slices]
        ends = [int(one.stop) for one in slices]
        strides = [int(one) // array.itemsize for one in array.strides]
        return (int(array.ctypes.data), *beginnings, *ends, *strides)

    def forward(self) -> None:
        """Transform the array in space into that of waves; neither is copied."""
        self._fft.forward(normalize=False)

    def backward(self) -> None:
        """Transform the array of waves into that in space."""
        self._fft.backward()

    def destroy(self) -> None:
        """Free the communicators and datatypes, while MPI is there."""
        self._fft.destroy()

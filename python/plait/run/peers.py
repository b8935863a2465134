# SPDX-License-Identifier: BSD-3-Clause
"""Peers of a benchmark that are programs themselves, which one of its ranks starts."""

import shutil
from collections.abc import Sequence

from plait.lab import Lab
from plait.launch.mpi import line_of_rank


def words_of_peers(
    benchmark: str, mpi: str, ranks: int, lab: Lab | None, given: Sequence[str]
) -> list[str]:
    """Returns what tells a benchmark how its peers start, unless the words `given` do.

    There is one: `dense` has Debian's hpcc, which runs on Debian's Open MPI alone.
    """
    if benchmark != "dense" or mpi != "openmpi":
        return []
    hpcc = shutil.which("hpcc")
    if hpcc is None or any(word.partition("=")[0] == "--hpcc" for word in given):
        return []
    program = ["env", "OPENBLAS_NUM_THREADS=1", hpcc]
    return ["--hpcc", line_of_rank(mpi, ranks, program, lab)]

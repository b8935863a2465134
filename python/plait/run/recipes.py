# SPDX-License-Identifier: BSD-3-Clause
"""Recipes: each starts a program of plait's own, on so many ranks, so often, with these words."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping, Sequence

from plait.errors import BadInput
from plait.lab import Lab
from plait.lab.spec import LINK_BURST_BYTES
from plait.launch.library import kind_of
from plait.launch.mpi import line_of_rank


@dataclasses.dataclass(frozen=True)
class Part:
    """One start of a program."""

    ranks: int | None = None  # None: one process, without mpiexec
    settings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    beside_first: bool = False  # it reads the first part's result: `--beside FILE`

    def describe(self) -> str:
        """A phrase for the result file."""
        who = f"{self.ranks} rank{'s' if self.ranks != 1 else ''}"
        return ", ".join([who, *(f"{key}={value}" for key, value in self.settings.items())])


def parts_of(kind: str, name: str, mpi: str, ranks: int | None, lab: bool) -> list[Part]:
    """Returns the starts of the program of that name and kind (`apps`, `bench`, …)."""
    if (kind, name) == ("network", "predict"):
        return [Part()]
    if kind != "bench":
        return [Part(ranks or 2)]
    return _parts_of_benchmark(name, mpi, ranks, lab)


def _parts_of_benchmark(name: str, mpi: str, ranks: int | None, lab: bool) -> list[Part]:
    if name in ("counts", "message", "exchange", "progress", "scale", "fft", "dense", "sparse"):
        parts = [Part(ranks or 2)]
        if name == "exchange" and kind_of(mpi) == "mpich":
            # MPICH reads this before MPI_Init, so it takes a job of its own.
            parts.append(Part(parts[0].ranks, {"MPIR_CVAR_ASYNC_PROGRESS": "1"}, True))
        return parts
    if name == "metg":
        if ranks is not None:
            return [Part(ranks)]
        # A node of a cluster tells nothing about one process that this machine does not.
        return [Part(2)] if lab else [Part(1), Part(2)]
    if name == "bindings" and (lab or ranks is not None):  # its exchange
        return [Part(ranks or 2)]
    for option, given in (("--ranks", ranks is not None), ("--lab", lab)):
        if given:
            raise BadInput(f"{option}: {name} is one process and sends no messages")
    return [Part()]


def words_of_lab(kind: str, name: str, lab: Lab) -> list[str]:
    """Returns what tells a program about the cluster that it runs in."""
    rate = ["--link-rate", f"{lab.spec.payload_bytes_per_s:.0f}"]
    if kind == "apps" or (kind == "bench" and name in ("fft", "sparse")):
        return rate
    if (kind, name) not in (("network", "loggp"), ("network", "collective")):
        return []
    if lab.spec.nodes < 2:
        return []  # all ranks share its memory
    return [*rate, "--link-burst", str(LINK_BURST_BYTES)]


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

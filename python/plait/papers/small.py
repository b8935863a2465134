# SPDX-License-Identifier: BSD-3-Clause
"""Small sizes of the page's commands: what shows in a second that a row prints its quantity."""

from collections.abc import Sequence

# Options by program, or by command and program; they replace those that a command has.
_SMALL = {
    "jacobi3d": "--size 128x128x16 --steps 4 --repeat 1",
    "redblack3d": "--size 32x32x16 --steps 4 --repeat 1",
    "poisson": "--size 32x32x16 --steps 4 --repeat 1",
    "summa": "--size 128x128x128 --repeat 1",
    "hpl": "--n 128 --nb 32 --repeat 1",
    "ft": "--class 16x16x16 --steps 1 --repeat 1",
    "fft3d": "--size 32x32x32 --steps 1 --repeat 1 --tile 8",
    "osem": "--phantom 32 --subsets 2 --repeat 1",
    "compress": "--repeat 1 --level 1",
    "spmv-probe": "--rows 4000 --repeat 1",
    "ft-probe": "--length 64 --rows 64 --repeat 1",
    "bench fft": "--class 32x32x32 --repeat 1 --only base,plait,fftw-mpi",
    "bench dense": "--n 256 --repeat 1 --blocks 32 --pilaenv 0 --only plait,scalapack,hpcc",
    "bench bindings": "--tasks 1000 --repeat 1 --size 64KiB",
    "bench task_overhead": "--repeat 1",
    "bench message": "--sizes 8 --repeat 1",
    "bench tolerance": "--n 128 --nb 32 --repeat 1 --rates 1gbit,500mbit --noise none",
    "bench progress": "--sizes 64KiB --flights 1 --tasks 100us --repeat 1 --run-ms 10",
    "measure loggp": "--max-size 8KiB --repeat 2 --floods none",
    "measure nbc": "--sizes 1KiB --ranks 4 --repeat 1",
    "measure windows": "--sizes 8 --repeat 1",
    "measure overlap": "--sizes 8 --repeat 1",
}
# Values of options where a command has them, and the option that is left out then.
_INSTEAD = {
    "--cells-per-node": ("16x16x8", "--size"),
    "--messages": ("exchange,slabs,8,pencils", ""),
    "--sizes": ("256KiB", ""),
    "--repeat": ("1", ""),
}


def smaller(words: Sequence[str]) -> list[str]:
    """Returns the words of a command with small sizes."""
    command, *rest = words[1:] if words[0] == "plait" else words
    program = rest[0] if rest else ""
    options = _SMALL.get(program if command == "run" else f"{command} {program}", "").split()
    found = list(words)
    for option, value in zip(options[::2], options[1::2]):
        found = _with(found, option, value)
    for option, (value, instead_of) in _INSTEAD.items():
        if option in found:
            found = _without(_with(found, option, value), instead_of)
    return found


def _with(words: Sequence[str], option: str, value: str) -> list[str]:
    return [*_without(words, option), option, value]


def _without(words: Sequence[str], option: str) -> list[str]:
    if option not in words:
        return list(words)
    at = words.index(option)
    return [*words[:at], *words[at + 2 :]]

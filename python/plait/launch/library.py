# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries that `--mpi` takes: Debian's by their names, any other by its folder.

`abi` is the standard ABI of MPI 5: one build for all libraries that have libmpi_abi.so.
Needs nothing but Python itself: `./plait` and `plait attach` have no more.
"""

from __future__ import annotations

import pathlib
import shutil
import sys

from plait.errors import BadInput

NAMES = ("openmpi", "mpich", "abi")
PACKAGES = {"openmpi": "openmpi-bin", "mpich": "mpich"}  # Debian's, which have mpiexec
HELP = "MPI library: openmpi, mpich, the folder of an installation of either, or abi."
# Programs that only one library installs, with its kind: Intel MPI is started as MPICH is.
_TELLING = {"ompi_info": "openmpi", "mpichversion": "mpich", "impi_info": "mpich"}


def check(mpi: str) -> str:
    """Returns the word; refuses what is neither a name nor the folder of an installation."""
    kind_of(mpi)
    return mpi


def kind_of(mpi: str) -> str:
    """Returns `openmpi`, `mpich` or `abi`, for a name or a folder; none needs a compiler."""
    if mpi in NAMES:
        return mpi
    if "/" not in mpi:
        raise BadInput(f"--mpi {mpi}: give openmpi, mpich or the folder of an installation, or abi")
    programs = pathlib.Path(mpi) / "bin"
    _demand(mpi, "mpiexec")
    if any(letter.isspace() for letter in str(folder_of(mpi))):
        raise BadInput(f"--mpi {mpi}: a path with blanks cannot be handed on to MPI's launchers")
    kind = installed_in(programs)
    if kind is None:
        raise BadInput(
            f"--mpi {mpi}: this is neither Open MPI (bin/ompi_info) nor MPICH (bin/mpichversion)"
            " nor Intel MPI (bin/impi_info)"
        )
    return kind


def installed_in(programs: pathlib.Path) -> str | None:
    """Returns the kind of the library whose programs are in this folder."""
    for program, kind in _TELLING.items():
        if (programs / program).exists():
            return kind
    return None


def _demand(mpi: str, program: str) -> None:
    if shutil.which(pathlib.Path(mpi) / "bin" / program) is None:
        raise BadInput(f"--mpi {mpi}: there is no program bin/{program} in it")


def folder_of(mpi: str) -> pathlib.Path:
    """Returns the folder of an installation that was given by it."""
    return pathlib.Path(mpi).absolute()


def full_name(mpi: str) -> str:
    """Returns the name, or the whole path of the folder."""
    return mpi if mpi in NAMES else str(folder_of(mpi))


def build_folder(mpi: str) -> str:
    """Returns the name of the folder below `build` with what is built for this library."""
    return "release-" + full_name(mpi).strip("/").replace("/", "-")


def main() -> None:
    """Print the name, or the whole path, of the library that the only word gives, to build with."""
    try:
        mpi = check(sys.argv[1])
        if mpi not in NAMES:
            _demand(mpi, "mpicxx")
        print(full_name(mpi).rstrip("/"))
    except BadInput as error:
        sys.exit(f"plait: {error}")


if __name__ == "__main__":
    main()

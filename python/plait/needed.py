# SPDX-License-Identifier: BSD-3-Clause
"""Looks for what plait needs to be built: programs, modules of pkg-config, headers.

They go by the names of the Debian packages that have them, but count wherever they come from.
`start.py plait.needed [--for=TARGET:MPI] PACKAGE…` prints the packages whose contents are not here;
with `--for`, those alone that this target cannot do without.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterable

from plait.lab.privilege import tool_path

# All of a group have to be there; of names with a bar between them, one.
_PROGRAMS = {
    "g++": "g++|c++", "cmake": "cmake", "ninja-build": "ninja", "pkg-config": "pkg-config",
    "git": "git", "openmpi-bin": "mpiexec.openmpi", "libopenmpi-dev": "mpicxx.openmpi",
    "mpich": "mpiexec.mpich", "libmpich-dev": "mpicxx.mpich", "iproute2": "ip tc",
    "iputils-ping": "ping", "util-linux": "setpriv flock unshare nsenter taskset",
    "valgrind": "valgrind", "clang-format": "clang-format", "doxygen": "doxygen",
    "bzip2": "bzip2", "zstd": "zstd", "gfortran": "gfortran", "hpcc": "hpcc",
}  # fmt: skip
_MODULES = {
    "libhwloc-dev": "hwloc", "libfmt-dev": "fmt", "nlohmann-json3-dev": "nlohmann_json",
    "libcli11-dev": "CLI11", "libgtest-dev": "gtest", "libbenchmark-dev": "benchmark",
    "libfftw3-dev": "fftw3", "zlib1g-dev": "zlib", "libzstd-dev": "libzstd", "libdw-dev": "libdw",
    "libopenblas-pthread-dev": "openblas", "libscalapack-openmpi-dev": "scalapack-openmpi",
    "libscalapack-mpich-dev": "scalapack-mpich", "libstarpu-dev": "starpu-1.3",
    "libtbb-dev": "tbb", "python3-dev": "python3-embed", "petsc-dev": "petsc",
    "librsb-dev": "librsb",
}  # fmt: skip
_HEADERS = {
    "libboost-context-dev": "boost/context/fiber.hpp", "libzydis-dev": "Zydis/Zydis.h",
    "libmetis-dev": "metis.h", "libbz2-dev": "bzlib.h", "libfftw3-mpi-dev": "fftw3-mpi.h",
}  # fmt: skip
# Without these something is left out, and the rest is built and runs.
_OPTIONAL = {
    "git", "iproute2", "iputils-ping", "clang-format", "doxygen", "bzip2", "zstd", "gfortran",
    "hpcc", "libscalapack-openmpi-dev", "libscalapack-mpich-dev",
}  # fmt: skip
_LIBRARIES = ("lib", "lib64", "share")
_OF_MPI = {"openmpi": ("openmpi-bin", "libopenmpi-dev"), "mpich": ("mpich", "libmpich-dev")}
_OF_ATTACH = {
    "g++", "cmake", "ninja-build", "pkg-config", "python3-venv", "libhwloc-dev", "libfmt-dev",
    "nlohmann-json3-dev", "libboost-context-dev", "libzydis-dev", "libdw-dev", "util-linux",
}  # fmt: skip

# Of the table above, what any build of a checkout takes.
LIBRARIES = (
    "pkg-config", "libhwloc-dev", "libfmt-dev", "nlohmann-json3-dev", "libboost-context-dev",
    "libzydis-dev", "libdw-dev", "libcli11-dev", "libgtest-dev", "libbenchmark-dev",
    "libfftw3-dev", "libopenblas-pthread-dev", "zlib1g-dev", "libmetis-dev",
    "libbz2-dev", "libzstd-dev",
)  # fmt: skip


def missing(packages: Iterable[str]) -> list[str]:
    """Returns the packages whose contents are not here."""
    return [package for package in packages if not _is_there(package)]


def needed_for(target: str, mpi: str, packages: Iterable[str]) -> list[str]:
    """Returns the packages that this target of a build with this MPI library cannot do without."""
    others = {each for name, those in _OF_MPI.items() if name != mpi for each in those}
    kept = [package for package in packages if package not in _OPTIONAL | others]
    if target == "plait_attach":
        kept = [package for package in kept if package in _OF_ATTACH | set(_OF_MPI.get(mpi, ()))]
    return kept


def _is_there(package: str) -> bool:
    if package == "openmpi-bin" and "PLAIT_MPIEXEC" in os.environ:
        return True
    if package == "python3-venv":
        return importlib.util.find_spec("ensurepip") is not None
    if programs := _PROGRAMS.get(package):
        return all(_any_program(names.split("|")) for names in programs.split())
    if module := _MODULES.get(package):
        return _has_module(module)
    if package == "libzydis-dev" and os.uname().machine != "x86_64":
        return True
    header = _HEADERS.get(package)
    return header is not None and any((folder / header).is_file() for folder in _include_folders())


def _any_program(names: list[str]) -> bool:
    return any(shutil.which(name, path=tool_path()) for name in names)


def _has_module(module: str) -> bool:
    folders = [f"{prefix}/{lib}/pkgconfig" for prefix in _prefixes() for lib in _LIBRARIES]
    given = [os.environ.get("PKG_CONFIG_PATH", ""), *folders]
    told = {**os.environ, "PKG_CONFIG_PATH": ":".join(given)}
    try:
        done = subprocess.run(["pkg-config", "--exists", module], env=told, capture_output=True,
                              check=False, timeout=20)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _include_folders() -> list[pathlib.Path]:
    given = [*os.environ.get("CPATH", "").split(":"),
             *os.environ.get("CPLUS_INCLUDE_PATH", "").split(":")]  # fmt: skip
    folders = [*(folder for folder in given if folder),
               *(f"{prefix}/include" for prefix in _prefixes())]  # fmt: skip
    multiarch = pathlib.Path("/usr/include").glob("*-linux-gnu*")
    return [*map(pathlib.Path, folders), pathlib.Path("/usr/include"), *multiarch]


def _prefixes() -> list[str]:
    """Returns the folders where CMake looks beside the system's own."""
    given = ":".join(os.environ.get(name, "") for name in ("CMAKE_PREFIX_PATH", "BOOST_ROOT"))
    return [*(prefix for prefix in given.split(":") if prefix), "/usr/local"]


def main() -> None:
    """Print what is missing, on one line."""
    words = sys.argv[1:]
    if words and words[0].startswith("--for="):
        target, _, mpi = words.pop(0).removeprefix("--for=").partition(":")
        words = needed_for(target, mpi, words)
    print(*missing(words))


if __name__ == "__main__":
    main()

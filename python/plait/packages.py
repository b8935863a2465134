# SPDX-License-Identifier: BSD-3-Clause
"""Tells what plait is built with: where systems have it, how it is found, what needs it.

Needs nothing but Python itself.
"""

import os
import pathlib
import shutil
from collections.abc import Iterable
from typing import NamedTuple

SYSTEMS = {"debian": "Debian", "fedora": "Fedora and RHEL", "suse": "SUSE", "conda": "conda-forge"}
_OS_RELEASE = pathlib.Path("/etc/os-release")


class Package(NamedTuple):
    """A package, by Debian's name; empty names are of systems that have none.

    What is looked for: all `programs` (of names with a bar between them, one), a `module` of
    pkg-config, a `header`, a shared `library`, or a module of Python.
    """

    debian: str
    looked_for: str
    part: str  # what needs it, and all parts after this one: see `PARTS`
    fedora: str
    suse: str
    conda: str
    without: str  # what follows where it is missing
    is_optional: bool = False  # something is left out then, and the rest is built and runs


# Each has what those before it have, but for the last three, which are apart.
PARTS = ("attach", "stencils", "all", "every_test", "peers", "sparse_peers")
OF_MPI = {"openmpi": ("openmpi-bin", "libopenmpi-dev"), "mpich": ("mpich", "libmpich-dev")}
_ALONE = "nothing but attach is built"
_TESTS = "tests are not built"
_FILES = "OSEM and compress do not read or write such files"

TABLE = tuple(Package(*row) for row in (
    ("g++", "programs g++|c++", "attach", "gcc-c++", "gcc-c++", "gxx", "nothing is built"),
    ("cmake", "programs cmake", "attach", "cmake", "cmake", "cmake", "nothing is built"),
    ("libopenmpi-dev", "programs mpicxx.openmpi", "attach", "openmpi-devel", "openmpi4-devel",
     "openmpi", "nothing is built for Debian's Open MPI"),
    ("openmpi-bin", "programs mpiexec.openmpi", "attach", "openmpi", "openmpi4", "openmpi",
     "no program of Debian's Open MPI is started"),
    ("libdw1", "library libdw.so.1", "attach", "elfutils-libs", "libdw1", "elfutils",
     "attach names functions, and no files and lines", True),
    ("ninja-build", "programs ninja", "stencils", "ninja-build", "ninja", "ninja", _ALONE),
    ("pkg-config", "programs pkg-config", "stencils", "pkgconf-pkg-config", "pkg-config",
     "pkg-config", _ALONE),
    ("python3-venv", "python ensurepip", "stencils", "python3", "python3", "python",
     "of the plait command only attach and doctor run, unless Python has typer and rich"),
    ("libhwloc-dev", "module hwloc", "stencils", "hwloc-devel", "hwloc-devel", "libhwloc", _ALONE),
    ("libfmt-dev", "module fmt", "stencils", "fmt-devel", "fmt-devel", "fmt", _ALONE),
    ("nlohmann-json3-dev", "module nlohmann_json", "stencils", "json-devel",
     "nlohmann_json-devel", "nlohmann_json", _ALONE),
    ("libboost-context-dev", "header boost/context/fiber.hpp", "stencils", "boost-devel",
     "libboost_context-devel", "libboost-devel", _ALONE),
    ("libzydis-dev", "header Zydis/Zydis.h", "stencils", "zydis-devel", "", "", _ALONE),
    ("libcli11-dev", "module CLI11", "stencils", "cli11-devel", "cli11-devel", "cli11",
     "no application and no benchmark is built"),
    ("iproute2", "programs ip tc", "stencils", "iproute", "iproute2", "iproute2",
     "--lab does not run", True),
    ("iputils-ping", "programs ping", "stencils", "iputils", "iputils", "iputils",
     "--lab does not run", True),
    ("util-linux", "programs setpriv flock unshare nsenter taskset", "stencils", "util-linux",
     "util-linux", "util-linux", "no job is started"),
    ("git", "programs git", "all", "git", "git", "git", "results do not name their commit", True),
    ("libmpich-dev", "programs mpicxx.mpich", "all", "mpich-devel", "mpich-devel", "mpich",
     "nothing is built for Debian's MPICH"),
    ("mpich", "programs mpiexec.mpich", "all", "mpich", "mpich", "mpich",
     "no program of Debian's MPICH is started"),
    ("libgtest-dev", "module gtest", "all", "gtest-devel", "gtest", "gtest", _TESTS),
    ("libbenchmark-dev", "module benchmark", "all", "google-benchmark-devel", "benchmark-devel",
     "benchmark", "benchmarks are not built"),
    ("valgrind", "programs valgrind", "all", "valgrind", "valgrind", "valgrind", _TESTS),
    ("libfftw3-dev", "module fftw3", "all", "fftw-devel", "fftw3-devel", "fftw",
     "FT, fft3d and ft-probe are not built"),
    ("libopenblas-pthread-dev", "module openblas", "all", "openblas-devel", "openblas-devel",
     "openblas", "SUMMA and HPL are not built"),
    ("zlib1g-dev", "module zlib", "all", "zlib-devel", "zlib-devel", "zlib", _FILES),
    ("libmetis-dev", "header metis.h", "all", "metis-devel", "metis-devel", "metis",
     "SpMV is not built"),
    ("clang-format", "programs clang-format", "all", "clang-tools-extra", "clang", "clang-format",
     "the form of the sources is not tested", True),
    ("doxygen", "programs doxygen", "all", "doxygen", "doxygen", "doxygen",
     "the site is not made", True),
    ("libbz2-dev", "header bzlib.h", "all", "bzip2-devel", "libbz2-devel", "bzip2", _FILES),
    ("libzstd-dev", "module libzstd", "all", "libzstd-devel", "libzstd-devel", "zstd", _FILES),
    ("bzip2", "programs bzip2", "all", "bzip2", "bzip2", "bzip2",
     "compress is not compared with it", True),
    ("zstd", "programs zstd", "all", "zstd", "zstd", "zstd",
     "compress is not compared with it", True),
    ("libdw-dev", "module libdw", "all", "elfutils-devel", "libdw-devel", "elfutils", _TESTS),
    ("gfortran", "programs gfortran", "all", "gcc-gfortran", "gcc-fortran", "gfortran",
     "programs in Fortran are not tested", True),
    ("clang", "programs clang|clang-14 clang++|clang++-16|clang++-15|clang++-14", "all", "clang",
     "clang", "clangxx", "programs are not compiled by clang, nor attach tested with its OpenMP",
     True),
    ("libomp-dev", "library libomp.so.5", "all", "libomp-devel", "libomp-devel", "llvm-openmp",
     "attach is not tested with LLVM's OpenMP", True),
    ("libscalapack-openmpi-dev", "module scalapack-openmpi", "all", "scalapack-openmpi-devel", "",
     "scalapack", "bench dense is without it", True),
    ("libscalapack-mpich-dev", "module scalapack-mpich", "all", "scalapack-mpich-devel", "",
     "scalapack", "bench dense is without it", True),
    ("hpcc", "programs hpcc", "all", "hpcc", "", "", "bench dense is without it", True),
    ("libsimgrid-dev", "module simgrid", "all", "", "", "",
     "plait simulate has no --topology", True),
    ("python3-dev", "module python3-embed", "all", "python3-devel", "python3-devel", "python",
     "import plait has no tasks, and there is no comparison with mpi4py-fft", True),
    ("liburing-dev", "module liburing", "all", "liburing-devel", "liburing-devel", "liburing",
     "the example with io_uring is not built", True),
    ("nodejs", "programs node", "all", "nodejs", "nodejs", "nodejs",
     "pages are not tested", True),
    ("slurm-wlm", "programs slurmctld slurmd srun munged", "every_test", "slurm", "slurm", "",
     "programs under Slurm are not tested", True),
    ("chromium-headless-shell", "programs chromium-headless-shell|chromium|chromium-browser",
     "every_test", "chromium-headless", "chromium", "", "the site is not looked at", True),
    ("libstarpu-dev", "module starpu-1.3", "peers", "", "", "", "no comparison with StarPU"),
    ("libtbb-dev", "module tbb", "peers", "tbb-devel", "tbb-devel", "tbb-devel",
     "no comparison with TBB"),
    ("libfftw3-mpi-dev", "header fftw3-mpi.h", "peers", "fftw-openmpi-devel",
     "fftw3-openmpi-devel", "fftw", "no comparison with FFTW"),
    ("petsc-dev", "module petsc", "sparse_peers", "petsc-openmpi-devel", "", "petsc",
     "no comparison with PETSc"),
    ("librsb-dev", "module librsb", "sparse_peers", "librsb-devel", "", "",
     "no comparison with librsb"),
))  # fmt: skip
BY_NAME = {package.debian: package for package in TABLE}


def of_part(part: str) -> list[str]:
    """Returns Debian's names of the packages that a part of plait needs."""
    parts = PARTS[: PARTS.index(part) + 1] if part in PARTS[:3] else (part,)
    return [package.debian for package in TABLE if package.part in parts]


def needed_for(target: str, mpi: str, packages: Iterable[str]) -> list[str]:
    """Returns the packages that this target of a build with this MPI library cannot do without."""
    others = {each for name, those in OF_MPI.items() if name != mpi for each in those}
    kept = [name for name in packages if not BY_NAME[name].is_optional and name not in others]
    if target == "plait_attach":
        kept = [name for name in kept
                if BY_NAME[name].part == "attach" or name in OF_MPI.get(mpi, ())]  # fmt: skip
    return kept


def system() -> str:
    """Returns whose names this machine goes by: a key of `SYSTEMS`."""
    if "CONDA_PREFIX" in os.environ and shutil.which("apt-get") is None:
        return "conda"
    try:
        lines = _OS_RELEASE.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return "debian"
    told = dict(line.split("=", 1) for line in lines if "=" in line)
    like = f"{told.get('ID', '')} {told.get('ID_LIKE', '')}".replace('"', "").split()
    if {"fedora", "rhel"} & set(like):
        return "fedora"
    return "suse" if any("suse" in one or one.startswith("sle") for one in like) else "debian"


def names_here(packages: Iterable[str]) -> list[str]:
    """Returns how this system calls packages that go by Debian's names."""
    here = system()
    names = (getattr(BY_NAME[name], here) or f"{name} (of Debian)" for name in packages)
    return list(dict.fromkeys(names))


def names_everywhere(packages: Iterable[str]) -> str:
    """Returns the names of each system, in one text."""
    wanted = [BY_NAME[name] for name in packages]
    texts = []
    for key, name in SYSTEMS.items():
        there = dict.fromkeys(getattr(package, key) for package in wanted)
        texts.append(f"{name}: {', '.join(one or '(none)' for one in there)}")
    return "; ".join(texts)

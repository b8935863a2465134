# SPDX-License-Identifier: BSD-3-Clause
"""Looks for what plait needs to be built: programs, headers, libraries.

They go by the names of the Debian packages that have them, but count wherever they come from.
`start.py plait.needed [--for=TARGET:MPI] PACKAGE…` prints the packages whose contents are not here;
with `--for`, those alone that this target cannot do without. `--of=PART` prints the packages of a
part of plait, `--here PACKAGE…` how this system calls them.
"""

import ctypes
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterable

from plait.lab.privilege import tool_path
from plait.packages import BY_NAME, names_here, needed_for, of_part

_LIBRARIES = ("lib", "lib64", "share")


def missing(packages: Iterable[str]) -> list[str]:
    """Returns the packages whose contents are not here."""
    return [package for package in packages if not _is_there(package)]


def _is_there(package: str) -> bool:
    if package == "openmpi-bin" and "PLAIT_MPIEXEC" in os.environ:
        return True
    if package == "libzydis-dev" and os.uname().machine != "x86_64":
        return True
    kind, _, what = BY_NAME[package].looked_for.partition(" ")
    if kind == "python":
        return importlib.util.find_spec(what) is not None
    if kind == "programs":
        return all(_any_program(names.split("|")) for names in what.split())
    if kind == "module":
        return _has_module(what)
    if kind == "library":
        return _has_library(what)
    return any((folder / what).is_file() for folder in _include_folders())


def _any_program(names: list[str]) -> bool:
    return any(shutil.which(name, path=tool_path()) for name in names)


def _has_library(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


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
    told = ("CMAKE_PREFIX_PATH", "BOOST_ROOT", "CONDA_PREFIX")
    given = ":".join(os.environ.get(name, "") for name in told)
    return [*(prefix for prefix in given.split(":") if prefix), "/usr/local"]


def main() -> None:
    """Print what the words ask for, on one line."""
    words = sys.argv[1:]
    option, value = "", ""
    if words and words[0].startswith("--"):
        option, _, value = words.pop(0).partition("=")
    if option == "--of":
        print(*of_part(value))
    elif option == "--here":
        print(", ".join(names_here(words)))
    else:
        if option == "--for":
            target, _, mpi = value.partition(":")
            words = needed_for(target, mpi, words)
        print(*missing(words))


if __name__ == "__main__":
    main()

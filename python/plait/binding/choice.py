# SPDX-License-Identifier: BSD-3-Clause
"""Loads the extension that was built for the MPI library that mpi4py has loaded."""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import types
from typing import Any

_HERE = pathlib.Path(__file__).resolve().parent
_KINDS = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel MPI": "mpich", "MVAPICH": "mpich"}


@functools.cache
def core() -> Any:
    """Returns the extension. Errors: ImportError, in one line, where there is none that fits."""
    kind, vendor = _loaded_by_mpi4py()
    file = _file_for(kind, vendor)
    before = _mpi_libraries()
    for library in before:  # where the extension finds MPI's names: that of a wheel links no MPI
        ctypes.CDLL(library, mode=os.RTLD_GLOBAL | os.RTLD_NOLOAD | os.RTLD_NOW)
    loader = importlib.machinery.ExtensionFileLoader("plait.binding._core", str(file))
    spec = importlib.util.spec_from_file_location("plait.binding._core", file, loader=loader)
    if spec is None:
        raise ImportError(f"plait: {file} is no extension of Python")
    module: types.ModuleType = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    if second := _mpi_libraries() - before:
        raise ImportError(
            f"plait: mpi4py has loaded {vendor} from {' '.join(sorted(before))}, and {file.name}"
            f" was built for the one in {' '.join(sorted(second))}"
        )
    return module


def _loaded_by_mpi4py() -> tuple[str, str]:
    try:
        from mpi4py import MPI
    except ImportError as why:
        raise ImportError("plait: tasks and messages need mpi4py, which brings MPI") from why
    vendor = MPI.get_vendor()[0]
    if vendor not in _KINDS:
        raise ImportError(f"plait: there is no extension for {vendor}, which mpi4py has loaded")
    return _KINDS[vendor], vendor


def _file_for(kind: str, vendor: str) -> pathlib.Path:
    """Returns the extension: of PLAIT_PYTHON_CORE, of the package, or of the checkout's build."""
    name = f"_core.{kind}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    folders = [pathlib.Path(f) for f in os.environ.get("PLAIT_PYTHON_CORE", "").split(":") if f]
    folders += [_HERE, _HERE.parents[2] / "build" / f"release-{kind}" / "src" / "python"]
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    others = [file.name for folder in folders for file in folder.glob(f"_core.{kind}.*.so")]
    if others:
        raise ImportError(f"plait: the extension for {vendor} here is {others[0]}, of another"
                          f" Python than this {sys.version_info[0]}.{sys.version_info[1]};"
                          " plait's source archive builds one for this")  # fmt: skip
    raise ImportError(f"plait: {name}, the extension for {vendor}, is not here; mpi4py has loaded"
                      f" {vendor}")  # fmt: skip


def _mpi_libraries() -> set[str]:
    """Returns the files of MPI libraries that this process has mapped, links followed."""
    found: set[str] = set()
    try:
        lines = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    except OSError:
        return found
    for line in lines:
        name = line.split(maxsplit=5)[-1]
        if pathlib.PurePath(name).name.startswith(("libmpi.so", "libmpich.so", "libmpi_abi.so")):
            found.add(name)
    return found

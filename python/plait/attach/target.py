# SPDX-License-Identifier: BSD-3-Clause
"""Finds the MPI library that a program uses, and the reason where plait cannot come between."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shutil
import stat
from collections.abc import Iterable

from plait.attach.built import shipped
from plait.attach.elf import Elf, NoElf, defines, interpreter_of, read
from plait.attach.loader import closure, missing
from plait.errors import BadInput
from plait.launch import library

# Sonames of the C libraries: Open MPI's, Debian's MPICH's, any other MPICH's, the standard ABI's.
_SONAME = re.compile(r"lib(mpi|mpich|mpi_abi)\.so(\.\d+)*")
_DEBIAN = {"libmpi.so.40": "openmpi", "libmpich.so.12": "mpich"}
# Whose ABI they have. Relatives of MPICH, such as Intel MPI and MVAPICH, share its own.
_KINDS = {**_DEBIAN, "libmpi.so.12": "mpich"}
# That of MPI 5's standard ABI, whichever library stands behind it.
_STANDARD = re.compile(r"libmpi_abi\.so(\.\d+)*")
_PYTHON = re.compile(r"python[\d.]*")
# What mpi4py opens when it is imported: its wheels have a module for each ABI, and choose.
_OPEN_MPI4PY = """
import sys
sys.path = [folder for folder in sys.path if folder]
try:
    import mpi4py
    mpi4py.rc(initialize=False, finalize=False)
    from mpi4py import MPI
finally:
    with open("/proc/self/maps") as maps:
        print(*(line.split(None, 5)[5] for line in maps if ".so" in line), sep="", end="")
"""
_PYTHON_STARTS_S = 20.0


@dataclasses.dataclass(frozen=True)
class Target:
    """A program that plait can attach to."""

    path: str
    mpi: str  # as `--mpi` takes it
    kind: str  # whose ABI it has: openmpi, mpich or abi
    opened: str | None = None  # the library itself, where the program opens it, as Python does


def find(word: str, mpi: str | None) -> Target:
    """The program of a command line and its MPI library; `BadInput` where it cannot be attached."""
    path = _path_of(word)
    _refuse_privileged(word, path)
    if (interpreter := interpreter_of(path)) is not None:
        return _loading(path, interpreter[-1:], mpi, f"{word} is a script: where it uses an MPI "
                                                     "library,")  # fmt: skip
    try:
        program = read(path)
    except (NoElf, ValueError) as reason:
        raise BadInput(f"{word}: {reason}") from None
    if not program.is_dynamic:
        what = "MPI is linked" if defines(path, b"MPI_Init") else "it is linked"
        raise BadInput(f"{word}: {what} statically, so no library can be put in front of MPI")
    return _linked(path, word, program, mpi)


def _path_of(word: str) -> str:
    found = shutil.which(word)
    if found is None:
        is_file = pathlib.Path(word).is_file()
        if "/" in word and is_file:
            raise BadInput(f"{word} is not a program: the file cannot be executed")
        near = f"; did you mean ./{word}?" if is_file else ""
        raise BadInput(f"{word}: there is no such program{near}")
    return found


def _refuse_privileged(word: str, path: str) -> None:
    """The loader leaves LD_PRELOAD out of programs that run with more rights than their user."""
    has_capabilities = "security.capability" in _attributes(path)
    if has_capabilities or pathlib.Path(path).stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        kind = "has capabilities of its own" if has_capabilities else "is setuid or setgid"
        raise BadInput(f"{word} {kind}: the loader puts no library in front of such a program")


def _attributes(path: str) -> list[str]:
    try:
        return os.listxattr(path)
    except OSError:
        return []


def _loading(path: str, interpreter: list[str], mpi: str | None, what: str) -> Target:
    """Returns an interpreter or a script, with the library that mpi4py opens or `--mpi` names."""
    opened = _opened_by_mpi4py(interpreter)
    if opened is not None:
        own, kind = _only("mpi4py opens", [opened])
        if mpi is None or _agree(mpi, own, kind):
            return Target(path, library.full_name(mpi or own), kind, opened)
    if mpi is None:
        raise BadInput(f"{what} name it: --mpi openmpi, mpich or abi")
    kind = _kind_of(mpi)
    return Target(path, library.full_name(mpi), kind)


def _kind_of(mpi: str) -> str:
    """Returns whose ABI `--mpi` names; a folder needs no compiler where attach has come built."""
    if "/" in mpi:
        for name, kind in _KINDS.items():
            if shipped(kind) and pathlib.Path(mpi, "lib", name).exists():
                return kind
    return library.kind_of(mpi)


def _agree(mpi: str, own: str, kind: str) -> bool:
    """Says if `--mpi` names the library that is used; by its kind where attach has come built.

    A program of the standard ABI runs under any library that has it.
    """
    if own == "abi" and "/" in mpi:
        return any(pathlib.Path(mpi, "lib").glob("libmpi_abi.so*"))
    return (mpi == kind and bool(shipped(kind))) or _installed_at(mpi) == _installed_at(own)


def _linked(path: str, word: str, program: Elf, mpi: str | None) -> Target:
    needed = [lib.path for lib in closure(program)]
    loaded = _named_like(_SONAME, needed)
    if not loaded:
        _refuse_other(word, program, needed)
        is_python = _PYTHON.fullmatch(pathlib.Path(program.path).name) is not None
        return _loading(
            path, [program.path] if is_python else [], mpi,
            f"{word} is linked with no MPI library, so there is nothing to measure; "
            "where it loads one later, as an interpreter does,",
        )  # fmt: skip
    own, kind = _only(f"{word} is linked with", loaded)
    if mpi is not None and not _agree(mpi, own, kind):
        what = "MPI's standard ABI (--mpi abi)" if own == "abi" else own
        raise BadInput(f"{word} is linked with {what}, and --mpi names {mpi}")
    return Target(path, "abi" if own == "abi" else library.full_name(mpi or own), kind)


def _named_like(pattern: re.Pattern[str], paths: Iterable[str]) -> list[str]:
    return [path for path in paths if pattern.fullmatch(pathlib.Path(path).name)]


def _only(who: str, loaded: list[str]) -> tuple[str, str]:
    """The one installation that the libraries are of, and whose ABI it has."""
    used = {_installation(path) for path in loaded}
    if len(used) > 1:
        raise BadInput(f"{who} more than one MPI library: {', '.join(sorted(loaded))}")
    own = used.pop()
    kind = "abi" if own == "abi" else _KINDS.get(_soname_of(loaded[0]))
    if kind is not None and shipped(kind):
        return own, kind
    try:
        kind = library.kind_of(own)
    except BadInput:
        raise BadInput(f"{who} {loaded[0]}, which is neither Open MPI nor MPICH in an installation "
                       "with its bin/mpicxx") from None  # fmt: skip
    return own, kind


def _refuse_other(word: str, program: Elf, needed: list[str]) -> None:
    """Refuse with the name of the library that has MPI, where that is none that plait knows."""
    for name in _named_like(_SONAME, missing(program)):
        raise BadInput(f"{word} is linked with {name}, which the loader does not find; "
                       "LD_LIBRARY_PATH names folders to look in")  # fmt: skip
    for path in needed:
        if defines(path, b"MPI_Init"):
            raise BadInput(f"{word} is linked with {path}, which has MPI's functions and is "
                           "neither Open MPI's nor MPICH's own library")  # fmt: skip
    if defines(program.path, b"MPI_Init"):
        raise BadInput(f"{word}: MPI is linked statically, so no library can be put in front")


def _opened_by_mpi4py(interpreter: list[str]) -> str | None:
    """The MPI library that an interpreter opens for mpi4py, where it has that."""
    import subprocess

    command = shutil.which(interpreter[0]) if interpreter else None
    if command is None or not _PYTHON.fullmatch(pathlib.Path(command).name):
        return None
    try:
        done = subprocess.run([command, "-c", _OPEN_MPI4PY], capture_output=True, text=True,
                              check=False, timeout=_PYTHON_STARTS_S)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    mapped = sorted(set(done.stdout.splitlines()))
    loaded = _named_like(_SONAME, mapped)
    return loaded[0] if len(loaded) == 1 else None


def _soname_of(path: str) -> str:
    """Returns the soname of a library's file, whose name may have more of the version."""
    return ".".join(pathlib.Path(path).name.split(".")[:3])


def _installation(path: str) -> str:
    """Debian's by their names, any other by its folder, above the folder of the library.

    Of the standard ABI there is one build, for all libraries that have it.
    """
    if _STANDARD.fullmatch(pathlib.Path(path).name):
        return "abi"
    folder = pathlib.Path(path).parent.resolve()
    if folder.is_relative_to("/usr/lib"):
        name = _DEBIAN.get(_soname_of(path))
        if name:
            return name
    return str(folder.parent)


def _installed_at(mpi: str) -> str:
    if "/" not in mpi:
        return library.check(mpi)
    return str(pathlib.Path(mpi).resolve())

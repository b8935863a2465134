# SPDX-License-Identifier: BSD-3-Clause
"""Finds the MPI library that a program uses, and the reason where plait cannot come between."""

import dataclasses
import os
import pathlib
import re
import shutil
import stat

from plait.attach.elf import Elf, NoElf, is_script, mentions, read
from plait.attach.loader import closure
from plait.errors import BadInput
from plait.launch import library

# Sonames of the C libraries: Open MPI's, Debian's MPICH's, any other MPICH's.
_SONAME = re.compile(r"lib(mpi|mpich)\.so(\.\d+)*")
_DEBIAN = {"libmpi.so.40": "openmpi", "libmpich.so.12": "mpich"}


@dataclasses.dataclass(frozen=True)
class Target:
    """A program that plait can attach to."""

    path: str
    mpi: str  # as `--mpi` takes it


def find(word: str, mpi: str | None) -> Target:
    """The program of a command line and its MPI library; `BadInput` where it cannot be attached."""
    path = _path_of(word)
    _refuse_privileged(word, path)
    if is_script(path):
        return Target(path, _named(mpi, f"{word} is a script: where it uses an MPI library,"))
    try:
        program = read(path)
    except (NoElf, ValueError) as reason:
        raise BadInput(f"{word}: {reason}") from None
    if not program.is_dynamic:
        what = "MPI is linked" if mentions(path, b"MPI_Init") else "it is linked"
        raise BadInput(f"{word}: {what} statically, so no library can be put in front of MPI")
    return Target(path, _mpi_of(word, program, mpi))


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


def _named(mpi: str | None, what: str) -> str:
    if mpi is None:
        raise BadInput(f"{what} name it: --mpi openmpi or --mpi mpich")
    library.check(mpi)
    return library.full_name(mpi)


def _mpi_of(word: str, program: Elf, mpi: str | None) -> str:
    needed = [lib.path for lib in closure(program)]
    loaded = [path for path in needed if _SONAME.fullmatch(pathlib.Path(path).name)]
    if not loaded:
        if mentions(program.path, b"MPI_Init"):
            raise BadInput(f"{word}: MPI is linked statically, so no library can be put in front")
        return _named(mpi, f"{word} is linked with no MPI library, so there is nothing to measure; "
                           "where it loads one later, as an interpreter does,")  # fmt: skip
    used = {_installation(path) for path in loaded}
    if len(used) > 1:
        raise BadInput(f"{word} loads more than one MPI library: {', '.join(sorted(loaded))}")
    own = used.pop()
    if mpi is not None and _installed_at(mpi) != _installed_at(own):
        raise BadInput(f"{word} is linked with {own}, and --mpi names {mpi}")
    try:
        library.check(own)
    except BadInput:
        raise BadInput(f"{word} is linked with {loaded[0]}, which is neither Open MPI nor MPICH in "
                       "an installation with its bin/mpicxx") from None  # fmt: skip
    return library.full_name(mpi or own)


def _installation(path: str) -> str:
    """Debian's by their names, any other by its folder, above the folder of the library."""
    folder = pathlib.Path(path).parent.resolve()
    if folder.is_relative_to("/usr/lib"):
        name = _DEBIAN.get(pathlib.Path(path).name)
        if name:
            return name
    return str(folder.parent)


def _installed_at(mpi: str) -> str:
    library.check(mpi)
    return str(pathlib.Path(mpi).resolve()) if "/" in mpi else mpi

# SPDX-License-Identifier: BSD-3-Clause
"""Finds shared libraries as the dynamic loader would."""

from __future__ import annotations

import functools
import os
import pathlib
import struct
from collections.abc import Iterator

from plait.attach.elf import Elf, NoElf, read

_CACHE = "/etc/ld.so.cache"
_CACHE_MAGIC = b"glibc-ld.so.cache1.1"
_HEADER, _ENTRY = 48, 24
_IS_64_BIT = 0x0300  # of an entry's flags, on x86-64; other machines have other numbers
_DEFAULT = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


def missing(program: Elf) -> list[str]:
    """Returns the names of the libraries that a program is linked with and that are not there."""
    return [name for name in program.needed if _find(name, program, program.rpath) is None]


def closure(program: Elf) -> Iterator[Elf]:
    """Yields every shared library that a program loads at its start, breadth first."""
    seen: set[pathlib.Path] = set()
    left = [(program, ())]
    while left:
        user, inherited = left.pop(0)
        inherited = (*user.rpath, *inherited)
        for name in user.needed:
            path = _find(name, user, inherited)
            if path is None or path.resolve() in seen:
                continue
            seen.add(path.resolve())
            try:
                library = read(str(path))
            except (NoElf, OSError, ValueError):
                continue
            yield library
            left.append((library, inherited))


def _find(name: str, user: Elf, inherited: tuple[str, ...]) -> pathlib.Path | None:
    if "/" in name:
        return path if (path := pathlib.Path(name)).exists() else None
    given = [f for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f]
    for folder in (*inherited, *given, *user.runpath):
        if (path := pathlib.Path(folder, name)).exists():
            return path
    if cached := _cache().get(name):
        return pathlib.Path(cached)
    return next((path for f in _DEFAULT if (path := pathlib.Path(f, name)).exists()), None)


@functools.cache
def _cache() -> dict[str, str]:
    """Reads what ldconfig has written; where two libraries share a name the first one counts."""
    try:
        data = pathlib.Path(_CACHE).read_bytes()
    except OSError:
        return {}
    start = data.find(_CACHE_MAGIC)
    if start < 0:
        return {}
    found: dict[str, str] = {}
    (count,) = struct.unpack_from("<I", data, start + len(_CACHE_MAGIC))
    for index in range(count):
        flags, key, value = struct.unpack_from("<III", data, start + _HEADER + index * _ENTRY)
        if os.uname().machine != "x86_64" or flags & 0xFF00 == _IS_64_BIT:
            found.setdefault(_text(data, start + key), _text(data, start + value))
    return found


def _text(data: bytes, at: int) -> str:
    return os.fsdecode(data[at : data.index(b"\0", at)])

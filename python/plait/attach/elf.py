# SPDX-License-Identifier: BSD-3-Clause
"""Reader of ELF files: the libraries that a file needs, where they lie, the names it knows."""

from __future__ import annotations

import dataclasses
import mmap
import os
import pathlib
import struct

_EXECUTABLE, _SHARED = 2, 3
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRING_TABLE, _RPATH, _RUNPATH = 1, 5, 15, 29
_SYMBOL_TABLES = (2, 11)
_SYMBOL = "<IBBHQQ"
_MAGIC = b"\x7fELF"


class NoElf(Exception):
    """A file that is none, or of another machine's kind: the message says which."""


@dataclasses.dataclass(frozen=True)
class Elf:
    """A program or a shared library."""

    path: str
    is_dynamic: bool  # it is loaded by the dynamic loader, which reads LD_PRELOAD
    needed: tuple[str, ...] = ()
    rpath: tuple[
        str, ...
    ] = ()  # searched before LD_LIBRARY_PATH, for what it needs itself and below
    runpath: tuple[str, ...] = ()  # searched after it, for what it needs itself


def read(path: str) -> Elf:
    """Reads the dynamic section; `NoElf` where there is nothing to read."""
    with open(path, "rb") as file:
        head = file.read(64)
        _check(head)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return _read(path, data)
            except struct.error:
                raise NoElf("its file is cut off") from None


def defines(path: str, name: bytes) -> bool:
    """Returns whether the file has a function of this name itself, as far as its tables say."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return data.find(name + b"\0") >= 0 and _defines(data, name)
        except struct.error:
            return False


def _defines(data: mmap.mmap, name: bytes) -> bool:
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQII", data, table + at * size) for at in range(count)]
    for _, kind, _, _, offset, length, link, _ in sections:
        if kind not in _SYMBOL_TABLES or link >= count:
            continue
        texts, end = sections[link][4], sum(sections[link][4:6])
        for number, _, _, place, _, _ in struct.iter_unpack(
            _SYMBOL, data[offset : offset + length]
        ):
            at = texts + number
            # The linker lets a name begin within a longer one that ends like it.
            if place and at < end and data[at : at + len(name) + 1] == name + b"\0":
                return True
    return False


def interpreter_of(path: str) -> list[str] | None:
    """Returns the words that the kernel would run the script with; None: it is no script."""
    with open(path, "rb") as file:
        head = file.read(256)
    return os.fsdecode(head[2:].split(b"\n")[0]).split() if head.startswith(b"#!") else None


def _check(head: bytes) -> None:
    if not head.startswith(_MAGIC):
        raise NoElf("it is neither an ELF program nor a script")
    if head[4] != 2 or head[5] != 1 or len(head) < 64:
        raise NoElf("it is no 64-bit little-endian program, and plait's library is one")


def _read(path: str, data: mmap.mmap) -> Elf:
    (table,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    loads, dynamic, interpreted = [], None, False
    for index in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", data, table + index * size
        )
        if kind == _LOAD:
            loads.append((address, offset, length))
        elif kind == _DYNAMIC:
            dynamic = (offset, length)
        elif kind == _INTERPRETER:
            interpreted = True
    if dynamic is None:
        return Elf(path, False)
    entries = [struct.unpack_from("<QQ", data, dynamic[0] + at) for at in range(0, dynamic[1], 16)]
    texts = next((value for tag, value in entries if tag == _STRING_TABLE), 0)
    start = next((o + texts - a for a, o, length in loads if a <= texts < a + length), texts)

    def named(tag: int) -> list[str]:
        places = [start + value for each, value in entries if each == tag]
        return [os.fsdecode(data[at : data.find(b"\0", at)]) for at in places]

    def folders(tag: int) -> tuple[str, ...]:
        origin = str(pathlib.Path(path).resolve().parent)
        words = [each for text in named(tag) for each in text.split(":") if each]
        return tuple(w.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for w in words)

    runpath = folders(_RUNPATH)
    shared = path.endswith(".so") or ".so." in pathlib.Path(path).name
    return Elf(path, interpreted or shared, tuple(named(_NEEDED)),
               () if runpath else folders(_RPATH), runpath)  # fmt: skip

# SPDX-License-Identifier: BSD-3-Clause
"""Finds the built programs, and names the programs that can be built."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shutil

from plait.errors import BadInput
from plait.launch.library import build_folder

# Benchmarks that are made of an application's runs.
_OF_APPLICATIONS = {"bench": ("tolerance",)}
# The word for a kind of program, and the command that runs it.
_KINDS = {
    "apps": ("application", "run"),
    "bench": ("benchmark", "bench"),
    "network": ("network probe", "measure"),
}


@dataclasses.dataclass(frozen=True)
class Program:
    """A program to run."""

    path: pathlib.Path
    foreign: bool  # it is none of plait's own: it gets the user's words and no others


def checkout() -> pathlib.Path | None:
    """The root of the checkout this package lies in, or of the one we stand in."""
    for start in (pathlib.Path(__file__).resolve(), pathlib.Path.cwd() / "x"):
        for folder in start.parents:
            if (folder / "cmake" / "PlaitLayer.cmake").exists():
                return folder
    return None


def folders(kind: str, mpi: str | None) -> list[pathlib.Path]:
    """Folders that hold programs of a kind (`apps`, `bench`, `network`), best first.

    Without an MPI library: those of every release, for a program that has nothing to do with it.
    """
    found = [pathlib.Path(p) for p in os.environ.get("PLAIT_BIN_DIR", "").split(":") if p]
    root = checkout()
    if root is not None:
        build = build_folder(mpi) if mpi else "release-*"
        found += sorted((root / "build").glob(f"{build}/{kind}"))
    return found


def without_mpi(kind: str, name: str) -> pathlib.Path | None:
    """The program of that name in any of the folders, if it is built."""
    for folder in folders(kind, None):
        if _can_run(program := folder / name):
            return program.resolve()
    return None


def available(kind: str, mpi: str) -> dict[str, pathlib.Path]:
    """Programs that are built, by name."""
    programs: dict[str, pathlib.Path] = {}
    for folder in folders(kind, mpi):
        for path in [*sorted(folder.glob("*")), *sorted(folder.glob("*/*"))]:
            own_folder = path.parent == folder or path.parent.name == path.name
            if own_folder and _can_run(path) and "." not in path.name:
                programs.setdefault(path.name, path.resolve())
    return programs


def known(kind: str, mpi: str) -> list[str]:
    """Names of the programs of a kind: those that are built, and those the checkout can build."""
    root = checkout()
    sources = [path.parent.name for path in root.glob(f"{kind}/**/main.cpp")] if root else []
    return sorted({*available(kind, mpi), *sources, *_OF_APPLICATIONS.get(kind, ())})


def described(kind: str, mpi: str) -> dict[str, str]:
    """A line for each program that is built or can be: the first sentence of its source.

    Empty for one whose source is not in a checkout.
    """
    root = checkout()
    sources = {path.parent.name: path for path in root.glob(f"{kind}/**/main.cpp")} if root else {}
    return {
        name: _first_sentence(sources[name]) if name in sources else "" for name in known(kind, mpi)
    }


def resolve(kind: str, name: str, mpi: str) -> Program:
    """The program of that name, or at that path; of one of plait's own either says the same.

    An application's name that is none of plait's own is looked for in PATH.
    """
    programs = available(kind, mpi)
    if "/" in name:
        path = pathlib.Path(name)
        if not path.is_file():
            raise BadInput(f"{name}: there is no such program")
        if not _can_run(path):
            raise BadInput(f"{name} is not a program: the file cannot be executed")
        path = path.resolve()
        return Program(path, path not in programs.values())
    if name in programs:
        return Program(programs[name], False)
    if found := in_path(kind, name, mpi):
        return Program(found, True)
    refuse_unknown(kind, name, mpi)
    what, command = _KINDS[kind]
    raise BadInput(f"{what} '{name}' is not built for {mpi} yet; `./plait {command}` builds it")


def in_path(kind: str, name: str, mpi: str) -> pathlib.Path | None:
    """The program of that name in PATH, where none of plait's own applications is called so."""
    if kind != "apps" or not name or "/" in name or name in known(kind, mpi):
        return None
    found = shutil.which(name)
    return pathlib.Path(found).resolve() if found else None


def target_of(kind: str, name: str, mpi: str) -> str | None:
    """Returns the target of a build that makes the program; refuses a name that no program has.

    None: it is a program of the user's own, or one of plait's from `PLAIT_BIN_DIR`.
    """
    if "/" in name or in_path(kind, name, mpi):
        resolve(kind, name, mpi)
        return None
    refuse_unknown(kind, name, mpi)
    root, built = checkout(), available(kind, mpi).get(name)
    if built and not (root and built.is_relative_to(root / "build" / build_folder(mpi))):
        return None
    alone = kind == "apps" or name == "predict"  # a target of its name; others have parts
    return name if alone else f"{kind}/all"


def is_foreign(name: str, mpi: str) -> bool:
    """Returns whether an application's name or path is that of a program of the user's own."""
    return target_of("apps", name, mpi) is None and resolve("apps", name, mpi).foreign


def refuse_unknown(kind: str, name: str, mpi: str) -> None:
    """Say what there is if no program has that name, built or not."""
    names = known(kind, mpi)
    if "/" in name or name in names:
        return
    what, command = _KINDS[kind]
    if kind == "apps" and name and pathlib.Path(name).is_file():
        raise BadInput(f"unknown {what} '{name}'; did you mean ./{name}?")
    if not names:
        raise BadInput(f"no {what} is built for {mpi} yet; `./plait {command}` builds them")
    raise BadInput(f"unknown {what} '{name}'; there are: {', '.join(names)}")


def _first_sentence(source: pathlib.Path) -> str:
    """Of the comment under the licence line."""
    comment = []
    for line in source.read_text(encoding="utf-8").splitlines()[1:]:
        if not line.startswith("//"):
            break
        comment.append(line.removeprefix("//").strip())
    return re.split(r"\.(?:\s|$)", " ".join(comment), maxsplit=1)[0]


def _can_run(path: pathlib.Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)

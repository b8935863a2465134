# SPDX-License-Identifier: BSD-3-Clause
"""Where the built programs are."""

import os
import pathlib

from plait.errors import BadInput


def checkout() -> pathlib.Path | None:
    """The root of the checkout this package lies in, or of the one we stand in."""
    for start in (pathlib.Path(__file__).resolve(), pathlib.Path.cwd() / "x"):
        for folder in start.parents:
            if (folder / "cmake" / "PlaitLayer.cmake").exists():
                return folder
    return None


def folders(kind: str, mpi: str) -> list[pathlib.Path]:
    """Folders that hold programs of a kind (`apps`, `bench`, `probes`, `tools`), best first."""
    found = [pathlib.Path(p) for p in os.environ.get("PLAIT_BIN_DIR", "").split(":") if p]
    root = checkout()
    if root is not None:
        found += [root / "build" / f"release-{mpi}" / kind]
    return found


def available(kind: str, mpi: str) -> dict[str, pathlib.Path]:
    """Programs by name."""
    programs: dict[str, pathlib.Path] = {}
    for folder in folders(kind, mpi):
        for path in [*sorted(folder.glob("*")), *sorted(folder.glob("*/*"))]:
            own_folder = path.parent == folder or path.parent.name == path.name
            if own_folder and path.is_file() and os.access(path, os.X_OK) and "." not in path.name:
                programs.setdefault(path.name, path.resolve())
    return programs


def find_program(kind: str, name: str, mpi: str) -> pathlib.Path:
    """The program of that name; a path is taken as it is."""
    what = {"apps": "application", "bench": "benchmark", "probes": "probe", "tools": "tool"}[kind]
    if "/" in name:
        path = pathlib.Path(name)
        if not (path.is_file() and os.access(path, os.X_OK)):
            raise BadInput(f"{name} is not a program")
        return path.resolve()
    programs = available(kind, mpi)
    if name in programs:
        return programs[name]
    if not programs:
        command = {"apps": "run", "bench": "bench", "probes": "measure", "tools": "predict"}[kind]
        raise BadInput(f"no {what} is built for {mpi} yet; `./plait {command}` builds them")
    raise BadInput(f"unknown {what} '{name}'; there are: {', '.join(sorted(programs))}")

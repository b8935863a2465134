# SPDX-License-Identifier: BSD-3-Clause
"""Finds the built library that is put in front of an MPI library."""

import os
import pathlib

from plait.errors import BadInput
from plait.launch import library

FILE = "libplait_attach.so"
_CHECKOUT = pathlib.Path(__file__).resolve().parents[3]


def place(mpi: str) -> pathlib.Path:
    """Returns where a checkout builds it."""
    return _CHECKOUT / "build" / library.build_folder(mpi) / "lib" / FILE


def _given() -> list[pathlib.Path]:
    """The libraries in the folders that `PLAIT_BIN_DIR` names, which are looked in first."""
    folders = [f for f in os.environ.get("PLAIT_BIN_DIR", "").split(":") if f]
    return [path for folder in folders if (path := pathlib.Path(folder, FILE)).is_file()]


def targets(mpi: str) -> list[str]:
    """Returns the targets of a build that make the library; none where there is one to use."""
    library.check(mpi)
    return [] if _given() else ["plait_attach"]


def find(mpi: str) -> str:
    """Returns the library for that MPI library."""
    for path in (*_given(), place(mpi)):
        if path.is_file():
            return _loadable(path)
    raise BadInput(
        f"plait's library is not built for {mpi} yet; first run"
        f" `./plait attach --build --mpi {mpi}`"
    )


def _loadable(path: pathlib.Path) -> str:
    """LD_PRELOAD separates its words by blanks and colons, and knows no way to quote them."""
    if any(letter.isspace() or letter == ":" for letter in str(path)):
        raise BadInput(f"{path}: a path with blanks or colons cannot be handed to the loader")
    return str(path)

# SPDX-License-Identifier: BSD-3-Clause
"""Finds the built library that is put in front of an MPI library.

Three kinds of plait have one: a wheel, in a folder of this package; an installation, in a folder of
its prefix; a checkout, in its build folders. The first two have a folder a kind of MPI library.
"""

from __future__ import annotations

import os
import pathlib

from plait.errors import BadInput
from plait.launch import library

FILE = "libplait_attach.so"
_PACKAGE = pathlib.Path(__file__).resolve().parents[1]
_ROOT = _PACKAGE.parents[1]  # of a checkout; of an installation PREFIX/lib/plait


def places(mpi: str) -> list[pathlib.Path]:
    """Returns where a checkout builds it: with all else, and alone."""
    whole = library.build_folder(mpi)
    alone = whole.replace("release-", "attach-", 1)
    return [_ROOT / "build" / folder / "lib" / FILE for folder in (whole, alone)]


def shipped(kind: str) -> list[pathlib.Path]:
    """Returns the libraries for a kind of MPI library that came with this package, best first."""
    folders = (_PACKAGE / "attach" / "lib", _ROOT / "attach")  # wheel, prefix
    return [path for folder in folders if (path := folder / kind / FILE).is_file()]


def _there(mpi: str, kind: str | None) -> list[pathlib.Path]:
    """Returns the libraries that need not be built; folders of `PLAIT_BIN_DIR` come first."""
    folders = [f for f in os.environ.get("PLAIT_BIN_DIR", "").split(":") if f]
    given = [path for folder in folders if (path := pathlib.Path(folder, FILE)).is_file()]
    return given + shipped(kind or library.kind_of(mpi))


def targets(mpi: str, kind: str | None = None) -> list[str]:
    """Returns the targets of a build that make the library; none where there is one to use."""
    return [] if _there(mpi, kind) else ["plait_attach"]


def find(mpi: str, kind: str | None = None) -> str:
    """Returns the library for that MPI library, whose kind is asked of its folder if not given."""
    if there := _there(mpi, kind):
        return _loadable(there[0])
    if built := [path for path in places(mpi) if path.is_file()]:
        return _loadable(max(built, key=lambda path: path.stat().st_mtime))
    if not (_ROOT / "CMakeLists.txt").is_file():
        raise BadInput(f"this plait was installed without attach for {mpi}: install that, too")
    raise BadInput(
        f"plait's library is not built for {mpi} yet; first run"
        f" `./plait attach --build --mpi {mpi}`"
    )


def _loadable(path: pathlib.Path) -> str:
    """LD_PRELOAD separates its words by blanks and colons, and knows no way to quote them."""
    if any(letter.isspace() or letter == ":" for letter in str(path)):
        raise BadInput(f"{path}: a path with blanks or colons cannot be handed to the loader")
    return str(path)

# SPDX-License-Identifier: BSD-3-Clause
"""The `plait` command, and what a program imports: tasks, messages, regions, result files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from plait.regions import region as region
from plait.regions import region_begin as region_begin
from plait.regions import region_end as region_end
from plait.version import __version__ as __version__

if TYPE_CHECKING:
    from plait.binding import Hold as Hold
    from plait.binding import Mover as Mover
    from plait.binding import MpiError as MpiError
    from plait.binding import PlaitError as PlaitError
    from plait.binding import Recorded as Recorded
    from plait.binding import Runtime as Runtime
    from plait.binding import StateError as StateError
    from plait.binding import Task as Task
    from plait.binding import TaskError as TaskError
    from plait.binding import UsageError as UsageError
    from plait.binding import VersionError as VersionError
    from plait.binding import Window as Window
    from plait.binding import commutative as commutative
    from plait.binding import high as high
    from plait.binding import in_ as in_
    from plait.binding import inout as inout
    from plait.binding import kernel as kernel
    from plait.binding import low as low
    from plait.binding import nobody as nobody
    from plait.binding import normal as normal
    from plait.binding import out as out
    from plait.binding import progress as progress


# Names of plait.binding, which is loaded when one of them is asked for: the command needs no MPI.
_OF_BINDING = frozenset({
    "Hold", "Mover", "MpiError", "PlaitError", "Recorded", "Runtime", "StateError", "Task",
    "TaskError", "UsageError", "VersionError", "Window", "commutative", "high", "in_", "inout",
    "kernel", "low", "nobody", "normal", "out", "progress",
})  # fmt: skip


def __getattr__(name: str) -> Any:  # noqa: ANN401  # of any type
    """Returns a name of `plait.binding`. Errors: ImportError without mpi4py or the extension."""
    if name not in _OF_BINDING:
        raise AttributeError(f"module 'plait' has no attribute '{name}'")
    import plait.binding

    globals()[name] = found = getattr(plait.binding, name)  # the next time it is there
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_BINDING})


def load(file: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns a result file as data frames of pandas by name, such as `sites` and `variants`.

    The tables are those of `plait report --csv`. Errors: `plait.errors.BadInput` for what is no
    result, ImportError without pandas.
    """
    import pathlib

    import pandas

    from plait import results
    from plait.results.tables import tables_of

    tables = tables_of(results.load(pathlib.Path(file)))
    return {name: pandas.DataFrame(rows) for name, rows in tables.items()}

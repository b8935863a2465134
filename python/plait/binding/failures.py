# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions that plait raises in a program, one for each code of plait.h."""

from __future__ import annotations


class PlaitError(Exception):
    """A call of plait failed."""


class UsageError(PlaitError, ValueError):
    """An argument is wrong: nothing has happened."""


class MpiError(PlaitError):
    """MPI failed, or a message had another size."""


class TaskError(PlaitError):
    """A task failed that is no function of Python; those of Python raise what they raised."""


class StateError(PlaitError, RuntimeError):
    """The wrong thread or the wrong moment: nothing has happened."""


class VersionError(PlaitError):
    """The library is of another version."""


_BY_CODE: dict[int, type[Exception]] = {
    1: UsageError,
    2: MpiError,
    3: TaskError,
    4: MemoryError,
    5: StateError,
    6: VersionError,
}


def failure_of(code: int, text: str) -> Exception:
    """Returns the exception that stands for a code of plait.h."""
    return _BY_CODE.get(code, PlaitError)(text)

# SPDX-License-Identifier: BSD-3-Clause
"""Tasks and messages in Python: what `import plait` shows beside the command.

Loaded on first use, so that the command needs no MPI.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plait.binding.choice import core
from plait.binding.failures import (
    MpiError,
    PlaitError,
    StateError,
    TaskError,
    UsageError,
    VersionError,
    failure_of,
)
from plait.binding.handles import Hold, Task
from plait.binding.kernels import kernel
from plait.binding.looking import progress
from plait.binding.movers import Mover
from plait.binding.runtime import Recorded, Runtime, high, low, normal
from plait.binding.windows import Window

_core = core()
_core._set_error_classes(failure_of)
in_: Callable[[Any], Any] = _core.in_
out: Callable[[Any], Any] = _core.out
inout: Callable[[Any], Any] = _core.inout
commutative: Callable[[Any], Any] = _core.commutative
nobody: int = _core.nobody  # a missing neighbour; MPI.PROC_NULL means the same

__all__ = [
    "Hold",
    "Mover",
    "MpiError",
    "PlaitError",
    "Recorded",
    "Runtime",
    "StateError",
    "Task",
    "TaskError",
    "UsageError",
    "VersionError",
    "Window",
    "commutative",
    "high",
    "in_",
    "inout",
    "kernel",
    "low",
    "nobody",
    "normal",
    "out",
    "progress",
]

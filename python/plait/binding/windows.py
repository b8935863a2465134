# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that other ranks read and write, over the extension's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Window:
    """An array of each rank that the others read and write."""

    __slots__ = ("_core",)

    def __init__(self, of_core: Any) -> None:
        self._core = of_core

    def get(self, to: Any, target: int, offset: int = 0) -> None:
        """Copies from the target's array, `offset` bytes from its beginning."""
        self._core.get(to, target, offset)

    def put(self, array: Any, target: int, offset: int = 0, *, signal: int | None = None) -> None:
        """Copies to the target's array; `signal`: raises that flag of the target's then."""
        self._core.put(array, target, offset, signal=signal)

    def signal(self, target: int, flag: int, after: Sequence[Any] = ()) -> None:
        """Raises a flag of the target's when the tasks that write these arrays are over."""
        self._core.signal(target, flag, list(after))

    def await_signal(self, source: int, flag: int, covers: Sequence[Any]) -> None:
        """Lets later tasks that touch these arrays wait for the flag."""
        self._core.await_signal(source, flag, list(covers))

    def free(self) -> None:
        """Waits for all tasks and for the other ranks, and closes the window. Collective."""
        self._core.free()

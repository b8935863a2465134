# SPDX-License-Identifier: BSD-3-Clause
"""Arrays with ghosts, and moves of their cells: how they are described."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.binding.choice import core

_KEPT, _NEAREST, _VALUE = range(3)


class Mover:
    """A move of cells that was planned, for `Runtime.move`. Holds its arrays."""

    __slots__ = ("_core",)

    def __init__(self, of_core: Any) -> None:  # the extension's
        self._core = of_core


def block_of(
    array: Any,
    first: int | Sequence[int],
    cells: int | Sequence[int],
    width: int | Sequence[int],
    periodic: bool | Sequence[bool] = False,
    writes: bool = True,
) -> Any:  # the extension's
    """Returns the description of an array and of this rank's block of it."""
    axes = len(array.shape)

    def numbers(given: Any) -> list[int]:
        return [int(n) for n in given] if hasattr(given, "__len__") else [int(given)] * axes

    return core().Block(
        array, numbers(first), numbers(cells), numbers(width), numbers(periodic), writes
    )


def boundary_of(given: Any, array: Any) -> tuple[int, bytes]:
    """Returns the kind of a boundary, and the bytes of an element there."""
    if given is None:
        return _KEPT, b""
    if isinstance(given, str):
        if given != "nearest":
            raise ValueError(f"boundary '{given}' is neither 'nearest' nor a value")
        return _NEAREST, b""
    import numpy

    element = numpy.asarray(given, dtype=numpy.asarray(array).dtype)
    if element.shape != ():
        raise ValueError("the value at the boundary is one element")
    return _VALUE, element.tobytes()

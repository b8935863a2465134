# SPDX-License-Identifier: BSD-3-Clause
"""Regions of a Python program, whose times `plait attach` gives one by one.

Where plait is not attached, nothing happens. The file needs no other one and may be copied.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

_Call = Callable[[bytes], object]


@functools.cache
def _calls() -> tuple[_Call, _Call] | None:
    """Looks the functions of plait's library up; None where it is not attached."""
    if "PLAIT_ATTACH" not in os.environ:
        return None
    import ctypes

    loaded = ctypes.PyDLL(None)
    try:
        return loaded.plait_region_begin, loaded.plait_region_end
    except AttributeError:
        return None


@functools.lru_cache(maxsize=1024)
def _bytes_of(name: str) -> bytes:
    return name.encode(errors="replace")


def region_begin(name: str) -> None:
    """Begins a region of this thread inside the one that it is in."""
    if (calls := _calls()) is not None:
        calls[0](_bytes_of(name))


def region_end(name: str) -> None:
    """Ends the region of that name, and those inside it that are still open."""
    if (calls := _calls()) is not None:
        calls[1](_bytes_of(name))


class region:
    """A region around the statements of a `with`: `with plait.region("solve"):`."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        """Begins the region."""
        region_begin(self._name)

    def __exit__(self, *_of_exception: object) -> None:
        """Ends the region, by an exception too."""
        region_end(self._name)

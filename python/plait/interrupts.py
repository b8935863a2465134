# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command, as exceptions that leave its clean-up alone."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_shields = 0
_pending: int | None = None


class Interrupted(Exception):
    """One of the signals that end a command arrived."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextlib.contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """Turn the signals that end a command into `Interrupted`, once: more are ignored."""
    global _pending
    raised = False

    def raise_it(number: int, _frame: object) -> None:
        global _pending
        nonlocal raised
        if raised:
            return
        raised = True
        if _shields:
            _pending = number
        else:
            raise Interrupted(number)

    before = {number: signal.signal(number, raise_it) for number in _ENDING}
    try:
        yield
    finally:
        raised = True
        _pending = None
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Keep a signal that arrives meanwhile until the block has ended."""
    global _pending, _shields
    _shields += 1
    try:
        yield
    finally:
        _shields -= 1
        if not _shields and _pending is not None:
            number, _pending = _pending, None
            raise Interrupted(number)

# SPDX-License-Identifier: BSD-3-Clause
"""Probes in a trace: which message each has found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.formats.trace import Slice

MAY_FIND_NOTHING = ("Iprobe", "Improbe")  # as where the message is sent only later
_PROBES = ("Probe", "Mprobe", *MAY_FIND_NOTHING)
_RECEIVES = ("Recv", "Mrecv")


def probed(lane: Sequence[Slice]) -> Iterator[tuple[Slice, Slice]]:
    """Yields each probe whose thread receives right behind, with that receive.

    The probe has found the message of the receive: a thread that finds none does something else.
    What is computed between the two waits for the message, since it follows from the message's
    size or sender.
    """
    calls = [one for one in lane if one.call]
    for one, following in zip(calls, calls[1:]):
        if one.call in _PROBES and following.call in _RECEIVES:
            yield one, following

# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations as messages, by textbook algorithms: what simulators without them take.

Which algorithm the MPI library took is not known. A rank does its rounds one after another, and the
messages of a round at once. Ranks are places among the n members of the communicator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class Step:
    """A message that a rank sends or receives in a round."""

    is_send: bool
    peer: int
    bytes: int


Rounds = list[list[Step]]


def rounds_of(name: str, rank: int, n: int, root: int, size: int) -> Rounds:
    """Returns what a rank does. `size`: bytes of the largest part; `root`: its place, or -1."""
    if n == 1:
        return []
    if name in ("Scatter", "Scatterv"):
        return _from_one(rank, n, root, size)
    if name in ("Gather", "Gatherv"):
        return _turned(_from_one(rank, n, root, size))
    if name == "Bcast":
        return _tree(rank, n, root, size)
    if name == "Reduce":
        return _turned(_tree(rank, n, root, size))
    if name in ("Alltoall", "Alltoallv", "Alltoallw"):
        return _all_pairs(rank, n, size)
    if name in ("Allgather", "Allgatherv"):
        return _doubling(rank, n, size, grows=True)
    return _doubling(rank, n, size, grows=False)


def _from_one(rank: int, n: int, root: int, size: int) -> Rounds:
    """The root sends to each of the others."""
    if rank != root:
        return [[Step(False, root, size)]]
    return [[Step(True, peer, size) for peer in range(n) if peer != root]]


def _tree(rank: int, n: int, root: int, size: int) -> Rounds:
    """A binomial tree: who has the data sends it on, to twice as many in each round."""
    place = (rank - root) % n
    rounds = []
    if place > 0:
        above = place - (1 << (place.bit_length() - 1))
        rounds.append([Step(False, (above + root) % n, size)])
    for distance in _powers(n):
        if distance > place and place + distance < n:
            rounds.append([Step(True, (place + distance + root) % n, size)])
    return rounds


def _turned(rounds: Rounds) -> Rounds:
    """Returns the same messages the other way."""
    return [[Step(not s.is_send, s.peer, s.bytes) for s in one] for one in reversed(rounds)]


def _all_pairs(rank: int, n: int, size: int) -> Rounds:
    """Each sends to each, in one round."""
    ways = range(1, n)
    return [[*(Step(False, (rank - way) % n, size) for way in ways),
             *(Step(True, (rank + way) % n, size) for way in ways)]]  # fmt: skip


def _doubling(rank: int, n: int, size: int, grows: bool) -> Rounds:
    """Dissemination: to a rank that is 1, 2, 4, … further; with `grows` all that has come."""
    return [
        [Step(False, (rank - way) % n, size * (min(way, n - way) if grows else 1)),
         Step(True, (rank + way) % n, size * (min(way, n - way) if grows else 1))]
        for way in _powers(n)
    ]  # fmt: skip


def _powers(n: int) -> Iterator[int]:
    """1, 2, 4, … below n."""
    way = 1
    while way < n:
        yield way
        way *= 2

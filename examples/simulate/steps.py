#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program for `plait simulate`: steps of a solver on a periodic cube of N × N × N ranks.

    steps.py N [--steps 1] [--compute-us 1000] [--face-bytes 32768] > solver.goal

In a step a rank sends a face to each of its six neighbours, computes when all faces are there, and
takes part in an allreduce of 8 bytes by recursive doubling.  N is a power of 2, so that the ranks
are, too.
"""

import argparse
import itertools
import sys


def operations_of(place: tuple[int, int, int], told: argparse.Namespace) -> list[str]:
    """Returns the lines of the rank at a place of the cube."""
    n = told.n

    def rank_at(at: list[int]) -> int:
        return (at[2] % n * n + at[1] % n) * n + at[0] % n

    rank = rank_at(list(place))
    lines, before = [], ""

    def add(name: str, operation: str, *after: str) -> None:
        lines.append(f"{name}: {operation}")
        lines.extend(f"{name} requires {one}" for one in after if one)

    for step in range(told.steps):
        faces = []
        for axis, side in itertools.product(range(3), (-1, 1)):
            to = rank_at([c + side * (a == axis) for a, c in enumerate(place)])
            tag = 2 * axis + (side > 0)
            sent, received = f"s{step}_{tag}", f"r{step}_{tag}"
            add(sent, f"send {told.face_bytes}b to {to} tag {tag}", before)
            add(received, f"recv {told.face_bytes}b from {to} tag {tag ^ 1}", before)
            faces += [sent, received]
        before = f"c{step}"
        add(before, f"calc {told.compute_us * 1000}", *faces)
        for level in range((n**3).bit_length() - 1):
            other = rank ^ (1 << level)
            sent, received = f"t{step}_{level}", f"u{step}_{level}"
            add(sent, f"send 8b to {other} tag {6 + level}", before)
            add(received, f"recv 8b from {other} tag {6 + level}", sent)
            before = received
    return lines


def size(text: str) -> int:
    """Returns N, or says what it can be."""
    n = int(text) if text.isdigit() else 0
    if n < 2 or n & (n - 1):
        raise argparse.ArgumentTypeError(f"N is {text}; it can be 2, 4, 8, …")
    return n


def positive(text: str) -> int:
    """Returns a number of at least 1, or says what it can be."""
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} given; a whole number of at least 1 is wanted")
    return int(text)


def main() -> None:
    """Writes the program to standard output."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("n", metavar="N", type=size)
    parser.add_argument("--steps", type=positive, default=1)
    parser.add_argument("--compute-us", type=positive, default=1000)
    parser.add_argument("--face-bytes", type=positive, default=32768)
    told = parser.parse_args()
    print(f"num_ranks {told.n**3}")
    for rank, (z, y, x) in enumerate(itertools.product(range(told.n), repeat=3)):
        print(f"rank {rank} {{")
        sys.stdout.write("\n".join(operations_of((x, y, z), told)))
        print("\n}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any C++ file of the library, the programs or the tests that has grown too long to be read.

    check_sizes.py ROOT
"""

import sys

import tree

MOST_LINES = 450
FOLDERS = {"include", "src", "measure", "apps", "bench", "network", "examples", "tests"}


def too_long(text, place):
    """Says so of a file that is too long."""
    lines = len(text.splitlines())
    if lines <= MOST_LINES:
        return []
    return [f"{place}: {lines} lines; split it by subject, {MOST_LINES} are the most"]


def problems_of(root):
    """Returns (number of files read, list of problems)."""
    return tree.problems_in(root, FOLDERS, too_long)


if __name__ == "__main__":
    tree.finish("sizes", *problems_of(sys.argv[1]))

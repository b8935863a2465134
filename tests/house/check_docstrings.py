# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any docstring of the library that leans on its neighbour and does not say the thing itself.

    check_docstrings.py ROOT

Neighbours move.  A docstring begins with a verb or a noun: "Returns true if …" for "Whether …", "The tasks
that …" for "What …".
"""

import re
import sys

import tree

FOLDERS = {"include", "src"}
LEANING = re.compile(r"(?:The same|What|Whether|As above)\b")
LINE = re.compile(r"\s*///(?![</])\s*(.*)")
BEHIND_CODE = re.compile(r"///<\s*(.*)")


def docstrings(text):
    """Yields (number of its first line, first line) of each docstring."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        block = LINE.match(line)
        behind = BEHIND_CODE.search(line)
        if block and not inside:
            yield number, block[1]
        elif behind:
            yield number, behind[1]
        inside = block is not None


def leaning(text, place):
    """Lists the docstrings of a file that lean on their neighbour."""
    return [
        f"{place}:{number}: begin with a verb or a noun, not with '{line}'"
        for number, line in docstrings(text)
        if LEANING.match(line)
    ]


def problems_of(root):
    """Returns (number of files read, list of problems)."""
    return tree.problems_in(root, FOLDERS, leaning)


if __name__ == "__main__":
    tree.finish("docstrings", *problems_of(sys.argv[1]))

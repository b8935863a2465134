# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any docstring of the library that leans on its neighbour and does not say the thing itself.

    check_docstrings.py ROOT

Neighbours move.  A docstring begins with a verb or a noun: "Returns true if …" for "Whether …", "The tasks
that …" for "What …".
"""

import pathlib
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


def problems_of(root):
    """Returns (number of files read, list of problems)."""
    root = pathlib.Path(root)
    count = 0
    problems = []
    for path in tree.files(root, {".hpp", ".cpp"}):
        own = path.relative_to(root)
        if own.parts[0] not in FOLDERS:
            continue
        count += 1
        for number, line in docstrings(path.read_text()):
            if LEANING.match(line):
                problems.append(f"{own.as_posix()}:{number}: begin with a verb or a noun, not with '{line}'")
    return count, problems


if __name__ == "__main__":
    tree.finish("docstrings", *problems_of(sys.argv[1]))

# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any C++ file of the library or the programs that has grown too long to be read.

    check_sizes.py ROOT
"""

import pathlib
import sys

import tree

MOST_LINES = 450
FOLDERS = {"include", "src", "measure", "apps"}


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
        lines = len(path.read_text().splitlines())
        if lines > MOST_LINES:
            problems.append(
                f"{own.as_posix()}: {lines} lines; split it by subject, {MOST_LINES} are the most"
            )
    return count, problems


if __name__ == "__main__":
    tree.finish("sizes", *problems_of(sys.argv[1]))

# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any source file whose first line (after #!) is not the licence line.

    check_licence.py ROOT
"""

import pathlib
import sys

import tree

LINE = "SPDX-License-Identifier: BSD-3-Clause"


def problems_of(root):
    root = pathlib.Path(root)
    count = 0
    problems = []
    for path in tree.files(root, {".hpp", ".cpp", ".cu", ".py", ".sh", ""}):
        lines = path.read_bytes()[:400].decode(errors="replace").splitlines()
        script = bool(lines) and lines[0].startswith("#!")
        if path.suffix == "" and not script:
            continue  # a licence, a list of ignored files: not a program
        count += 1
        if script:
            lines = lines[1:]
        mark = "//" if path.suffix in (".hpp", ".cpp", ".cu") else "#"
        if lines and lines[0].strip() != f"{mark} {LINE}":
            problems.append(f"{path.relative_to(root)}: does not begin with '{mark} {LINE}'")
    return count, problems


if __name__ == "__main__":
    tree.finish("licence", *problems_of(sys.argv[1]))

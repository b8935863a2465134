# SPDX-License-Identifier: BSD-3-Clause
"""Fails on a test that CTest does not run.

    check_tests.py ROOT

A test's source is tests/.../test_SUBJECT.cpp, by whose name its tests are chosen among those of a
program: none is defined in another file, and the CMakeLists.txt beside it has its subject.
"""

import pathlib
import re
import sys

import tree

TEST = re.compile(r"^ *(TYPED_)?TEST(_[FP])?\(", re.MULTILINE)


def problems_of(root):
    root = pathlib.Path(root)
    count = 0
    problems = []
    for path in tree.files(root, {".hpp", ".cpp"}):
        name = path.relative_to(root)
        if name.parts[0] != "tests" or path.stem.startswith("faulty_"):
            continue
        if not re.fullmatch(r"test_\w+\.cpp", path.name):
            if TEST.search(path.read_text()):
                problems.append(f"{name}: has a test, and is no test_SUBJECT.cpp")
            continue
        count += 1
        listed = (path.parent / "CMakeLists.txt").read_text()
        if not re.search(rf"\b(test_)?{path.stem[len('test_') :]}\b", listed):
            problems.append(f"{name}: the CMakeLists.txt beside it does not have it")
    return count, problems


if __name__ == "__main__":
    tree.finish("tests", *problems_of(sys.argv[1]))

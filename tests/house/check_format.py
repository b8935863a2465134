# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any C++ file that clang-format 14 would change.

    check_format.py ROOT
"""

import re
import shutil
import subprocess
import sys

import tree

VERSION = "14"


def clang_format():
    """The pinned clang-format; another version formats otherwise, so none will do for it."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        found = re.search(r"version (\d+)", text)
        if found and found.group(1) == VERSION:
            return path
    sys.exit(f"format: clang-format {VERSION} is not installed (Debian: clang-format-{VERSION})")


def problems_of(root):
    program = clang_format()
    paths = tree.files(root, {".hpp", ".cpp", ".cu"})
    if not paths:
        return 0, []
    result = subprocess.run(
        [program, "--dry-run", "-Werror", "--style=file", *map(str, paths)],
        capture_output=True,
        text=True,
    )
    lines = re.findall(r"^(.+?):(\d+):\d+: error", result.stderr, re.MULTILINE)
    first = {}
    for path, line in lines:
        first.setdefault(path, line)
    problems = [f"{path}:{line}: run {program} -i on it" for path, line in first.items()]
    if result.returncode != 0 and not problems:
        problems = [result.stderr]
    return len(paths), problems


if __name__ == "__main__":
    tree.finish("format", *problems_of(sys.argv[1]))

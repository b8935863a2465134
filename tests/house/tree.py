# SPDX-License-Identifier: BSD-3-Clause
"""The files of the tree that the checks of this folder read."""

import pathlib
import subprocess
import sys

SOURCE_FOLDERS = (
    "include", "src", "apps", "bench", "measure", "network", "examples", "tests", "python", "cmake", ".ci",
)


def files(root, suffixes):
    """Tracked files under `root` with one of `suffixes` (None: with any), or all files where there is no git."""
    root = pathlib.Path(root)
    try:
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True, text=True
        ).stdout.split("\0")
        found = [root / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for folder in SOURCE_FOLDERS for path in (root / folder).rglob("*")]
    return sorted(path for path in found if (suffixes is None or path.suffix in suffixes) and path.is_file())


def problems_in(root, folders, problems_of, suffixes=frozenset({".hpp", ".cpp"})):
    """Returns (number of files read, list of problems) of the top folders named.

    problems_of(text, place) lists what is wrong with the text of a file; `place` is the file's path from `root`.
    """
    root = pathlib.Path(root)
    own = [(path, path.relative_to(root)) for path in files(root, suffixes)]
    read = [(path, place.as_posix()) for path, place in own if place.parts[0] in folders]
    return len(read), [one for path, place in read for one in problems_of(path.read_text(), place)]


def finish(name, count, problems):
    """Prints every problem and ends the check."""
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"{name}: {len(problems)} problem(s) in {count} files")
    print(f"{name}: {count} files, nothing to say")

# SPDX-License-Identifier: BSD-3-Clause
"""Compares what libplait.so shows, and the structs of plait.h, with lists of this folder.

    check_library.py FOLDER NM LIBRARY LAYOUTS

Functions are added, never changed or removed.  A struct grows at its end.
"""

import pathlib
import re
import subprocess
import sys

DECLARATION = re.compile(r"^(?:int|void|const char\*) (plait_\w+)\([^{;]*\);", re.MULTILINE)


def text_of(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


def shown_by(nm, library):
    """Returns the names that the library defines for others, each with its version."""
    names = set()
    for line in text_of(nm, "-D", "--defined-only", library).splitlines():
        _, kind, name = line.split()
        if name != "PLAIT_0":
            names.add(f"{name} of kind {kind}" if kind != "T" else name)
    return names


def declared_by(headers):
    """Returns the functions that the headers declare and do not define."""
    names = set()
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        text = re.sub(r"^#.*?[^\\]$", "", text, flags=re.DOTALL | re.MULTILINE)
        names |= set(DECLARATION.findall(text))
    return names


def main(folder, nm, library, layouts):
    root = folder.parent.parent
    problems = []
    listed = set((folder / "exported_names.txt").read_text().split())
    shown = {name.removesuffix("@@PLAIT_0") for name in shown_by(nm, library)}
    unversioned = {name for name in shown_by(nm, library) if not name.endswith("@@PLAIT_0")}
    include = root / "include/plait"
    declared = declared_by([include / "plait.h", *(include / "c").glob("*.h")])
    problems += [f"{name}: not of version PLAIT_0" for name in sorted(unversioned)]
    problems += [f"{name}: listed, and not shown" for name in sorted(listed - shown)]
    problems += [f"{name}: shown, and not in exported_names.txt" for name in sorted(shown - listed)]
    problems += [f"{name}: shown, and not declared" for name in sorted(shown - declared)]
    if text_of(layouts) != (folder / "layouts.txt").read_text():
        problems.append(f"layouts differ from layouts.txt:\n{text_of(layouts)}")
    print("\n".join(problems) or f"{len(shown)} functions, all as listed")
    return 1 if problems else 0


if __name__ == "__main__":
    paths = [pathlib.Path(word) for word in sys.argv[1:]]
    sys.exit(main(paths[0], *paths[1:]))

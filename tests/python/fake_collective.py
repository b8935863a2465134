#!/usr/bin/python3 -I
# SPDX-License-Identifier: BSD-3-Clause
"""Stands for the program of `plait predict collective --measured`: FOLDER, then its arguments."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launched import rank, ranks


def main() -> None:
    folder, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if rank() != 0:
        sys.exit(2 if "sing" in words else 0)
    if "sing" in words:
        print("collective: --op knows no 'sing'", file=sys.stderr)
        sys.exit(2)
    file = words.pop(0).removeprefix("--json=")
    (folder / "asked.json").write_text(json.dumps({"ranks": ranks(), "words": words}))
    shutil.copy(folder / "answer.json", file)


main()

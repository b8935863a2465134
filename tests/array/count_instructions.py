# SPDX-License-Identifier: BSD-3-Clause
"""Fails if a stencil on views takes more than 2 % more instructions than the same on raw pointers.

count_instructions.py VALGRIND PROGRAM

Counted by callgrind, so that the answer does not depend on what else the machine does.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

CASES = ("2d", "3d", "2d_int64", "3d_int64")
MOST = 1.02


def instructions(valgrind: str, program: str, name: str) -> int:
    """Instructions of the whole program."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [valgrind, "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, name],
            capture_output=True,
            text=True,
        )
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{program} {name} under callgrind ended with {run.returncode}:\n{run.stderr}")
    return int(found.group(1))


def main(valgrind: str, program: str) -> int:
    """Counts all cases; the exit code."""
    names = ["nothing", *(f"{how}_{case}" for case in CASES for how in ("pointers", "views"))]
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        found = pool.map(lambda name: instructions(valgrind, program, name), names)
        counts = dict(zip(names, found, strict=True))
    failed = False
    for case in CASES:
        pointers = counts[f"pointers_{case}"] - counts["nothing"]
        views = counts[f"views_{case}"] - counts["nothing"]
        if pointers < 100_000:
            sys.exit(f"{case}: {pointers} instructions on pointers are too few to be the sweeps'")
        ratio = views / pointers
        print(f"{case}: {views} instructions on views, {pointers} on pointers: {ratio:.4f}")
        failed |= ratio > MOST
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

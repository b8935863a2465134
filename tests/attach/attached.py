# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program of these tests as it is, and with plait attached.

    PROGRAM.py LIBRARY MPIEXEC PRELOADED PROGRAMS

LIBRARY is openmpi, mpich or abi, PRELOADED libplait_attach.so, PROGRAMS a file beside the programs.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = ["/usr/bin/python3", "-I", "-S", "-B", ROOT / "python/plait/attach/__main__.py"]
LIBRARY, MPIEXEC, PRELOADED, PROGRAMS = sys.argv[1:5]
del sys.argv[1:5]
RANKS = 2

Run = collections.namedtuple("Run", "code output errors profile left")


def run(program, *words, options=None, more=None, ranks=RANKS, record=None):
    """Runs it on so many ranks; without `options` as it is, else with plait attached.

    `record`: the folder of a recording. `more` are variables of its environment. `left` of the result: files of profiles that nobody has
    removed at the end, of a job that was killed after its profile was asked for.
    """
    with tempfile.TemporaryDirectory() as folder:
        there = {**environment(), "PLAIT_ATTACH_FOLDER": folder, **(more or {})}
        file = pathlib.Path(record or folder, "attach.json")
        kept = ["--json", file] if record is None else ["--record", record]
        before = [] if options is None else [*COMMAND, *kept, *options, "--"]
        done = subprocess.run(
            [ROOT / "tests/support/mpirun", LIBRARY, MPIEXEC, str(ranks), *map(str, before),
             pathlib.Path(PROGRAMS).parent / program, *words],
            capture_output=True, text=True, timeout=60, cwd=folder, errors="replace",
            env=there,
        )  # fmt: skip
        if options is not None and done.returncode and not file.exists():
            subprocess.run([*COMMAND, "--salvage", "--quiet", "--json", file, "--mpi", LIBRARY],
                           capture_output=True, timeout=60, env=there)
        profile = json.loads(file.read_text()) if file.exists() else None
        left = [path.name for path in pathlib.Path(folder).glob("plait-attach-*")]
        return Run(done.returncode, done.stdout, done.stderr, profile, left)


def environment():
    """Returns the environment of the command and of the programs."""
    return {**os.environ, "PLAIT_BIN_DIR": str(pathlib.Path(PRELOADED).parent), "LC_ALL": "C",
            # The other component wants to read another process's memory for windows.
            "OMPI_MCA_osc": "pt2pt"}  # fmt: skip


def counts_of(profile):
    """How often each call was seen, over all ranks."""
    counts = collections.Counter()
    for site in profile["sites"]:
        counts[site["call"]] += site["count"]
    return counts

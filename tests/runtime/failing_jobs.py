# SPDX-License-Identifier: BSD-3-Clause
"""A job of which several ranks fail at the same moment ends by itself, and each of them says why once.

    failing_jobs.py LIBRARY MPIEXEC PROGRAM [--times N] [--limit SECONDS]

mpiexec is started as a user would start it.  A job that is not done after the limit has hung.
"""

import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

WAYS = ("sizes", "tasks", "expects")
RANKS = 3
OPTIONS = {"openmpi": ["--oversubscribe", "--bind-to", "none"], "mpich": []}
MAY_RUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def what_is_wrong(library, mpiexec, program, way, limit_s):
    """Nothing, or how one job ended and what it said; and how long it took."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as session:  # jobs beside this one would remove a common one
        job = subprocess.Popen(
            [mpiexec, *OPTIONS[library], "-n", str(RANKS), program, way],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, env={**os.environ, **MAY_RUN, "OMPI_MCA_orte_tmpdir_base": session},
        )  # fmt: skip
        try:
            said = job.communicate(timeout=limit_s)[0]
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            said = job.communicate()[0]
            return f"hangs after {limit_s:g} s\n{said}", limit_s
    took_s = time.monotonic() - begin
    lines = collections.Counter(re.findall(r"^plait: rank (\d+) ", said, re.MULTILINE))
    if job.returncode <= 0:
        return f"mpiexec ended with {job.returncode}\n{said}", took_s
    if not lines or "0" in lines or max(lines.values()) > 1:
        return f"not one line from each rank that failed: {dict(lines)}\n{said}", took_s
    return "", took_s


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=OPTIONS)
    parser.add_argument("mpiexec")
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=8)
    parser.add_argument("--limit", type=float, default=60)
    given = parser.parse_args()
    wrong = 0
    for way in WAYS:
        longest_s = 0
        for _ in range(given.times):
            found, took_s = what_is_wrong(
                given.library, given.mpiexec, given.program, way, given.limit
            )
            longest_s = max(longest_s, took_s)
            if found:
                wrong += 1
                print(f"{way}: {found}", flush=True)
        print(f"{way}: {given.times} jobs, the longest {longest_s:.1f} s", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

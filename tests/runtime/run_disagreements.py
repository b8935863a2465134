#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_disagreements.py KIND LIBRARY MPIEXEC PROGRAM

Ranks that name different sizes in a collective get a line that names the operation, the task and
both sizes, and do not hang: every operation, by both back ends.
"""

import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MPIRUN = Path(__file__).resolve().parents[1] / "support" / "mpirun"
TIMEOUT_S = 30
ROOTED = ["bcast", "reduce", "gather", "scatter", "gatherv", "scatterv"]
ALL_TO_ALL = ["allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "scan", "exscan"]
SCATTERED = ["reduce_scatter", "reduce_scatter_block"]
NEIGHBOURLY = [f"neighbour_{what}" for what in ("allgather", "allgatherv", "alltoall", "alltoallv")]
OPERATIONS = ROOTED + ALL_TO_ALL + SCATTERED + NEIGHBOURLY
KINDS = {
    "small": [(what, 3, 5, "schedules") for what in OPERATIONS],
    "none": [(what, 5, 0, "schedules") for what in OPERATIONS],
    # Beyond any eager limit, and in another number of pieces.
    "large": [(what, 8192, 300000, "schedules") for what in OPERATIONS],
    "library": [(what, 3, 5, "library") for what in OPERATIONS if what not in NEIGHBOURLY],
    "late": [("allreduce", 1, 2, "late"), ("allreduce", 1, 2, "replayed")],
    "library-none": [(what, 0, 5, "library") for what in OPERATIONS if what not in NEIGHBOURLY],
}


def output_of(command):
    """Returns the output of the job, and whether it ended in time."""
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        return job.communicate(timeout=TIMEOUT_S)[0], True
    except subprocess.TimeoutExpired:
        job.send_signal(signal.SIGTERM)
        return job.communicate()[0], False


def names_both(line, count, other):
    """Elements of 8 bytes, or the bytes of a message that is too long or too short."""
    numbers = {int(number) for number in re.findall(r"\d+", line)}
    both = {count, other} <= numbers or {8 * count, 8 * other} <= numbers
    return both or re.search(r"receive of \d+ bytes from rank \d.*: the message sent", line)


def complaint(what, count, other, text, ended):
    # The second where MPI still uses the buffers of the call.
    ends = r"(?:uncaught exception: |a task failed \()"
    lines = re.findall(rf"^plait: rank \d on [^:]*: {ends}(.*{what} 'unlike'.*)$", text, re.M)
    if not lines:
        return f"no line names it (ended: {ended}):\n{text}"
    wrong = [line for line in lines if not names_both(line, count, other)]
    return f"not both sizes in: {wrong[0]}" if wrong else None


def main():
    kind, library, mpiexec, program = sys.argv[1:]

    def start(case):
        what, count, other, back_end = case
        return output_of([MPIRUN, library, mpiexec, "3", program, what, str(count), str(other), back_end])

    with ThreadPoolExecutor(2) as pool:  # a start is mostly waiting
        said = list(pool.map(start, KINDS[kind]))
    failed = 0
    for (what, count, other, back_end), (text, ended) in zip(KINDS[kind], said):
        why = complaint(what, count, other, text, ended)
        if why:
            failed += 1
            print(f"{what} of {count} and {other} by {back_end}: {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Tasks from Python: from_python.py HOW TASKS CHAINS WORKERS.

HOW is `kernel`, `function` or `njit`, of empty tasks; or `pair kernel`, `pair numpy`, `pair njit`,
`pair function`: the time of two equal tasks on two workers, over that on one worker.
"""

import json
import math
import statistics
import sys
import time

import numba
import numpy as np

import plait


def nothing(x):
    """Leaves the array as it is."""


def roots(x, times):
    """Sums square roots, one by one."""
    total = 0.0
    for k in range(times):
        for i in range(x.size):
            total += math.sqrt(x[i] + k)
    x[0] = total


def numpy_roots(x, times):
    """Takes square roots by numpy, which gives the interpreter's lock away in each call."""
    for _ in range(times):
        np.sqrt(x, out=x)


EMPTY = {
    "kernel": plait.kernel(nothing),
    "function": nothing,
    "njit": numba.njit(nogil=True)(nothing),
}
PAIRS = {
    "kernel": plait.kernel(roots),
    "numpy": numpy_roots,
    "njit": numba.njit(nogil=True)(roots),
    "function": roots,
}


def empty_tasks(function, tasks, chains, workers):
    """Returns the figures of empty tasks, each with one `inout`."""
    objects = np.zeros((chains, 8))
    rows = list(objects)
    with plait.Runtime(workers=workers, in_flight=4096) as rt:

        def submit(count):
            for i in range(count):
                rt.task(function, plait.inout(rows[i % chains]), name="nothing")

        def seconds_of(begin, *arguments):
            began = time.perf_counter()
            begin(*arguments)
            rt.wait()
            return time.perf_counter() - began

        seconds_of(submit, tasks // 10)
        seconds = seconds_of(submit, tasks)
        once = 16 * chains
        iterations = (tasks + once - 1) // once
        graph = rt.record(lambda: submit(once))
        seconds_of(rt.replay, graph, 1 + iterations // 10)
        replay_seconds = seconds_of(rt.replay, graph, iterations)
    return {
        "ns_per_task": 1e9 * seconds / tasks,
        "ns_per_replayed_task": 1e9 * replay_seconds / (iterations * once),
    }


def pair(function, least_s):
    """Returns the time of two equal tasks on two workers over that on one: of five turns."""
    # A call of numpy takes as long as it takes to look for the lock a hundred times.
    arrays = [np.ones(1 << (16 if function is numpy_roots else 12)) for _ in range(2)]

    def seconds_of(workers, times):
        with plait.Runtime(workers=workers) as rt:
            for rounds in (1, times):  # the first compiles, and wakes the workers
                began = time.perf_counter()
                for x in arrays:
                    rt.task(function, plait.inout(x), rounds, name="roots")
                rt.wait()
                seconds = time.perf_counter() - began
        return seconds

    times = 1
    while seconds_of(1, times) < least_s:
        times *= 2
    found = {1: [], 2: []}
    for _ in range(5):
        for workers, seconds in found.items():
            seconds.append(seconds_of(workers, times))
    one, two = (statistics.median(seconds) for seconds in found.values())
    return {"of_one_worker": two / one}


def main():
    """Prints the figures as JSON."""
    how, tasks, chains, workers = sys.argv[1], *map(int, sys.argv[2:5])
    kind, _, name = how.rpartition(" ")
    if kind == "pair":
        # As long as the tasks would take at a microsecond each, up to 50 ms.
        figures = pair(PAIRS[name], min(0.05, tasks * 1e-6))
    else:
        figures = empty_tasks(EMPTY[name], tasks, chains, workers)
    print(json.dumps(figures))


main()

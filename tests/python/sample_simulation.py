# SPDX-License-Identifier: BSD-3-Clause
"""Results that `plait simulate` wrote: of a recording of 2 ranks, and of a GOAL file."""

import copy
import json
import pathlib
from typing import Any

_FOLDER = pathlib.Path(__file__).parent / "simulations"

# The program `simulate`: writes a result that lies beside it, and says which words it got.
FAKE_PROGRAM = """#!/bin/sh
echo "$@"
while [ $# -gt 0 ]; do
  case $1 in --json) cp "$(dirname "$0")/result.json" "$2" ;; esac
  shift
done
"""


def simulation_result() -> dict[str, Any]:
    """Of the dialect `plait`: three networks and two policies."""
    return json.loads((_FOLDER / "plait.json").read_text())


def loggops_result() -> dict[str, Any]:
    """Of the dialect `loggops`: one row."""
    return json.loads((_FOLDER / "loggops.json").read_text())


def executed(times_s: list[float]) -> dict[str, Any]:
    """What `plait simulate --execute` adds."""
    low, middle, high = sorted(times_s)
    spread = {"median": middle, "q1": (low + middle) / 2, "q3": (middle + high) / 2}
    return {"ranks": 2, "mpi": "openmpi", "looks": "always",
            "total_s": {**spread, "samples": copy.copy(times_s)}}  # fmt: skip

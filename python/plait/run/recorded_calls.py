# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of unmodified programs, which `plait attach --record` leaves, ready to simulate.

Such a folder has a result and a trace. Of the trace a GOAL file is made, and of the result what a
simulation has to know beside it.
"""

from __future__ import annotations

import dataclasses
import pathlib
import urllib.parse

from plait import __version__, results
from plait.attach.words import RECORDED_RESULT, RECORDED_TRACE
from plait.errors import BadInput
from plait.formats.goal import DOUBT, goal_of
from plait.formats.trace import Trace, read_trace
from plait.results import Result

MOST_RANKS = 64  # of more, a result has classes of ranks
_PROGRAM = "program.goal"
_CALLS = "program.calls.goal"  # collectives are calls
_OF_REGION = "region."  # before that and these names, where the program is a region of it
_WHOLE = 0.99  # of the run's time; what is shorter was cut


@dataclasses.dataclass(frozen=True)
class RecordedCalls:
    """A recording: its program, and what is known of the run."""

    program: pathlib.Path  # GOAL
    policy: str  # who looked
    nodes: str  # of each rank
    cores: int  # of a rank; 0: not known
    took_s: float  # from MPI_Init to MPI_Finalize, or in the region, of the slowest rank
    ranks: int
    ranks_of_a_node: int  # 0: nodes have other numbers
    doubt: str = ""  # why no prediction is to be trusted


def make_ready(folder: pathlib.Path, ranks: int) -> None:
    """Makes the folder of a recording, and removes what an earlier one left there.

    Errors: `BadInput` where nothing can be recorded.
    """
    if ranks > MOST_RANKS:
        raise BadInput(f"--record: a recording has {MOST_RANKS} ranks at most, not {ranks}")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--record {folder}: is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name in (RECORDED_RESULT, RECORDED_TRACE, _PROGRAM, _CALLS):
        (folder / name).unlink(missing_ok=True)
    for of_region in folder.glob(f"{_OF_REGION}*.goal"):
        of_region.unlink(missing_ok=True)


def recorded_calls(
    folder: pathlib.Path, for_ranks: bool = False, region: str = ""
) -> RecordedCalls | None:
    """Reads a recording; None: the folder has none of calls. Errors: `BadInput` for a partial one.

    `region`: the only region of the program to take, NAME or NAME:STAY, counted from 0.

    The GOAL file is written into the folder where it is not there, is older than the trace, or is
    of another version of plait.
    `for_ranks`: in that file collectives are calls, so that they can be made for other ranks.
    """
    file, trace_file = folder / RECORDED_RESULT, folder / RECORDED_TRACE
    if not file.is_file():
        return None
    if not trace_file.is_file():
        raise BadInput(f"{folder}: {RECORDED_TRACE} is missing; was the run killed?")
    result = results.load(file)
    ranks = result["ranks_detail"]
    if len(ranks) < result["ranks"]:
        raise BadInput(
            f"{folder}: a job of {result['ranks']} ranks; record one of {MOST_RANKS} at most"
        )
    # By its region: two simulations of two regions may run at once.
    prefix = f"{_OF_REGION}{urllib.parse.quote(region, safe='')}." if region else ""
    program = folder / (prefix + (_CALLS if for_ranks else _PROGRAM))
    took_s = result["wall_s"]
    if region or not _is_up_to_date(program, trace_file):
        trace = read_trace(trace_file)
        _expect_whole(folder, trace, result)
        if region:
            name, stay = _stay_of(region)
            took_s = trace.stay_s(name, stay)
            trace = trace.within(name, stay)
        results.write_file(program, goal_of(trace, result, calls=for_ranks).encode())
    hosts = [row["host"] for row in ranks]
    node_of = {host: node for node, host in enumerate(dict.fromkeys(hosts))}
    return RecordedCalls(
        program,
        # The program's own calls look while they wait, and with progress a thread does besides.
        "sleeping" if "progress" in result["switches"] else "none",
        ",".join(str(node_of[host]) for host in hosts),
        _cores_of_a_rank(result, hosts),
        took_s,
        result["ranks"],
        _ranks_of_a_node(hosts),
        _doubt_in(program),
    )


def _is_up_to_date(program: pathlib.Path, trace_file: pathlib.Path) -> bool:
    if not program.is_file() or program.stat().st_mtime < trace_file.stat().st_mtime:
        return False
    with program.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline().startswith(f"// plait {__version__}:")


def _doubt_in(program: pathlib.Path) -> str:
    """Returns what the comments at the head of a GOAL file say against it."""
    begins = f"// {DOUBT}"
    with program.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(begins):
                return line.removeprefix(begins).strip()
            if not line.startswith("//"):
                break
    return ""


def _stay_of(region: str) -> tuple[str, int]:
    """Reads NAME or NAME:STAY."""
    name, colon, stay = region.rpartition(":")
    return (name, int(stay)) if colon and stay.isdecimal() else (region, 0)


def _ranks_of_a_node(hosts: list[str]) -> int:
    """Returns how many ranks each node has, one after the other; 0: they have other numbers."""
    each = hosts.count(hosts[0])
    blocks = [set(hosts[at : at + each]) for at in range(0, len(hosts), each)]
    alike = len(hosts) % each == 0 and all(len(block) == 1 for block in blocks)
    return each if alike and len(set.union(*blocks)) == len(blocks) else 0


def _cores_of_a_rank(result: Result, hosts: list[str]) -> int:
    """In the emulated cluster, where each node has its cores; 0 where they are not known."""
    nodes = result.get("environment", {}).get("lab", {}).get("cores", [])
    if not nodes:
        return 0
    return max(1, min(map(len, nodes)) // max(map(hosts.count, hosts)))


def _expect_whole(folder: pathlib.Path, trace: Trace, result: Result) -> None:
    for rank in range(result["ranks"]):
        ends = [one.end for lane, found in trace.lanes_of(rank) if lane.startswith("program")
                for one in found]  # fmt: skip
        seen_s, took_s = 1e-9 * max(ends, default=0), result["ranks_detail"][rank]["wall_s"]
        if seen_s < _WHOLE * took_s:
            raise BadInput(
                f"{folder}: of rank {rank} the first {seen_s:.3g} s of {took_s:.3g} s are there;"
                " record fewer steps, or set PLAIT_ATTACH_CALLS and PLAIT_ATTACH_TRACE_MB"
            )

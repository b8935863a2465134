# SPDX-License-Identifier: BSD-3-Clause
"""Writes results and traces in the formats that a command asks for, and says where they are."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping

from plait.errors import BadInput
from plait.formats.goal import goal_of
from plait.formats.hatchet import caliper_text
from plait.formats.otf2_archive import needed_library, write_otf2
from plait.formats.trace import read_trace
from plait.plain import plain
from plait.results import Result, check_writable, short, write_file
from plait.results.tables import write_csv


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Files and folders by their options; `trace` is read."""

    csv: pathlib.Path | None = None
    hatchet: pathlib.Path | None = None
    trace: pathlib.Path | None = None
    otf2: pathlib.Path | None = None
    goal: pathlib.Path | None = None


def check_wanted(wanted: Wanted, results: int) -> None:
    """Refuses what cannot be written. Errors: `BadInput` that says why."""
    if wanted.csv is not None and wanted.csv.exists() and not wanted.csv.is_dir():
        raise BadInput(f"--csv {wanted.csv}: is a file; name a folder")
    for option, path in (("--otf2", wanted.otf2), ("--goal", wanted.goal)):
        if path is not None and wanted.trace is None:
            raise BadInput(f"{option}: name the trace of the run, --trace FILE")
    if wanted.trace is not None and not wanted.trace.is_file():
        raise BadInput(f"--trace {wanted.trace}: there is no such file")
    for option, path in (("--trace", wanted.trace), ("--hatchet", wanted.hatchet)):
        if path is not None and results > 1:
            raise BadInput(f"{option}: takes one result at a time")
    for option, path in (("--hatchet", wanted.hatchet), ("--goal", wanted.goal)):
        if path is not None:
            check_writable(path, option)
    if wanted.otf2 is not None:
        needed_library()


def write_wanted(wanted: Wanted, results: Mapping[str, Result]) -> None:
    """Writes all of it, and prints a line each."""
    first = next(iter(results.values()))
    if wanted.csv is not None:
        written = write_csv(results, wanted.csv)
        _tell(f"tables: {short(wanted.csv)} ({len(written)} files)")
    if wanted.hatchet is not None:
        write_file(wanted.hatchet, caliper_text(first).encode())
        _tell(f"call sites for Hatchet: {short(wanted.hatchet)}")
    if wanted.trace is None or (wanted.otf2 is None and wanted.goal is None):
        return
    trace = read_trace(wanted.trace)
    if wanted.otf2 is not None:
        kept = first.get("sampling") or 1
        sample = f", of {kept} messages one" if kept > 1 else ""
        _tell(f"OTF2: {short(write_otf2(trace, first, wanted.otf2))}{sample}")
    if wanted.goal is not None:
        write_file(wanted.goal, goal_of(trace, first).encode())
        _tell(f"GOAL: {short(wanted.goal)}")


def _tell(line: str) -> None:
    print(plain(line))

# SPDX-License-Identifier: BSD-3-Clause
"""Unmodified MPI programs with plait's library in front of their MPI library."""

from __future__ import annotations

import dataclasses
import pathlib

from plait import ready, results
from plait.attach import built, target
from plait.attach.salvage import salvage
from plait.attach.words import RECORDED_RESULT, RECORDED_TRACE, settings
from plait.errors import BadInput, JobFailed
from plait.lab import Lab
from plait.launch.job import signals_as_exceptions
from plait.launch.scratch import scratch_folder
from plait.plain import tell
from plait.programs import known, resolve, target_of
from plait.results.figures.attach_timeline import with_timeline
from plait.run.foreign import ForeignRun, cluster_made_ready, run_to_its_end, with_lab
from plait.run.jobs import lab_of
from plait.run.output import show_and_write
from plait.run.recorded_calls import make_ready

_ENV = "/usr/bin/env"


def run_attached(asked: ForeignRun, switches: tuple[str, ...]) -> int:
    """Runs the program and shows its profile; the exit code is the program's.

    A program that ended badly has its profile up to there shown before its end is told.
    """
    if (asked.trace or asked.record) and "trace" not in switches:
        switches = (*switches, "trace")
    if asked.record:
        make_ready(asked.record, asked.ranks)
    asked = application_found(asked)
    found = target.find(asked.words[0], asked.mpi)
    spec = cluster_made_ready(asked, *built.targets(found.mpi, found.kind))
    library = built.find(found.mpi, found.kind)
    with signals_as_exceptions(), scratch_folder() as folder, lab_of(spec) as lab:
        json, trace = folder / "attach.json", folder / "attach.trace"
        wants_trace = str(trace) if "trace" in switches else None
        told = settings(library, switches, str(json), wants_trace, True, found.opened,
                        asked.record is not None)  # fmt: skip
        before = [_ENV, *(f"{name}={value}" for name, value in told.items())]
        try:
            run_to_its_end(asked, folder, lab, before=before)
        except JobFailed:
            if not json.exists():
                salvage(library, json, told)
            if json.exists():
                _show(asked, json, trace, lab)
            raise
        if not json.exists():
            raise BadInput(f"{pathlib.Path(asked.words[0]).name} left no profile: it never called "
                           "MPI_Init")  # fmt: skip
        _show(asked, json, trace, lab)
    return 0


def application_found(asked: ForeignRun) -> ForeignRun:
    """Returns the same of one of plait's applications by its path, built; else what was asked."""
    name, *words = asked.words
    if name not in known("apps", asked.mpi):
        return asked
    if (made := target_of("apps", name, asked.mpi)) is not None:
        ready.build(asked.mpi, made)
    path = resolve("apps", name, asked.mpi).path
    return dataclasses.replace(asked, words=[str(path), *words], is_own=True)


def _show(asked: ForeignRun, json: pathlib.Path, trace: pathlib.Path, lab: Lab | None) -> None:
    """Prints the tables to standard error, for standard output is the program's; writes files."""
    result = with_lab(results.load(json), lab)
    if asked.report:
        result = with_timeline(result, trace)
    show_and_write(result, asked.json, asked.report, to_stderr=True)
    if asked.trace and trace.exists():
        results.write_file(asked.trace, trace.read_bytes())
        tell(f"trace: {asked.trace} (open it at ui.perfetto.dev)")
    if asked.record and not trace.exists():
        tell(f"{asked.record}: no recording, for the job left no trace")
    elif asked.record:
        results.save(result, asked.record / RECORDED_RESULT)
        results.write_file(asked.record / RECORDED_TRACE, trace.read_bytes())
        tell(f"recording: {asked.record}")

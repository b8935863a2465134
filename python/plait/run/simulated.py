# SPDX-License-Identifier: BSD-3-Clause
"""Simulations of which a page is wanted, or that are tried: predicted, then executed for real."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from plait import ready, results
from plait.errors import BadInput, JobFailed
from plait.lab import LabSpec
from plait.launch.mpi import find_launcher, launch, launch_alone
from plait.launch.scratch import scratch_folder
from plait.plain import plain, tell
from plait.programs import resolve
from plait.results import Result
from plait.results.figures.simulation import measured_sentences
from plait.results.figures.tolerance import spread_of_samples
from plait.run.jobs import complain, describe_lab, lab_of, watch
from plait.views.html import write_report

STANDARD_OUTPUT = pathlib.Path("-")
_LOOKS = re.compile(r"always|idle|[1-9][0-9]{0,7}")
_RUN = re.compile(r"run ([0-9]+) ns")
_MOST_RANKS = 4096


@dataclasses.dataclass(frozen=True)
class Execution:
    """Holds how a simulated program is to run for real."""

    mpi: str = "openmpi"
    lab: str | None = None
    looks: str = "always"
    repeat: int = 5
    runtime: int | None = None  # of a recording, the only one
    verbose: bool = False

    def prepare(self) -> None:
        """Has what the run takes installed and built, after refusing words that are wrong."""
        if not _LOOKS.fullmatch(self.looks):
            raise BadInput(f"--looks {self.looks}: give always, idle, or microseconds")
        if not 1 <= self.repeat <= 1000:
            raise BadInput(f"--repeat {self.repeat}: give 1 to 1000")
        ready.for_job(self.mpi, self.spec, "execute")
        find_launcher(self.mpi)

    @property
    def spec(self) -> LabSpec | None:
        """Returns the cluster to run in; None: this machine as it is."""
        return LabSpec.parse(self.lab) if self.lab is not None else None


@dataclasses.dataclass(frozen=True)
class SimulationRun:
    """Holds what `plait simulate` was asked for."""

    program: pathlib.Path  # network/simulate
    words: Sequence[str]  # that it gets beside those below
    files: Sequence[pathlib.Path]  # GOAL, or folders of recordings; several with --ranks
    json: pathlib.Path | None
    page: pathlib.Path | None
    execution: Execution | None = None
    # That the recorded runs took, by their files, where the program cannot know it.
    recorded_s: Mapping[str, float] = dataclasses.field(default_factory=dict)
    doubt: str = ""  # why no prediction is to be trusted, where the program cannot know it

    @property
    def keeps_output(self) -> bool:
        """Returns whether standard output is for something else than what plait says."""
        return "--finish" in self.words or self.json == STANDARD_OUTPUT


def run_simulation(asked: SimulationRun) -> int:
    """Simulates, executes where that is asked for, writes the files; returns the exit code."""
    with scratch_folder() as folder:
        file = folder / "result.json"
        code = _simulate(asked, file)
        if code != 0:
            return code
        result = results.load(file)
        if asked.recorded_s:
            rows = [_with_recorded(asked, row) for row in result["rows"]]
            result = {**result, "rows": rows}
        if asked.doubt:
            rows = [{**row, "trusted": False,
                     "why_not_trusted": row.get("why_not_trusted", asked.doubt)}
                    for row in result["rows"]]  # fmt: skip
            result = {**result, "rows": rows}
            _say(asked, f"not to be trusted: {asked.doubt}")
        if asked.execution is not None:
            result = execute(asked.execution, asked.files[0], result)
            for sentence in measured_sentences(result)[-1:]:
                _say(asked, sentence)
        _write(asked, result)
    return 0


def _with_recorded(asked: SimulationRun, row: dict[str, Any]) -> dict[str, Any]:
    only = next(iter(asked.recorded_s.values())) if len(asked.files) == 1 else None
    took_s = asked.recorded_s.get(row.get("recording", ""), only)
    return row if took_s is None else {**row, "recorded_s": took_s}


def _simulate(asked: SimulationRun, file: pathlib.Path) -> int:
    """Starts the program, which says itself what is wrong."""
    words = [*asked.words, "--json", str(file), "--", *map(str, asked.files)]
    job = launch_alone([str(asked.program), *words])
    sys.stdout.flush()
    output = subprocess.DEVNULL if asked.json == STANDARD_OUTPUT else None
    with subprocess.Popen(job.argv, env=job.environment, stdout=output) as process:
        try:
            code = process.wait()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            raise
    return code if code >= 0 else 128 - code


def execute(asked: Execution, file: pathlib.Path, result: Result) -> Result:
    """Returns the result with the times that its program takes as a real MPI job."""
    ranks = result["rows"][0]["ranks"]
    if ranks > _MOST_RANKS:
        raise BadInput(f"--execute: a program of {ranks} ranks; at most {_MOST_RANKS} are started")
    program = resolve("network", "execute", asked.mpi).path
    command = [str(program), "--file", str(file.resolve()), "--looks", asked.looks,
               "--repeat", str(asked.repeat)]  # fmt: skip
    if asked.runtime is not None:
        command += ["--runtime", str(asked.runtime)]
    with lab_of(asked.spec) as lab:
        outcome = watch("execute", launch(asked.mpi, ranks, command, lab), lab, asked.verbose)
        if outcome.exit_code != 0:
            complain("execute", outcome)
        times_s = [1e-9 * int(ns) for ns in _RUN.findall("\n".join(outcome.output_lines))]
        if len(times_s) != asked.repeat:
            raise JobFailed(f"execute told {len(times_s)} times of {asked.repeat}", 3)
        cluster = {"lab": describe_lab(lab)} if lab else {}
    executed = {"ranks": ranks, "mpi": asked.mpi, "looks": asked.looks,
                "total_s": spread_of_samples(times_s)}  # fmt: skip
    environment = {**result["environment"], **cluster}
    return {**result, "environment": environment, "executed": executed}


def _write(asked: SimulationRun, result: Result) -> None:
    if asked.json == STANDARD_OUTPUT:
        print(json.dumps(result, indent=1, allow_nan=False))
    elif asked.json is not None:
        results.save(result, asked.json)
    if asked.page is not None:
        write_report(result, asked.page)
        _say(asked, f"report: {results.short(asked.page)}")


def _say(asked: SimulationRun, sentence: str) -> None:
    """Prints a line, to standard error where standard output is for something else."""
    if asked.keeps_output:
        tell(sentence)
    else:
        print(plain(sentence))

# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are none of plait's own: their words, their output and their exit code stay theirs.

What plait wants of one that uses its library goes by environment variables.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping, Sequence

from plait import ready, results
from plait.errors import BadInput, JobFailed
from plait.lab import Lab, LabSpec
from plait.launch.job import Interrupted, Outcome, signals_as_exceptions
from plait.launch.library import kind_of
from plait.launch.mpi import Launch, find_launcher, launch, uses_srun
from plait.launch.scratch import scratch_folder
from plait.launch.streams import Streams, streamed
from plait.plain import tell
from plait.results import Result
from plait.run.jobs import describe_lab, first_words, lab_of, run_in
from plait.run.output import show_and_write

# Among so many lines the library's own complaint is the last word.
_LAST_LINES = 5


@dataclasses.dataclass(frozen=True)
class ForeignRun:
    """Holds what `plait run ./program` was asked for."""

    words: list[str]  # the program, as the user wrote it, and its words
    mpi: str
    ranks: int
    lab: str | None
    json: pathlib.Path | None = None
    report: pathlib.Path | None = None
    trace: pathlib.Path | None = None
    verbose: bool = False
    record: pathlib.Path | None = None  # the folder of a recording
    is_own: bool = False  # one of plait's applications, whose ranks connect as plait's do


def run_foreign(asked: ForeignRun) -> int:
    """Run it; the exit code is the program's, unless a file that was asked for did not come."""
    spec = cluster_made_ready(asked)
    with signals_as_exceptions(), scratch_folder() as folder, lab_of(spec) as lab:
        made = {"PLAIT_RESULT": folder / "result.json", "PLAIT_TRACE": folder / "trace.json"}
        wanted = {"PLAIT_RESULT": asked.json or asked.report, "PLAIT_TRACE": asked.trace}
        told = {name: str(file) for name, file in made.items() if wanted[name]}
        told |= recording_told(asked.record)
        run_to_its_end(asked, folder, lab, environment=told)
        _hand_over(asked, made, lab)
        tell_of_recording(asked.words[0], asked.record)
    return 0


def recording_told(folder: pathlib.Path | None) -> dict[str, str]:
    """Returns the variable that has a program leave a recording in a folder."""
    return {} if folder is None else {"PLAIT_RECORD": str(folder.resolve())}


def tell_of_recording(program: str, folder: pathlib.Path | None) -> None:
    """Says where the recording is, if one was asked for; raises where the program left none."""
    if folder is None:
        return
    if not (folder / "rank0.plaitrec").exists():
        raise BadInput(
            f"{pathlib.Path(program).name} left nothing for --record: it does not use plait's"
            " library, or made no runtime"
        )
    tell(f"recording: {folder}")


def cluster_made_ready(asked: ForeignRun, *targets: str) -> LabSpec | None:
    """Returns the cluster to run in, after the job's needs and these targets have been met."""
    spec = LabSpec.parse(asked.lab) if asked.lab is not None else None
    ready.for_job(asked.mpi, spec, *targets)
    find_launcher(asked.mpi)
    return spec


def run_to_its_end(
    asked: ForeignRun,
    folder: pathlib.Path,
    lab: Lab | None,
    environment: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
) -> None:
    """Runs the job to its end, which is raised if it is a bad one.

    `environment` is for mpiexec and all below; the words `before` start the program itself.
    """
    if uses_srun():
        _run_by_srun(asked, _job(asked, [*before, *asked.words], lab, environment))
        return
    # Ranks get what their mpiexec gives them by itself: a terminal (Open MPI) or a pipe (MPICH).
    with streamed(folder, terminal=kind_of(asked.mpi) == "openmpi") as streams:
        words = streams.into([*before, *asked.words])
        job = _job(asked, words, lab, environment)
        try:
            outcome = run_in(lab, job, None, asked.verbose)
        except Interrupted:
            if streams.failure is None:
                raise
            if isinstance(streams.failure, BrokenPipeError):
                raise streams.failure from None
            raise BadInput(f"the output cannot be written: {streams.failure.strerror}") from None
    if outcome.exit_code != 0:
        _complain(pathlib.Path(asked.words[0]).name, outcome, streams)
    for line in (*outcome.error_lines, *outcome.output_lines):  # of mpiexec itself
        tell(line)


def _job(
    asked: ForeignRun, words: Sequence[str], lab: Lab | None, environment: Mapping[str, str] | None
) -> Launch:
    job = launch(asked.mpi, asked.ranks, words, lab, is_foreign=not asked.is_own)
    return dataclasses.replace(job, environment={**job.environment, **(environment or {})})


def _run_by_srun(asked: ForeignRun, job: Launch) -> None:
    """srun forwards what ranks write, from whatever node, and says itself how they ended."""
    job = dataclasses.replace(job, keeps_streams=True)
    code = run_in(None, job, None, asked.verbose).exit_code
    if code != 0:
        raise JobFailed(f"{pathlib.Path(asked.words[0]).name} ended with exit code {code}", code)


def _complain(name: str, outcome: Outcome, streams: Streams) -> None:
    """Raise the one line that says how it ended; none where the library has said it."""
    code, death = outcome.exit_code, outcome.death
    streams.end_line()
    if death and death.signal is not None:
        raise JobFailed(f"{name} broke off: {death.sentence()}", 128 + death.signal)
    if any(line.startswith("plait: ") for line in streams.last_error_lines()[-_LAST_LINES:]):
        raise JobFailed("", code)
    if death:
        raise JobFailed(f"{name}: {death.sentence()}", code)
    why = outcome.error_lines[-1:] or (
        [first_words(outcome)] if outcome.launcher_text.strip() else []
    )
    raise JobFailed(": ".join([f"{name} ended with exit code {code}", *why]), code)


def _hand_over(asked: ForeignRun, made: Mapping[str, pathlib.Path], lab: Lab | None) -> None:
    """Write the files that were asked for from those that the library has written.

    All that is said goes to standard error: standard output is the program's.
    """
    wants_result = asked.json is not None or asked.report is not None
    for wanted, file in ((wants_result, made["PLAIT_RESULT"]), (asked.trace, made["PLAIT_TRACE"])):
        if wanted and not (file.exists() and file.stat().st_size):
            name = pathlib.Path(asked.words[0]).name
            options = [f"--{o}" for o in ("json", "report", "trace") if getattr(asked, o)]
            raise BadInput(
                f"{name} left nothing for {' and '.join(options)}: it does not use plait's library,"
                " or made no runtime"
            )
    if wants_result:
        result = with_lab(results.load(made["PLAIT_RESULT"]), lab)
        show_and_write(result, asked.json, asked.report, to_stderr=True)
    if asked.trace:
        results.write_file(asked.trace, made["PLAIT_TRACE"].read_bytes())
        tell(f"trace: {asked.trace} (open it at ui.perfetto.dev)")


def with_lab(result: Result, lab: Lab | None) -> Result:
    """Returns the result with what only the command knows: the cluster it ran in."""
    if lab is None:
        return result
    known = {"lab": describe_lab(lab), "link_rate_Bps": lab.spec.payload_bytes_per_s}
    return {**result, "environment": {**result.get("environment", {}), **known}}

# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program of plait's own, from the words of a command to a checked result.

`plait run`, `bench`, `measure` and `predict` all start programs here.
"""

from __future__ import annotations

import copy
import dataclasses
import pathlib
from collections.abc import Sequence

from plait import ready, results
from plait.errors import BadInput
from plait.lab import Lab, LabSpec
from plait.launch.job import Outcome, signals_as_exceptions
from plait.launch.mpi import Launch, find_launcher, launch, launch_alone
from plait.launch.scratch import scratch_folder
from plait.plain import plain, tell
from plait.programs import resolve, target_of
from plait.results import Result
from plait.results.figures.progress import of_rates
from plait.run.jobs import complain, describe_lab, has_result, lab_of, watch
from plait.run.noise_maker import Noise, noise_beside
from plait.run.recipes import Part, parts_of, words_of_lab, words_of_peers
from plait.units import parse_rate


@dataclasses.dataclass(frozen=True)
class Request:
    """Holds what a command was asked to run."""

    kind: str  # which programs it is one of: `apps`, `bench` or `network`
    program: str  # its name, or its path
    mpi: str
    ranks: int | None  # None: as many as its recipe says
    lab: str | None
    options: Sequence[str]  # words that the program gets as they are
    verbose: bool = False
    trace: pathlib.Path | None = None
    peers: bool = False  # of a benchmark, are to be installed
    rates: str | None = None  # a run at each of these instead of the lab's own
    record: pathlib.Path | None = None  # the folder of a recording
    noise: Noise | None = None  # on the cores of the cluster's nodes, while the job runs

    @property
    def name(self) -> str:
        """Returns what the program is called."""
        return pathlib.Path(self.program).name

    @property
    def needs_mpi(self) -> bool:
        """The model of `predict` needs none."""
        return (self.kind, self.name) != ("network", "predict")


def prepare(asked: Request) -> None:
    """Has what the run takes installed and built, after refusing words that are wrong."""
    target = target_of(asked.kind, asked.program, asked.mpi)
    parts_of(asked.kind, asked.name, asked.mpi, asked.ranks, asked.lab is not None)
    spec = _specs_of(asked)[0]
    if asked.kind == "bench" and target:
        ready.peers(asked.mpi, asked.name, asked.peers)
    ready.for_job(asked.mpi, spec, *filter(None, (target, asked.noise and "noise")))


def run_program(asked: Request) -> tuple[Result | None, int]:
    """Runs the program at every rate that is asked for; returns the result and the exit code.

    There is no result where the program only had something to say, such as its help.
    """
    if asked.needs_mpi:
        find_launcher(asked.mpi)
    program = resolve(asked.kind, asked.program, asked.mpi).path
    parts = parts_of(asked.kind, asked.name, asked.mpi, asked.ranks, asked.lab is not None)
    found: list[Result] = []
    exit_code = 0
    with signals_as_exceptions():
        for spec in _specs_of(asked):
            result, code = _run_parts(asked, program, parts, spec)
            if result is None:
                return None, code
            found.append(result)
            exit_code = max(exit_code, code)
    return (found[0] if len(found) == 1 else of_rates(found)), exit_code


def _specs_of(asked: Request) -> list[LabSpec | None]:
    """The clusters to run in, one after the other; none is this machine as it is."""
    spec = LabSpec.parse(asked.lab) if asked.lab is not None else None
    if asked.rates is None:
        return [spec]
    if asked.name != "progress":
        raise BadInput(f"--rates: {asked.name} takes one rate, in --lab; progress takes several")
    if spec is None:
        raise BadInput("--rates: name the nodes too, such as --lab nodes=2")
    if "rate=" in (asked.lab or ""):
        raise BadInput("--rates: --lab names a rate, too")
    return [dataclasses.replace(spec, rate_bps=rate_bps) for rate_bps in rates_of(asked.rates)]


def rates_of(text: str) -> list[int]:
    """Returns the rates of `--rates`, in bits per second; refuses one that is named twice."""
    rates = [parse_rate(rate) for rate in text.split(",")]
    if len(set(rates)) < len(rates):
        raise BadInput(f"--rates {text}: names a rate twice")
    return rates


def _run_parts(
    asked: Request, program: pathlib.Path, parts: Sequence[Part], spec: LabSpec | None
) -> tuple[Result | None, int]:
    """Runs the parts of a program in one cluster; returns the result and the exit code."""
    found: list[Result] = []
    with (
        scratch_folder() as folder,
        lab_of(spec) as lab,
        noise_beside(asked.noise, lab, folder) as taken,
    ):
        for index, part in enumerate(parts):
            beside = ["--beside", str(folder / "result0.json")] if part.beside_first else []
            file = folder / f"result{index}.json"
            words = [*asked.options, *beside]
            result, exit_code = run_part(asked, program, part, file, lab, words)
            if result is None:
                return None, exit_code
            found.append(result)
        whole = _together(found, parts, lab)
    if asked.noise:
        whole["environment"]["noise"] = taken
    return whole, exit_code


def run_part(
    asked: Request, program: pathlib.Path, part: Part, file: pathlib.Path, lab: Lab | None,
    words: Sequence[str],
) -> tuple[Result | None, int]:  # fmt: skip
    """Starts the program once, with these words; returns what it wrote to `file`, and its code.

    There is no result where the program only had something to say, such as its help.
    """
    command = [str(program), *_own_words(asked, part, file, lab), *words]
    job = _job(asked, part, command, file, lab)
    outcome = watch(asked.name, job, lab, asked.verbose)
    if not has_result(outcome, file):
        return None, _without_result(asked.name, outcome)
    for line in outcome.error_lines:
        tell(line)
    if not outcome.ended:
        tell(f"plait: {part.describe()}: did not come back from MPI_Finalize, and was ended; its"
             " result was complete")  # fmt: skip
    return results.load(file), outcome.exit_code


def _own_words(asked: Request, part: Part, file: pathlib.Path, lab: Lab | None) -> list[str]:
    """Returns what the program is told that the user did not say."""
    words = [f"--json={file}"]
    if asked.needs_mpi:
        words.append("--progress")
    if asked.trace:
        words += ["--trace", str(asked.trace.resolve())]
    if asked.kind == "bench" and part.ranks is not None:
        words += words_of_peers(asked.name, asked.mpi, part.ranks, lab, asked.options)
    return [*words, *words_of_lab(asked.kind, asked.name, lab)] if lab else words


def _job(
    asked: Request, part: Part, command: list[str], file: pathlib.Path, lab: Lab | None
) -> Launch:
    if part.ranks is None:
        job = launch_alone(command)
    else:
        job = launch(asked.mpi, part.ranks, command, lab)
    # A peer's setting may hang where plait does not: MPICH 4.0 with its own progress thread does in
    # MPI_Finalize over TCP, one rank in UCX's disconnecting, the other one past it.
    last_words = file if part.settings else None
    environment = {**job.environment, **part.settings}
    if asked.record is not None:
        environment["PLAIT_RECORD"] = str(asked.record.resolve())
    return dataclasses.replace(job, environment=environment, last_words=last_words)


def _without_result(name: str, outcome: Outcome) -> int:
    """The exit code of a program that only had something to say, such as its help."""
    if outcome.exit_code != 0:
        complain(name, outcome)
    print(plain("\n".join(outcome.output_lines)))
    return 0


def _together(found: Sequence[Result], parts: Sequence[Part], lab: Lab | None) -> Result:
    """The first result with the rows of the others."""
    whole = copy.deepcopy(found[0])
    for other in found[1:]:
        for row, cases in other["rows"].items():
            whole["rows"].setdefault(row, {}).update(cases)
    if len(parts) > 1:
        whole["environment"]["jobs"] = [part.describe() for part in parts]
    if lab:
        whole["environment"]["lab"] = describe_lab(lab)
    return whole

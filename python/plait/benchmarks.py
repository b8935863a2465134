# SPDX-License-Identifier: BSD-3-Clause
"""What a benchmark starts: one process, or MPI jobs whose rows are put together."""

import copy
import dataclasses
import pathlib
import sys
from collections.abc import Mapping, Sequence

from plait import result as results
from plait.errors import BadInput
from plait.jobs import complain, describe_lab, has_result, lab_of, watch
from plait.lab import Lab, LabSpec
from plait.launch.job import Outcome, signals_as_exceptions
from plait.launch.mpi import Launch, find_mpiexec, launch, launch_alone
from plait.programs import find_program
from plait.progress_figures import of_rates
from plait.result import Result
from plait.scratch import scratch_folder
from plait.units import parse_rate


@dataclasses.dataclass(frozen=True)
class Part:
    """One start of a benchmark's program."""

    ranks: int | None = None  # None: one process, without mpiexec
    settings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    beside_first: bool = False  # it reads the first part's result: `--beside FILE`

    def describe(self) -> str:
        """A phrase for the result file."""
        who = f"{self.ranks} rank{'s' if self.ranks != 1 else ''}"
        return ", ".join([who, *(f"{key}={value}" for key, value in self.settings.items())])


@dataclasses.dataclass(frozen=True)
class Request:
    """What `plait bench NAME` or `plait measure NAME` was asked for."""

    program: str
    mpi: str
    ranks: int | None
    lab: str | None
    options: Sequence[str]
    verbose: bool = False
    rates: str | None = None  # a sweep of each of these instead of the lab's own
    kind: str = "bench"  # or "probes": which programs it is one of


def parts_of(name: str, mpi: str, ranks: int | None, lab: bool) -> list[Part]:
    """The starts of the benchmark of that name."""
    if ranks is not None and ranks < 1:
        raise BadInput(f"--ranks {ranks}: give at least 1")
    if name in ("message", "exchange", "progress", "nbc", "overlap"):
        parts = [Part(ranks or 2)]
        if name == "exchange" and mpi == "mpich":
            # MPICH reads this before MPI_Init, so it takes a job of its own.
            parts.append(Part(parts[0].ranks, {"MPIR_CVAR_ASYNC_PROGRESS": "1"}, True))
        return parts
    if name == "metg":
        if ranks is not None:
            return [Part(ranks)]
        # A node of a cluster tells nothing about one process that this machine does not.
        return [Part(2)] if lab else [Part(1), Part(2)]
    for option, given in (("--ranks", ranks is not None), ("--lab", lab)):
        if given:
            raise BadInput(f"{option}: {name} is one process and sends no messages")
    return [Part()]


def run_benchmark(asked: Request) -> tuple[Result | None, int]:
    """Run every part; the result, or none where the program only had something to say."""
    find_mpiexec(asked.mpi)
    program = find_program(asked.kind, asked.program, asked.mpi)
    parts = parts_of(program.name, asked.mpi, asked.ranks, asked.lab is not None)
    specs = specs_of(program.name, asked.lab, asked.rates)
    found: list[Result] = []
    exit_code = 0
    with signals_as_exceptions():
        for spec in specs:
            result, code = _run_parts(asked, program, parts, spec)
            if result is None:
                return None, code
            found.append(result)
            exit_code = max(exit_code, code)
    return (found[0] if len(found) == 1 else of_rates(found)), exit_code


def specs_of(name: str, lab: str | None, rates: str | None) -> list[LabSpec | None]:
    """The clusters to run in, one after the other; none is this machine as it is."""
    spec = LabSpec.parse(lab) if lab is not None else None
    if rates is None:
        return [spec]
    if name != "progress":
        raise BadInput(f"--rates: {name} takes one rate, in --lab; progress takes several")
    if spec is None:
        raise BadInput("--rates: name the nodes too, such as --lab nodes=2")
    if "rate=" in lab:  # type: ignore[operator]
        raise BadInput("--rates: --lab names a rate, too")
    asked = [parse_rate(rate) for rate in rates.split(",")]
    if len(set(asked)) < len(asked):
        raise BadInput(f"--rates {rates}: names a rate twice")
    return [dataclasses.replace(spec, rate_bps=rate_bps) for rate_bps in asked]


def _run_parts(
    asked: Request, program: pathlib.Path, parts: Sequence[Part], spec: LabSpec | None
) -> tuple[Result | None, int]:
    """As run_benchmark, in one cluster."""
    found: list[Result] = []
    with scratch_folder() as folder, lab_of(spec) as lab:
        for index, part in enumerate(parts):
            file = folder / f"result{index}.json"
            command = [str(program), "--json", str(file), *asked.options, "--progress"]
            if part.beside_first:
                command += ["--beside", str(folder / "result0.json")]
            job = _job(asked.mpi, part, command, file, lab)
            outcome = watch(program.name, job, lab, asked.verbose)
            if not has_result(outcome, file):
                return None, without_result(program.name, outcome)
            found.append(results.load(file))
            if not outcome.ended:
                print(f"plait: {part.describe()}: did not come back from MPI_Finalize, and was "
                      "ended; its result was complete", file=sys.stderr)  # fmt: skip
    return _together(found, parts, lab), outcome.exit_code


def _job(mpi: str, part: Part, command: list[str], file: pathlib.Path, lab: Lab | None) -> Launch:
    job = launch_alone(command) if part.ranks is None else launch(mpi, part.ranks, command, lab)
    # A peer's setting may hang where plait does not: MPICH 4.0 with its own progress thread does in
    # MPI_Finalize over TCP, one rank in UCX's disconnecting, the other one past it.
    last_words = file if part.settings else None
    environment = {**job.environment, **part.settings}
    return dataclasses.replace(job, environment=environment, last_words=last_words)


def without_result(name: str, outcome: Outcome) -> int:
    """The exit code of a program that only had something to say, such as its help."""
    if outcome.exit_code != 0:
        complain(name, outcome)
    print("\n".join(outcome.output_lines))
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

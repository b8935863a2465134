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
from plait.result import Result
from plait.scratch import scratch_folder


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
    kind: str = "bench"  # or "probes": which programs it is one of


def parts_of(name: str, mpi: str, ranks: int | None, lab: bool) -> list[Part]:
    """The starts of the benchmark of that name."""
    if ranks is not None and ranks < 1:
        raise BadInput(f"--ranks {ranks}: give at least 1")
    if name in ("message", "exchange", "nbc", "overlap"):
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
    spec = LabSpec.parse(asked.lab) if asked.lab is not None else None
    found: list[Result] = []
    with signals_as_exceptions(), scratch_folder() as folder, lab_of(spec) as lab:
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


def _together(found: list[Result], parts: list[Part], lab: Lab | None) -> Result:
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

# SPDX-License-Identifier: BSD-3-Clause
"""What `plait measure` starts: a probe on some ranks, here or in an emulated cluster."""

import dataclasses
from collections.abc import Callable, Sequence

from plait import result as results
from plait.benchmarks import without_result
from plait.jobs import describe_lab, has_result, lab_of, watch
from plait.lab import Lab, LabSpec
from plait.lab.spec import LINK_BURST_BYTES
from plait.launch.job import signals_as_exceptions
from plait.launch.mpi import find_mpiexec, launch
from plait.programs import find_program
from plait.result import Result
from plait.scratch import scratch_folder


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What `plait measure NAME` was asked for."""

    probe: str
    mpi: str
    ranks: int
    lab: str | None
    options: Sequence[str]
    verbose: bool = False
    # What the probe is told of the cluster it runs in.
    lab_options: Callable[[Lab], list[str]] | None = None


def link_of(lab: Lab) -> list[str]:
    """What a probe has to know of a link: its rate, and what it lets through at once."""
    if lab.spec.nodes < 2:
        return []  # all ranks share its memory
    rate = f"{lab.spec.payload_bytes_per_s:.0f}"
    return ["--link-rate", rate, "--link-burst", str(LINK_BURST_BYTES)]


def run_measurement(asked: Measurement) -> tuple[Result | None, int]:
    """Run the probe; the result, or none where it only had something to say."""
    find_mpiexec(asked.mpi)
    program = find_program("probes", asked.probe, asked.mpi)
    spec = LabSpec.parse(asked.lab) if asked.lab is not None else None
    with signals_as_exceptions(), scratch_folder() as folder, lab_of(spec) as lab:
        file = folder / "result.json"
        command = [str(program), "--json", str(file), "--progress"]
        if lab and asked.lab_options:
            command += asked.lab_options(lab)
        command += asked.options
        job = launch(asked.mpi, asked.ranks, command, lab)
        outcome = watch(program.name, job, lab, asked.verbose)
        if not has_result(outcome, file):
            return None, without_result(program.name, outcome)
        result = results.load(file)
        if lab:
            result["environment"]["lab"] = describe_lab(lab)
    return result, outcome.exit_code

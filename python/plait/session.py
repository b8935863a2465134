# SPDX-License-Identifier: BSD-3-Clause
"""One measured run from the command line to table, files and exit code."""

import dataclasses
import pathlib
import sys

from plait import result as results
from plait.foreign import ForeignRun, run_foreign
from plait.jobs import complain, describe_lab, has_result, lab_of, watch
from plait.lab import Lab, LabSpec
from plait.launch.job import Outcome, signals_as_exceptions
from plait.launch.mpi import find_mpiexec, launch
from plait.programs import resolve
from plait.report import write_report
from plait.scratch import scratch_folder
from plait.table import show_result, show_traces
from plait.terminal import console


@dataclasses.dataclass(frozen=True)
class Session:
    """What `plait run` was asked for."""

    program: str
    mpi: str
    ranks: int
    lab: str | None
    options: list[str]
    json: pathlib.Path | None = None
    report: pathlib.Path | None = None
    trace: pathlib.Path | None = None
    verbose: bool = False


def run_session(session: Session) -> int:
    """Run it; the exit code is the program's."""
    find_mpiexec(session.mpi)
    program = resolve("apps", session.program, session.mpi)
    if program.foreign:
        return run_foreign(_foreign(session))
    spec = LabSpec.parse(session.lab) if session.lab is not None else None
    with signals_as_exceptions(), scratch_folder() as folder:
        file = folder / "result.json"
        command = [str(program.path), *session.options, "--json", str(file), "--progress"]
        if session.trace:
            command += ["--trace", str(session.trace.resolve())]
        with lab_of(spec) as lab:
            if lab:
                command += ["--link-rate", f"{lab.spec.payload_bytes_per_s:.0f}"]
            job = launch(session.mpi, session.ranks, command, lab)
            outcome = watch(pathlib.Path(session.program).name, job, lab, session.verbose)
        return _conclude(session, outcome, file, lab)


def _foreign(session: Session) -> ForeignRun:
    return ForeignRun(
        words=[session.program, *session.options], mpi=session.mpi, ranks=session.ranks,
        lab=session.lab, json=session.json, report=session.report, trace=session.trace,
        verbose=session.verbose,
    )  # fmt: skip


def _conclude(session: Session, outcome: Outcome, file: pathlib.Path, lab: Lab | None) -> int:
    """Show and write what there is; complain once where there is nothing."""
    if not has_result(outcome, file):
        if outcome.exit_code == 0:
            print("\n".join(outcome.output_lines))
            return 0
        complain(pathlib.Path(session.program).name, outcome)
    for line in outcome.error_lines:
        print(line, file=sys.stderr)
    result = results.load(file)
    if lab:
        result["environment"]["lab"] = describe_lab(lab)
    terminal = console()
    show_result(result, terminal)
    for path, write in ((session.json, results.save), (session.report, write_report)):
        if path:
            write(result, path)
            print(f"{'result' if path is session.json else 'report'}: {results.short(path)}")
    if session.trace:
        print(f"trace: {session.trace} (open it at ui.perfetto.dev)")
        show_traces(result, terminal)
    return outcome.exit_code

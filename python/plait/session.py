# SPDX-License-Identifier: BSD-3-Clause
"""One measured run from the command line to table, files and exit code."""

import dataclasses
import pathlib
import sys

from rich.console import Console

from plait import result as results
from plait.jobs import complain, describe_lab, has_result, lab_of, watch
from plait.lab import Lab, LabSpec
from plait.launch.job import Outcome, signals_as_exceptions
from plait.launch.mpi import find_mpiexec, launch
from plait.programs import find_program
from plait.report import write_report
from plait.scratch import scratch_folder
from plait.table import show_result, show_traces


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
    program = find_program("apps", session.program, session.mpi)
    spec = LabSpec.parse(session.lab) if session.lab is not None else None
    with signals_as_exceptions(), scratch_folder() as folder:
        file = folder / "result.json"
        command = [str(program), *session.options, "--json", str(file), "--progress"]
        if session.trace:
            command += ["--trace", str(session.trace.resolve())]
        with lab_of(spec) as lab:
            if lab:
                command += ["--link-rate", f"{lab.spec.payload_bytes_per_s:.0f}"]
            job = launch(session.mpi, session.ranks, command, lab)
            outcome = watch(pathlib.Path(session.program).name, job, lab, session.verbose)
        return _conclude(session, outcome, file, lab)


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
    console = Console(width=None if sys.stdout.isatty() else 80)
    show_result(result, console)
    for path, write in ((session.json, results.save), (session.report, write_report)):
        if path:
            write(result, path)
            print(f"{'result' if path is session.json else 'report'}: {results.short(path)}")
    if session.trace:
        print(f"trace: {session.trace} (open it at ui.perfetto.dev)")
        show_traces(result, console)
    return outcome.exit_code

# SPDX-License-Identifier: BSD-3-Clause
"""One measured run from the command line to table, files and exit code."""

import contextlib
import dataclasses
import pathlib
import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from plait import result as results
from plait.errors import BadInput, JobFailed
from plait.lab import Lab, LabSpec, bring_up, find, take_down
from plait.launch.job import OnProgress, Outcome, run_job, signals_as_exceptions
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
        with _lab(spec) as lab:
            if lab:
                command += ["--link-rate", f"{lab.spec.payload_bytes_per_s:.0f}"]
            outcome = _run(session, command, lab)
        return _conclude(session, outcome, file, lab)


@contextlib.contextmanager
def _lab(spec: LabSpec | None) -> Iterator[Lab | None]:
    """A cluster for the time of a run, or one that is up already and stays so."""
    if spec is None:
        yield None
        return
    standing = _standing(spec)
    lab = standing or bring_up(spec)
    try:
        yield lab
    finally:
        if not standing:
            take_down(lab)


def _standing(spec: LabSpec) -> Lab | None:
    """`--lab name=x` alone means the lab x that is up."""
    if spec.name is None or spec != LabSpec(name=spec.name):
        return None
    with contextlib.suppress(BadInput):
        return find(spec.name)
    return None


def _run(session: Session, command: list[str], lab: Lab | None) -> Outcome:
    job = launch(session.mpi, session.ranks, command, lab)
    names = {lab.address(i): f"n{i}" for i in range(lab.spec.nodes)} if lab else None
    with _progress_bar(session) as advance:
        echo = (lambda line: print(line, end="", file=sys.stderr)) if session.verbose else None
        return run_job(job, advance, echo, names)


@contextlib.contextmanager
def _progress_bar(session: Session) -> Iterator[OnProgress]:
    """A bar where stderr is a terminal, a line now and then where it is a file."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _progress_lines()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(f"{pathlib.Path(session.program).name}: starting", total=None)

        def advance(fields: dict[str, object]) -> None:
            bar.update(task, total=fields.get("total"), completed=fields.get("done"),
                       description=str(fields.get("label", "")))  # fmt: skip

        yield advance


def _progress_lines() -> OnProgress:
    started = last = time.monotonic()

    def advance(fields: dict[str, object]) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 10.0:
            last = now
            done, total = fields.get("done"), fields.get("total")
            print(
                f"{done}/{total} {fields.get('label', '')} ({now - started:.0f} s)", file=sys.stderr
            )

    return advance


def _conclude(session: Session, outcome: Outcome, file: pathlib.Path, lab: Lab | None) -> int:
    """Show and write what there is; complain once where there is nothing."""
    complete = file.exists() and file.stat().st_size > 0
    if not complete or outcome.exit_code not in (0, 1):
        if outcome.exit_code == 0:
            print("\n".join(outcome.output_lines))
            return 0
        _complain(session, outcome)
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


def _complain(session: Session, outcome: Outcome) -> None:
    """Raise the one line that says what went wrong."""
    name = pathlib.Path(session.program).name
    if outcome.exit_code == 2 and outcome.error_lines:
        raise BadInput(outcome.error_lines[0].removeprefix("plait: "))
    death = outcome.death
    if death and death.signal is not None:
        raise JobFailed(f"{name} broke off: {death.sentence()}", 128 + death.signal)
    said = outcome.error_lines[-1] if outcome.error_lines else None
    if outcome.exit_code == 2 and not death:
        raise BadInput(f"{name}: {said or _first_words(outcome)}")
    if said is None:
        said = (
            death.sentence() if death else f"exit code {outcome.exit_code}, {_first_words(outcome)}"
        )
    raise JobFailed(f"{name} broke off: {said}", max(outcome.exit_code, 3))


def _first_words(outcome: Outcome) -> str:
    """What the launcher said first."""
    spoken = [line for line in outcome.launcher_text.splitlines() if line.strip(" -=*")]
    return spoken[0] if spoken else "it said nothing; --verbose shows more"


def describe_lab(lab: Lab) -> dict[str, object]:
    """The cluster, for the result file."""
    return {
        "nodes": lab.spec.nodes,
        "rate_bps": lab.spec.rate_bps,
        "delay_s": lab.spec.delay_s,
        "cores": lab.node_cores,
        "subnet": lab.subnet,
        "mode": lab.mode,
    }

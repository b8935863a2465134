# SPDX-License-Identifier: BSD-3-Clause
"""One job of a command: the cluster around it, its progress, what is said when it fails."""

from __future__ import annotations

import contextlib
import pathlib
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from plait.errors import BadInput, JobFailed
from plait.interrupts import uninterrupted
from plait.lab import Lab, LabSpec, bring_up, find, take_down
from plait.lab.network import counters
from plait.launch.guard import guarded
from plait.launch.job import OnProgress, Outcome, run_job
from plait.launch.mpi import Launch
from plait.launch.noise import signal_name
from plait.plain import plain, tell


@contextlib.contextmanager
def lab_of(spec: LabSpec | None) -> Iterator[Lab | None]:
    """A cluster for the time of a run, or one that is up already and stays so."""
    if spec is None:
        yield None
        return
    with guarded():
        standing = _standing(spec)
        lab = standing or bring_up(spec)
        try:
            yield lab
        finally:
            if not standing:
                with uninterrupted():
                    take_down(lab)


def _standing(spec: LabSpec) -> Lab | None:
    """`--lab name=x` alone means the lab x that is up."""
    if spec.name is None or spec != LabSpec(name=spec.name):
        return None
    with contextlib.suppress(BadInput):
        return find(spec.name)
    return None


def watch(name: str, job: Launch, lab: Lab | None, verbose: bool) -> Outcome:
    """Run a job to its end; progress and, if `verbose`, all that is said go to stderr."""
    with _progress_bar(name) as advance:
        return run_in(lab, job, advance, verbose)


def run_in(lab: Lab | None, job: Launch, advance: OnProgress | None, verbose: bool) -> Outcome:
    """Run a job to its end; a death is told by the name that its user has for a node."""
    echo = (lambda line: tell(line, end="")) if verbose else None
    names = {lab.address(i): f"n{i}" for i in range(lab.spec.nodes)} if lab else None
    return run_job(job, advance, echo, names)


def has_result(outcome: Outcome, file: pathlib.Path) -> bool:
    """Returns whether the job got as far as a result: 1 says that something in it is wrong."""
    return outcome.exit_code in (0, 1) and file.exists() and file.stat().st_size > 0


@contextlib.contextmanager
def _progress_bar(name: str) -> Iterator[OnProgress]:
    """A bar where stderr is a terminal, a line now and then where it is a file."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _progress_lines()
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(f"{name}: starting", total=None)

        def advance(fields: dict[str, object]) -> None:
            bar.update(task, total=fields.get("total"), completed=fields.get("done"),
                       description=plain(str(fields.get("label", ""))))  # fmt: skip

        yield advance


def _progress_lines() -> OnProgress:
    started = last = time.monotonic()

    def advance(fields: dict[str, object]) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 10.0:
            last = now
            done, total = fields.get("done"), fields.get("total")
            tell(f"{done}/{total} {fields.get('label', '')} ({now - started:.0f} s)")

    return advance


def complain(name: str, outcome: Outcome) -> None:
    """Raise the one line that says what went wrong."""
    death = outcome.death
    # mpiexec's own code may be another's where several ranks end at once on a busy machine.
    refused = outcome.exit_code == 2 or (death is not None and death.exit_code == 2)
    if refused and outcome.error_lines:
        raise BadInput(outcome.error_lines[0].removeprefix("plait: "))
    if death and death.signal is not None:
        raise JobFailed(f"{name} broke off: {death.sentence()}", 128 + death.signal)
    if outcome.launcher_signal is not None:
        number = outcome.launcher_signal
        raise JobFailed(
            f"{name} broke off: mpiexec was killed by signal {number} ({signal_name(number)})",
            128 + number,
        )
    said = outcome.error_lines[-1] if outcome.error_lines else None
    if outcome.exit_code == 2 and not death:
        raise BadInput(f"{name}: {said or first_words(outcome)}")
    if said is None:
        said = (
            death.sentence() if death else f"exit code {outcome.exit_code}, {first_words(outcome)}"
        )
    raise JobFailed(f"{name} broke off: {said}", max(outcome.exit_code, 3))


def first_words(outcome: Outcome) -> str:
    """Returns what the launcher said first."""
    spoken = [line for line in outcome.launcher_text.splitlines() if line.strip(" -=*")]
    return spoken[0] if spoken else "it said nothing; --verbose shows more"


def describe_lab(lab: Lab) -> dict[str, object]:
    """The cluster, for the result file, with what TCP has sent again since it came up."""
    counted = [counters(lab, index) for index in range(lab.spec.nodes)]
    return {
        "nodes": lab.spec.nodes,
        "rate_bps": lab.spec.rate_bps,
        "delay_s": lab.spec.delay_s,
        "cores": lab.node_cores,
        "subnet": lab.subnet,
        "mode": lab.mode,
        "segments_sent_again": sum(one["sent_again"] for one in counted),
        "timeouts": sum(one["timeouts"] for one in counted),
    }

# SPDX-License-Identifier: BSD-3-Clause
"""Noise beside a job: plait's program `noise` takes time from the cores that the ranks run on."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
from collections.abc import Iterator
from typing import Any

from plait.errors import BadInput, JobFailed
from plait.interrupts import uninterrupted
from plait.lab.state import Lab
from plait.programs import without_mpi
from plait.units import parse_duration, tick_text

_GRACE_S = 2.0


@dataclasses.dataclass(frozen=True)
class Noise:
    """Holds what is taken from each core: a burst of so much processor time in every period."""

    length_s: float
    period_s: float

    @classmethod
    def parse(cls, text: str) -> Noise:
        """`2.5ms/100ms`: LENGTH/PERIOD. The program refuses what it cannot make."""
        length_s, period_s = (parse_duration(word) for word in (*text.split("/", 1), "")[:2])
        if length_s is None or period_s is None:
            raise BadInput(f"--noise: '{text}' is not LENGTH/PERIOD; write 25us/1ms,10ms/100ms")
        return cls(length_s, period_s)

    @property
    def name(self) -> str:
        """Returns the noise as it is written on a command line."""
        return f"{_duration(self.length_s)}/{_duration(self.period_s)}"


def _duration(seconds: float) -> str:
    return tick_text(seconds).replace(" ", "").replace("µ", "u")


def find_noise() -> pathlib.Path:
    """Returns the program."""
    if program := without_mpi("network", "noise"):
        return program
    raise BadInput("plait's program noise is not built yet; from a checkout ./plait builds it")


@contextlib.contextmanager
def noise_beside(
    noise: Noise | None, lab: Lab | None, folder: pathlib.Path
) -> Iterator[dict[str, Any]]:
    """Takes time from the cores of a cluster's nodes meanwhile.

    Begins when threads of ordinary priority have counted on these cores, which must be idle, what
    is taken. Yields a dict that holds, after the block, the figures of the program.
    """
    taken: dict[str, Any] = {}
    if noise is None:
        yield taken
        return
    file = folder / "noise.json"
    process = _start(noise, _cores_of(lab), file)
    try:
        _wait_for_begin(process)
        yield taken
        taken.update(_end(process, noise, file))
    finally:
        with uninterrupted():
            _kill(process)


def _cores_of(lab: Lab | None) -> list[int]:
    """Returns the cores that ranks run on: of a node that is not pinned, all."""
    everywhere = os.sched_getaffinity(0)
    nodes = lab.node_cores if lab else [[]]
    return sorted(set().union(*(cores or everywhere for cores in nodes)))


def _start(noise: Noise, cores: list[int], file: pathlib.Path) -> subprocess.Popen[str]:
    command = [
        str(find_noise()), "--period", f"{1e6 * noise.period_s:.3f}us",
        "--length", f"{1e6 * noise.length_s:.3f}us", "--cores", ",".join(map(str, cores)),
        "--json", str(file), "--parent", str(os.getpid()),
    ]  # fmt: skip
    # A session of its own: out of a terminal's reach, and, where sessions share processors
    # evenly, one whose share may be raised.
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip


def _wait_for_begin(process: subprocess.Popen[str]) -> None:
    for line in process.stdout:
        if line == "ready\n":
            return
    said = process.stderr.read().strip().removeprefix("noise: ")
    raise BadInput(f"--noise: {said or 'the program noise said nothing'}")


def _end(process: subprocess.Popen[str], noise: Noise, file: pathlib.Path) -> dict[str, Any]:
    if process.poll() is not None:
        raise JobFailed(f"noise {noise.name} ended before the job did", 3)
    process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=noise.length_s + _GRACE_S)
    if process.returncode != 0 or not file.exists():
        raise JobFailed(f"noise {noise.name} left no figures", 3)
    return json.loads(file.read_text(encoding="utf-8"))


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        stream.close()

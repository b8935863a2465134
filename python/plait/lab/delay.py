# SPDX-License-Identifier: BSD-3-Clause
"""Delays of the links of a cluster: by the kernel's netem, else by a program of plait's own.

The program, `delay_line`, makes both ends of every link and carries the frames between them.
"""

import pathlib
import select
import subprocess

from plait.errors import BadInput
from plait.interrupts import uninterrupted
from plait.lab.inside import call, outer
from plait.lab.privilege import tool_environment
from plait.lab.state import Lab
from plait.programs import without_mpi

_START_S = 10.0


def kernel_delays(lab: Lab) -> bool:
    """Returns whether the kernel has netem, tried on the switch."""
    place = ["-n", lab.hub, "qdisc", "{}", "dev", "br0", "root", "netem", "delay", "1ms"]
    try:
        for word in ("add", "del"):
            call(lab, ["tc", *(part.format(word) for part in place)])
    except OSError:
        return False
    return True


def start_line(lab: Lab, links: list[str]) -> None:
    """Start the program; for each link the devices LINK and LINKx are in the hub when it returns.

    It runs in the hub until the cluster is taken down.
    """
    command = [
        *outer(lab), "ip", "netns", "exec", lab.hub, str(_program()),
        "--delay-us", f"{lab.spec.delay_s * 1e6:.3f}", *links,
    ]  # fmt: skip
    with uninterrupted():
        _start(command)


def _start(command: list[str]) -> None:
    started = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, env=tool_environment(), cwd="/",
    )  # fmt: skip
    with started.stdout as output, started.stderr as errors:
        if select.select([output], [], [], _START_S)[0] and output.readline().strip() == b"ready":
            return
        started.kill()
        said = errors.read().decode(errors="replace").strip().splitlines()
    raise BadInput(
        f"--lab: no delay of links here: {said[0] if said else 'delay_line said nothing'}"
    )


def _program() -> pathlib.Path:
    if program := without_mpi("network", "delay_line"):
        return program
    raise BadInput(
        "--lab: delay needs plait's delay_line, for this kernel has no netem; from a checkout"
        " ./plait builds it"
    )

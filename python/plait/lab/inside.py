# SPDX-License-Identifier: BSD-3-Clause
"""Builds the commands that enter a cluster's namespaces."""

from __future__ import annotations

import pathlib
import subprocess
from collections.abc import Sequence

from plait.errors import BadInput
from plait.interrupts import uninterrupted
from plait.lab.privilege import tool_environment
from plait.lab.state import Lab, alive


def outer(lab: Lab) -> list[str]:
    """Prefix of a command that is to see the cluster's namespaces by name."""
    if lab.mode == "root":
        return []
    if not alive(lab.holder):
        raise BadInput(f"lab '{lab.name}' is gone: its user namespace has ended")
    keep = ["--preserve-credentials", f"--wdns={pathlib.Path.cwd()}"]
    return ["nsenter", "-t", str(lab.holder[0]), "-U", "-m", "-n", *keep]


def enter(lab: Lab, namespace: str) -> list[str]:
    """Prefix of a command that is to run inside `namespace`, under that node's own host name."""
    return [*outer(lab), *into_space(lab, namespace)]


def into_space(lab: Lab, namespace: str) -> list[str]:
    """Prefix of a command inside `namespace` for a process that sees its cluster's namespaces."""
    host = namespace.removeprefix(lab.prefix)
    rename = ["unshare", "--uts", "sh", "-c", f'hostname {host} && exec "$@"', "sh"]
    return ["ip", "netns", "exec", namespace, *rename]


def pin(cores: Sequence[int]) -> list[str]:
    """Prefix of a command that is to keep to `cores`; nothing where there are none given."""
    return ["taskset", "-c", ",".join(map(str, cores))] if cores else []


def call(lab: Lab, command: Sequence[str], stdin: str | None = None) -> str:
    """Output of a command that sees the cluster's namespaces; `OSError` where it fails.

    An interrupt waits until it has ended, and then undoes what it made.
    """
    with uninterrupted():
        done = subprocess.run(
            [*outer(lab), *command],
            input=stdin, capture_output=True, check=False, env=tool_environment(),
            encoding="utf-8", errors="replace", start_new_session=True,  # out of a terminal's reach
        )  # fmt: skip
    if done.returncode:
        raise OSError(done.stderr.strip() or f"{command[0]} failed with status {done.returncode}")
    return done.stdout

# SPDX-License-Identifier: BSD-3-Clause
"""Bringing clusters up, finding them, and taking them down with all that runs in them."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from plait.errors import BadInput
from plait.interrupts import uninterrupted
from plait.lab import network, state
from plait.lab.agent import agent_script
from plait.lab.inside import call
from plait.lab.privilege import HOLDER_SCRIPT, lab_mode, tool_environment
from plait.lab.spec import LabSpec, deal_cores
from plait.lab.state import Lab


def bring_up(spec: LabSpec, *, kept: bool = False) -> Lab:
    """A new cluster; it belongs to this process, or is `kept` until `lab down`."""
    mode = lab_mode()
    me = state.identity(os.getpid())
    cores = deal_cores(sorted(os.sched_getaffinity(0)), spec.nodes, spec.cores)
    with state.locked():
        _remove_stale_locked()
        name, subnet = _choose(spec, state.load_all())
        lab = Lab(name, spec, mode, subnet, cores, None if kept else me, me)
        lab.save()
    try:
        if mode == "user":
            with uninterrupted():
                lab.holder = _hold_user_namespace()
                lab.save()
        network.build(lab)
        lab.agent.write_text(agent_script(lab))
        lab.agent.chmod(0o700)
        lab.ready = True
        lab.save()
    except BaseException as error:
        take_down(lab)
        if isinstance(error, OSError):
            raise BadInput(f"lab '{name}' cannot be built: {error}") from error
        raise
    return lab


def take_down(lab: Lab) -> None:
    """Kill what runs in the cluster, by process id, and remove it; it may be half built."""
    spaces = [name for name in _namespaces(lab) if name.startswith(lab.prefix)]
    _kill_inside(lab, spaces)
    for name in spaces:
        with contextlib.suppress(OSError):
            call(lab, ["ip", "netns", "del", name])
    if state.alive(lab.holder):
        os.kill(lab.holder[0], signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(lab.holder[0], 0)
    lab.forget()


def remove_stale() -> list[str]:
    """Remove clusters whose run has died or that were never finished; their names."""
    with state.locked():
        return _remove_stale_locked()


def list_labs() -> list[Lab]:
    """Clusters of this user that are up."""
    return [lab for lab in state.load_all() if lab.ready and lab.in_use]


def find(name: str | None) -> Lab:
    """The cluster of that name, or the only one."""
    labs = list_labs()
    if name is not None:
        labs = [lab for lab in labs if lab.name == name]
    if not labs:
        raise BadInput(
            f"no lab named '{name}' is up" if name else "no lab is up; try `plait lab up`"
        )
    if len(labs) > 1:
        raise BadInput(f"several labs are up; name one: {', '.join(lab.name for lab in labs)}")
    return labs[0]


def _choose(spec: LabSpec, labs: list[Lab]) -> tuple[str, str]:
    names = {lab.name for lab in labs}
    subnets = {lab.subnet: lab.name for lab in labs}
    if spec.name in names:
        raise BadInput(
            f"a lab named '{spec.name}' is up already; `plait lab down {spec.name}` removes it"
        )
    if spec.subnet in subnets:
        raise BadInput(f"subnet {spec.subnet} is in use by lab '{subnets[spec.subnet]}'")
    for index in range(1, 255):
        subnet = spec.subnet or f"10.87.{index}.0/24"
        name = spec.name or f"lab{index}"
        taken = name in names or subnet in subnets
        if not taken and not _name_in_use(name):
            return name, subnet
        if spec.name and not taken:
            raise BadInput(
                f"namespaces named plait-{name}-… are in use, and not by a lab of this user"
            )
    raise BadInput("no free name or subnet for another lab; see `plait lab status`")


def _name_in_use(name: str) -> bool:
    """Namespaces of that name that no state file of ours knows."""
    if lab_mode() != "root":
        return False
    return any(pathlib.Path("/run/netns").glob(f"plait-{name}-*"))


def _remove_stale_locked() -> list[str]:
    stale = [lab for lab in state.load_all() if not lab.in_use]
    for lab in stale:
        take_down(lab)
    return [lab.name for lab in stale]


def _hold_user_namespace() -> list[int]:
    """Start the process that keeps a user namespace with a private /run/netns alive."""
    holder = subprocess.Popen(
        ["unshare", "-Urnm", "sh", "-c", HOLDER_SCRIPT + "echo ready; exec sleep infinity"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True, env=tool_environment(), cwd="/",
    )  # fmt: skip
    with holder.stdout as output:
        if output.readline().strip() != b"ready":
            raise OSError("the user namespace did not start")
    known = state.identity(holder.pid)
    if known is None:
        raise OSError("the user namespace ended at once")
    return known


def _namespaces(lab: Lab) -> list[str]:
    try:
        return [line.split()[0] for line in call(lab, ["ip", "netns", "list"]).splitlines() if line]
    except (OSError, BadInput):
        return []


def _kill_inside(lab: Lab, spaces: list[str]) -> None:
    """SIGTERM, a short grace, SIGKILL: each process by its id."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        pids = _pids(lab, spaces)
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        deadline = time.monotonic() + 1.0
        while time.monotonic() < deadline and _pids(lab, spaces):
            time.sleep(0.02)


def _pids(lab: Lab, spaces: list[str]) -> list[int]:
    """Processes in the cluster's network namespaces, as /proc tells them apart."""
    mine = set()
    base = f"/proc/{lab.holder[0]}/root" if lab.holder else ""
    for name in spaces:
        with contextlib.suppress(OSError):
            mine.add(pathlib.Path(f"{base}/run/netns/{name}").stat().st_ino)
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                space = pathlib.Path(entry.path, "ns/net").stat().st_ino
                if space in mine and state.identity(int(entry.name)):
                    found.append(int(entry.name))
    return found

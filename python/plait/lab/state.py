# SPDX-License-Identifier: BSD-3-Clause
"""Says what is known about clusters that are up: one JSON file each, private to the user."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import stat
import tempfile
from collections.abc import Iterator

from plait.errors import BadInput
from plait.lab.spec import LabSpec
from plait.proc import runs, stat_fields


@dataclasses.dataclass
class Lab:
    """A cluster that is up, or was being built."""

    name: str
    spec: LabSpec
    mode: str  # "root" or "user" (inside a user namespace)
    subnet: str
    node_cores: list[list[int]]
    owner: (
        list[int] | None
    )  # [pid, start time] of the run it belongs to; None: kept until `lab down`
    builder: list[int]
    holder: list[int] | None = None  # the process that keeps a user namespace alive
    ready: bool = False

    @property
    def prefix(self) -> str:
        """Returns what all its namespaces start with."""
        return f"plait-{self.name}-"

    def node(self, index: int | str) -> str:
        """Namespace of node `index`."""
        return f"{self.prefix}n{index}"

    @property
    def hub(self) -> str:
        """Namespace of the switch."""
        return f"{self.prefix}hub"

    @property
    def head(self) -> str:
        """Namespace in which mpiexec runs."""
        return f"{self.prefix}head"

    @property
    def namespaces(self) -> list[str]:
        """All of them."""
        return [self.hub, self.head, *(self.node(i) for i in range(self.spec.nodes))]

    def address(self, index: int) -> str:
        """Address of node `index`."""
        return self.subnet.removesuffix("0/24") + str(index + 1)

    @property
    def head_address(self) -> str:
        """Address of the head."""
        return self.subnet.removesuffix("0/24") + "254"

    @property
    def file(self) -> pathlib.Path:
        """Returns the file that keeps this state."""
        return state_folder() / f"{self.name}.json"

    @property
    def agent(self) -> pathlib.Path:
        """The launcher agent made for this cluster."""
        return state_folder() / f"{self.name}.agent"

    def save(self) -> None:
        """Write the state file in one step."""
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n")
        part.rename(self.file)

    def forget(self) -> None:
        """Remove its files."""
        self.agent.unlink(missing_ok=True)
        self.file.unlink(missing_ok=True)

    @property
    def in_use(self) -> bool:
        """Returns whether somebody still wants it: its run lives, or it is kept and whole."""
        if not self.ready:
            return alive(self.builder)
        if self.mode == "user" and not alive(self.holder):
            return False
        if self.mode == "root" and not pathlib.Path("/run/netns", self.hub).exists():
            return False
        return self.owner is None or alive(self.owner)


def load_all() -> list[Lab]:
    """Every cluster of this user, stale ones included; an unreadable file is removed."""
    labs = []
    for file in sorted(state_folder().glob("*.json")):
        try:
            fields = json.loads(file.read_text(encoding="utf-8"))
            labs.append(Lab(**{**fields, "spec": LabSpec(**fields["spec"])}))
        except FileNotFoundError:
            continue
        except (ValueError, TypeError, KeyError):
            file.unlink(missing_ok=True)
    return labs


def state_folder() -> pathlib.Path:
    """A folder of the user's own from which programs can be started (the agent is one)."""
    uid = os.geteuid()
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    candidates = [pathlib.Path(tempfile.gettempdir(), f"plait-{uid}")]
    if uid == 0:
        candidates.insert(0, pathlib.Path("/run/plait"))
    elif runtime:
        candidates.insert(0, pathlib.Path(runtime, "plait"))
    for folder in candidates:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            mine = stat.S_ISDIR(found.st_mode) and found.st_uid == uid and not found.st_mode & 0o022
            if mine and not os.statvfs(folder).f_flag & os.ST_NOEXEC:
                return folder
    raise BadInput(
        f"no folder for the lab's state: {' and '.join(map(str, candidates))} cannot be used"
    )


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """One command at a time chooses names and removes what is stale."""
    with open(state_folder() / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def identity(pid: int) -> list[int] | None:
    """[pid, start time]: a process that cannot be mistaken for a later one of the same number."""
    fields = stat_fields(pid)
    return [pid, int(fields[19])] if runs(fields) else None


def alive(process: list[int] | None) -> bool:
    """Returns whether that very process still runs."""
    return process is not None and identity(process[0]) == process

# SPDX-License-Identifier: BSD-3-Clause
"""Says what launchers print when something ends badly: the one fact in it, without the banners."""

from __future__ import annotations

import dataclasses
import json
import re
import signal

_RULE = re.compile(r"^(-{20,}|={20,}|\*{20,})\s*$")
_CHATTER = re.compile(
    r"^\[(mpiexec|proxy:)[^\]]*\]"  # Hydra's own log
    r"|^\[[^\]]+:\d+\] "  # Open MPI's own log, and stack traces
    r"|^\[warn\] "  # of libevent, when a rank ends while mpiexec listens to it
    r"|^(mpiexec|mpirun|ORTE|PRTE)\b"
    r"|^YOUR APPLICATION TERMINATED|^This typically refers|^Please see the FAQ"
    r"|^=   |^\*\*\* |^application called MPI_Abort|^Abort\(\d+\) on node"
)
_OPENMPI_SIGNAL = re.compile(
    r"process rank (?P<rank>\d+) with PID \d+ on node (?P<node>\S+)"
    r"\s+exited on\s+signal (?P<signal>\d+)"
)
_OPENMPI_EXIT = re.compile(
    r"Process name: \[\[\d+,\d+\],(?P<rank>\d+)\]\s+Exit code:\s+(?P<code>\d+)"
)
_OPENMPI_ABORT = re.compile(
    r"MPI_ABORT was invoked on rank (?P<rank>\d+).*?errorcode (?P<code>-?\d+)", re.S
)
_HYDRA_END = re.compile(r"PID \d+ RUNNING AT (?P<node>\S+)\s*\n=\s+EXIT CODE: (?P<code>\d+)")
_FATAL = {signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGKILL,
          signal.SIGSEGV, signal.SIGTERM}  # fmt: skip
_HYDRA_SIGNAL = re.compile(r"EXIT STRING: .*?\(signal (?P<signal>\d+)\)")


@dataclasses.dataclass(frozen=True)
class Death:
    """Holds the rank that died, its node and its signal or code, as far as the launcher told."""

    rank: int | None = None
    node: str | None = None
    signal: int | None = None
    exit_code: int | None = None

    def sentence(self) -> str:
        """One line for the user."""
        who = f"rank {self.rank}" if self.rank is not None else "a rank"
        where = f" on node {self.node}" if self.node else ""
        if self.signal is not None:
            return f"{who}{where} was killed by signal {self.signal} ({signal_name(self.signal)})"
        return f"{who}{where} ended with exit code {self.exit_code}"


def signal_name(number: int) -> str:
    """SIGKILL and the like."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown signal"


def find_death(text: str, node_names: dict[str, str] | None = None) -> Death | None:
    """Returns what the launcher's messages say about the first rank that ended badly."""
    names = node_names or {}
    if match := _OPENMPI_SIGNAL.search(text):
        return Death(
            int(match["rank"]), names.get(match["node"], match["node"]), int(match["signal"])
        )
    if match := _OPENMPI_ABORT.search(text):
        return Death(int(match["rank"]), exit_code=int(match["code"]))
    if match := _OPENMPI_EXIT.search(text):
        return Death(int(match["rank"]), exit_code=int(match["code"]))
    if match := _HYDRA_END.search(text):
        node = names.get(match["node"], match["node"])
        if named := _HYDRA_SIGNAL.search(text):
            return Death(None, node, int(named["signal"]))
        code = int(match["code"])
        # Without the exit string, Hydra's code is a raw wait status: most likely a signal.
        if code in _FATAL:
            return Death(None, node, code)
        return Death(None, node, exit_code=code)
    return None


class StreamFilter:
    """Sorts a job's output into progress, the launcher's banners and the program's own."""

    def __init__(self) -> None:
        self.launcher_lines: list[str] = []
        self.program_lines: list[str] = []
        self._in_banner = False

    @property
    def launcher_text(self) -> str:
        """All that the launcher said."""
        return "\n".join(self.launcher_lines)

    def take(self, line: str) -> dict[str, object] | None:
        """File a line away; a progress line is returned as its fields."""
        line = line.rstrip("\n")
        if line.startswith("@progress "):
            try:
                fields = json.loads(line.removeprefix("@progress "))
            except ValueError:
                return None
            return fields if isinstance(fields, dict) else None
        if _RULE.match(line):
            self.launcher_lines.append(line)
            # Hydra marks every line of its banner; Open MPI only the first and the last.
            self._in_banner = not self._in_banner and line.startswith("-")
        elif self._in_banner or _CHATTER.search(line):
            self.launcher_lines.append(line)
        elif line.strip():
            self.program_lines.append(line)
        return None

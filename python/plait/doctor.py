# SPDX-License-Identifier: BSD-3-Clause
"""Says what this machine lacks for plait, and what follows from it.

Needs nothing but Python itself: `./plait doctor` installs and builds nothing.
"""

import contextlib
import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable

from plait.errors import BadInput
from plait.lab.privilege import lab_mode, tool_environment
from plait.launch.mpi import single_copy_works
from plait.needed import missing
from plait.packages import BY_NAME, OF_MPI, names_everywhere, of_part
from plait.units import size_text

_WIDTH = 80
_LEAST_GCC, _LEAST_CMAKE = (12,), (3, 25)
_LEAST_SHARED_MEMORY = 256 << 20
_SHARED_MEMORY = pathlib.Path("/dev/shm")
_SAID_APART = {"g++", "cmake", *OF_MPI["openmpi"], *OF_MPI["mpich"]}


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that plait needs of a machine, or that its user has to know."""

    about: str
    found: str
    follows: str = ""  # from what is lacking, or from what is as it is
    lacks: bool = False


def findings() -> list[Finding]:
    """Looks at everything."""
    return [_compiler(), _build_tools(), *_packages(), *(look() for look in _LOOKS)]


def _compiler() -> Finding:
    version = _version(["g++", "-dumpfullversion"])
    follows = f"nothing can be built: plait takes g++ 12 or newer; {names_everywhere(['g++'])}"
    return _needed("compiler", version >= _LEAST_GCC, f"g++ {_text(version)}", follows)


def _build_tools() -> Finding:
    cmake, ninja = _version(["cmake", "--version"]), _version(["ninja", "--version"])
    found = f"cmake {_text(cmake)}, ninja {_text(ninja)}"
    follows = (
        "nothing but attach can be built without ninja"
        if cmake >= _LEAST_CMAKE
        else f"nothing can be built: plait takes cmake 3.25 or newer; {names_everywhere(['cmake'])}"
    )
    return _needed("build tools", cmake >= _LEAST_CMAKE and bool(ninja), found, follows)


def _packages() -> list[Finding]:
    """Looks for all that a checkout is built with, but for what has a line of its own."""
    absent = [name for name in missing(of_part("all")) if name not in _SAID_APART]
    if not absent:
        return [Finding("libraries and tools", "all that a checkout is built with is there")]
    return [Finding(name, "not here", f"{BY_NAME[name].without}; {names_everywhere([name])}", True)
            for name in absent]  # fmt: skip


def _mpi(name: str, mpi: str, packages: tuple[str, ...]) -> Finding:
    version = _version([f"mpiexec.{mpi}", "--version"])
    headers = shutil.which(f"mpicc.{mpi}") is not None
    found = f"mpiexec {_text(version)}" + ("" if headers else ", no mpicc")
    follows = (
        f"--mpi {mpi} does not run" if not version else "no program can be built with it"
    ) + f"; --mpi takes the folder of another, too. {names_everywhere(packages)}"
    return _needed(name, bool(version) and headers, found, follows)


def _root() -> Finding:
    if os.geteuid() != 0:
        return Finding("user", "not root")
    return Finding(
        "user", "root",
        "Open MPI's mpiexec refuses root; plait allows it, your own calls need"
        " --allow-run-as-root",
    )  # fmt: skip


def _cluster() -> Finding:
    try:
        mode = lab_mode()
    except BadInput as reason:
        return Finding(
            "emulated cluster", "not possible",
            f"{reason}; --lab does not run, and on shared memory messages cost little", True,
        )  # fmt: skip
    how = "as root" if mode == "root" else "in a user namespace"
    return Finding("emulated cluster", f"possible, {how}")


def _delay() -> Finding:
    """Returns whether a link of the cluster can be given a delay."""
    script = "ip link add ptry0 type bridge && tc qdisc add dev ptry0 root netem delay 1ms"
    for options in ("-nm", "-Urnm"):
        if _runs(["unshare", options, "sh", "-c", script]):
            return Finding("delay of links", "possible")
    with contextlib.suppress(OSError):
        os.close(os.open("/dev/net/tun", os.O_RDWR))
        how = "by plait's delay line: this kernel has no netem"
        return Finding("delay of links", "possible", how)
    return Finding(
        "delay of links", "no netem in this kernel, and no /dev/net/tun",
        "--lab delay=… does not run", True,
    )  # fmt: skip


def _cores() -> Finding:
    cores = len(os.sched_getaffinity(0))
    found = f"{cores} core{'s' if cores != 1 else ''}"
    if cores < 2:
        follows = "ranks take turns on one core: times say nothing about overlap"
        return Finding("cores", found, follows, True)
    if cores < 4:
        follows = "more than 2 ranks or workers share cores, and no core is free for a proxy"
        return Finding("cores", found, follows)
    return Finding("cores", found)


def _memory_of_others() -> Finding:
    follows = "messages on shared memory are copied twice; Open MPI is told so"
    if single_copy_works():
        return Finding("process_vm_readv", "allowed")
    return Finding("process_vm_readv", "forbidden", follows, True)


def _shared_memory() -> Finding:
    try:
        status = os.statvfs(_SHARED_MEMORY)
    except OSError:
        return Finding("shared memory", f"no {_SHARED_MEMORY}", "ranks cannot share memory", True)
    free = status.f_bavail * status.f_frsize
    follows = (
        "ranks that exchange large messages on one host may fail; a container takes --shm-size"
    )
    found = f"{size_text(free)} free in {_SHARED_MEMORY}"
    return _needed("shared memory", free >= _LEAST_SHARED_MEMORY, found, follows)


def _perf() -> Finding:
    follows = "no profile of a rank by `perf record`; plait's own figures do not need it"
    if not shutil.which("perf"):
        return Finding("perf", "not installed", follows, True)
    if _runs(["perf", "stat", "-e", "task-clock", "true"]):
        return Finding("perf", "works")
    return Finding("perf", "may not count here (kernel.perf_event_paranoid)", follows, True)


_LOOKS: tuple[Callable[[], Finding], ...] = (
    functools.partial(_mpi, "Open MPI", "openmpi", OF_MPI["openmpi"]),
    functools.partial(_mpi, "MPICH", "mpich", OF_MPI["mpich"]),
    _root, _cores, _cluster, _delay, _shared_memory, _memory_of_others, _perf,
)  # fmt: skip


def _needed(about: str, there: bool, found: str, follows: str) -> Finding:
    return Finding(about, found, "" if there else follows, not there)


def _version(command: list[str]) -> tuple[int, ...]:
    """The first version that a program tells; empty where it does not run."""
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=20,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ()
    match = re.search(r"\d+(\.\d+)+|^\d+$", done.stdout + done.stderr, re.MULTILINE)
    return tuple(map(int, match[0].split("."))) if match else ()


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version)) or "not installed"


def _runs(command: list[str]) -> bool:
    try:
        done = subprocess.run(
            command, env=tool_environment(), capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def report(found: list[Finding]) -> list[str]:
    """Returns a line per finding, what follows from it below, and a last line that sums up."""
    width = max(len(one.about) for one in found)
    lines = []
    for one in found:
        lines.append(f"{'lacks' if one.lacks else 'ok':<5}  {one.about:<{width}}  {one.found}")
        indent = " " * (width + 9)
        lines += textwrap.wrap(one.follows, _WIDTH, initial_indent=indent,
                               subsequent_indent=indent, break_on_hyphens=False)  # fmt: skip
    lacking = [one.about for one in found if one.lacks]
    return [*lines, f"lacking: {', '.join(lacking)}" if lacking else "nothing is lacking"]


def main() -> int:
    """Prints what was found; 1 where something is lacking."""
    found = findings()
    print("\n".join(report(found)))
    return int(any(one.lacks for one in found))


if __name__ == "__main__":
    sys.exit(main())

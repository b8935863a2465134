# SPDX-License-Identifier: BSD-3-Clause
"""The command lines and environments of Open MPI's and MPICH's mpiexec, and of Slurm's srun."""

from __future__ import annotations

import ctypes
import ctypes.util
import dataclasses
import functools
import os
import pathlib
import shlex
import shutil
from collections.abc import Sequence

from plait.errors import BadInput
from plait.lab.inside import enter, into_space
from plait.lab.privilege import tool_environment
from plait.lab.state import Lab
from plait.launch import library

LAUNCHERS = ("mpiexec", "srun")
LAB_BY_SRUN = "--lab: an emulated cluster is on this machine alone, where srun starts nothing"
# By which the libraries' ranks find each other under Slurm; Slurm's own SLURM_MPI_TYPE overrides.
_SLURM_MPI = {"openmpi": "pmix", "mpich": "pmi2", "abi": "pmi2"}


@dataclasses.dataclass(frozen=True)
class Launch:
    """A command line with its environment."""

    argv: list[str]
    environment: dict[str, str]
    # It has done its work when this file is there: a library that then does not come back from
    # MPI_Finalize is not waited for.
    last_words: pathlib.Path | None = None
    # Ranks may be on other machines, which have no folders of this one.
    is_elsewhere: bool = False
    # What ranks write goes to this process's own streams, past plait.
    keeps_streams: bool = False


def uses_srun() -> bool:
    """Returns whether Slurm's srun starts the ranks; `PLAIT_LAUNCHER` and `--launcher` say so."""
    name = os.environ.get("PLAIT_LAUNCHER") or LAUNCHERS[0]
    if name not in LAUNCHERS:
        raise BadInput(f"PLAIT_LAUNCHER is {name}; it can be {' or '.join(LAUNCHERS)}")
    return name == "srun"


def find_launcher(mpi: str) -> str:
    """The program that starts the ranks; refuses where it is not installed."""
    if not uses_srun():
        return find_mpiexec(mpi)
    found = shutil.which("srun")
    if found is None:
        raise BadInput("srun is not installed; it is Slurm's, and starts ranks where Slurm runs")
    return found


def find_mpiexec(mpi: str) -> str:
    """The mpiexec of that library; `PLAIT_MPIEXEC` overrides it."""
    kind = library.kind_of(mpi)
    name = os.environ.get("PLAIT_MPIEXEC") or _own_mpiexec(mpi)
    found = shutil.which(name)
    if found is None and kind == "abi":
        raise BadInput(f"{name} is not installed; PLAIT_MPIEXEC names that of an MPI library with"
                       " libmpi_abi.so")  # fmt: skip
    if found is None:
        raise BadInput(
            f"{name} is not installed; Debian has it in package {library.PACKAGES[kind]}"
        )
    # Open MPI takes the folder above for its own, and / for none: /bin may lead to /usr/bin.
    path = pathlib.Path(found)
    return str(path.parent.resolve() / path.name)


def _own_mpiexec(mpi: str) -> str:
    """Returns its name; of the standard ABI that of the library which the user has put first."""
    if mpi == "abi":
        root = os.environ.get("PLAIT_MPI_ABI_ROOT")
        return str(pathlib.Path(root) / "bin/mpiexec") if root else "mpiexec"
    if mpi not in library.NAMES:
        return str(library.folder_of(mpi) / "bin/mpiexec")
    of_path = shutil.which("mpiexec")
    if of_path is None or shutil.which(f"mpiexec.{mpi}") is not None:
        return f"mpiexec.{mpi}"
    is_its = library.installed_in(pathlib.Path(of_path).resolve().parent) == mpi  # no Debian
    return of_path if is_its else f"mpiexec.{mpi}"


def launch(
    mpi: str, ranks: int, program: Sequence[str], lab: Lab | None = None, is_foreign: bool = False
) -> Launch:
    """Returns the start of `ranks` processes of `program`, in `lab` where one is given.

    A foreign program is none of plait's own: nothing is known of the way its ranks connect.
    """
    inner, settings = _starting(mpi, ranks, program, lab, is_foreign)
    outer = enter(lab, lab.head) if lab else []
    return Launch([*outer, *inner], {**tool_environment(), **settings}, is_elsewhere=uses_srun())


def line_of_rank(mpi: str, ranks: int, program: Sequence[str], lab: Lab | None = None) -> str:
    """Returns the line of a shell by which a rank starts a job of `ranks` processes of its own.

    The rank passes on nothing of its own launcher's environment. A rank in `lab` is in the
    cluster's namespaces already; the program is foreign to it.
    """
    inner, settings = _starting(mpi, ranks, program, lab, is_foreign=lab is not None)
    if lab is not None:
        inner = [*into_space(lab, lab.head), *inner]
    return "exec " + shlex.join(["env", *(f"{k}={v}" for k, v in settings.items()), *inner])


def _starting(
    mpi: str, ranks: int, program: Sequence[str], lab: Lab | None, is_foreign: bool = False
) -> tuple[list[str], dict[str, str]]:
    """Returns the command line inside a lab, and what its environment has beside the caller's."""
    if uses_srun():
        if lab is not None:
            raise BadInput(LAB_BY_SRUN)
        argv, settings = _srun(mpi, ranks)
    else:
        make = {"openmpi": _openmpi, "mpich": _mpich, "abi": _mpich}[library.kind_of(mpi)]
        argv, settings = make(find_mpiexec(mpi), ranks, lab, is_foreign)
    # mpiexec ends with its parent, however that one ends.
    return ["setpriv", "--pdeathsig", "TERM", *argv, *program], settings


def launch_alone(program: Sequence[str]) -> Launch:
    """Returns the start of one process without mpiexec."""
    return Launch(["setpriv", "--pdeathsig", "TERM", *program], tool_environment())


def _srun(mpi: str, ranks: int) -> tuple[list[str], dict[str, str]]:
    """Returns the start of a step, in the job around it or in one of its own.

    Slurm's own variables say the rest: SLURM_PARTITION, SLURM_TIMELIMIT, SBATCH_ACCOUNT.
    """
    argv = [find_launcher(mpi), "-n", str(ranks), "--kill-on-bad-exit=1"]
    if "SLURM_MPI_TYPE" not in os.environ:
        argv.append(f"--mpi={_SLURM_MPI[library.kind_of(mpi)]}")
    return argv, {}


def _openmpi(
    mpiexec: str, ranks: int, lab: Lab | None, is_foreign: bool
) -> tuple[list[str], dict[str, str]]:
    settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    argv = [mpiexec, "--bind-to", "none", "-n", str(ranks)]
    prrte = _is_prrte(mpiexec)
    if lab is None:
        argv[1:1] = ["--map-by", ":OVERSUBSCRIBE"] if prrte else ["--oversubscribe"]
        if not single_copy_works():
            settings["OMPI_MCA_btl_vader_single_copy_mechanism"] = "none"
        return argv, settings
    hosts = host_slots(lab, ranks)
    mca = {
        "btl": f"tcp,{'sm' if prrte else 'vader'},self" if _several_per_node(hosts) else "tcp,self",
        "btl_tcp_if_include": lab.subnet,
        # The receiver's request for a message waits behind the data going the other way if there is
        # one socket per pair of ranks, or if a message is put whole.  Large messages both ways then
        # get half the link's rate each: 2 MiB both ways at 1 Gbit/s take 34 ms, or 18 ms with these
        # settings.  With two sockets, ranks that connect to each other at the same time may lose
        # what they send (github.com/open-mpi/ompi/pull/4247): four ranks in a row that exchange
        # 512 KiB wait for ever, and so do two whose first long messages cross.
        "btl_tcp_links": "2" if ranks == 2 and not is_foreign else "1",
        "btl_tcp_flags": "1",
        "pml": "ob1",
    }
    for key, value in mca.items():
        argv += ["--mca", key, value]
    if prrte:
        argv += ["--prtemca", "plm_ssh_agent", str(lab.agent)]
        argv += ["--prtemca", "prte_if_include", lab.subnet]
    else:
        argv += ["--mca", "plm_rsh_agent", str(lab.agent)]
        argv += ["--mca", "oob_tcp_if_include", lab.subnet]
    return [*argv, "--host", _host_list(hosts)], settings


def _is_prrte(mpiexec: str) -> bool:
    """Returns whether this is the launcher of Open MPI 5, PRRTE, which has options of its own."""
    return (pathlib.Path(mpiexec).resolve().parent / "prterun").exists()


def _mpich(
    mpiexec: str, ranks: int, lab: Lab | None, _is_foreign: bool
) -> tuple[list[str], dict[str, str]]:
    argv = [mpiexec, "-n", str(ranks)]
    # UCX takes SIGHUP for a wish to debug: the rank would live on.
    settings = {"UCX_DEBUG_SIGNO": "0"}
    if lab is None:
        return argv, settings
    hosts = host_slots(lab, ranks)
    argv += ["-launcher", "ssh", "-launcher-exec", str(lab.agent)]
    argv += ["-localhost", lab.head_address, "-iface", "eth0", "-hosts", _host_list(hosts)]
    settings |= {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "FI_PROVIDER": "tcp"}
    # Intel MPI's reads no counts beside hosts, and binds ranks to cores of other nodes.
    settings |= {"I_MPI_PERHOST": str(max(count for _, count in hosts)), "I_MPI_PIN": "off"}
    if not _several_per_node(hosts):
        settings["MPIR_CVAR_NOLOCAL"] = "1"
    return argv, settings


def host_slots(lab: Lab, ranks: int) -> list[tuple[str, int]]:
    """Addresses with their number of ranks: dealt evenly, in blocks."""
    nodes = lab.spec.nodes
    counts = [ranks // nodes + (node < ranks % nodes) for node in range(nodes)]
    return [(lab.address(node), count) for node, count in enumerate(counts) if count]


def _host_list(hosts: Sequence[tuple[str, int]]) -> str:
    return ",".join(f"{address}:{count}" for address, count in hosts)


def _several_per_node(hosts: Sequence[tuple[str, int]]) -> bool:
    return any(count > 1 for _, count in hosts)


@functools.cache
def single_copy_works() -> bool:
    """Returns whether one process may read another's memory; containers often forbid it.

    Open MPI's shared memory transport complains in every message where it may not.
    """

    class Span(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    libc = ctypes.CDLL(None, use_errno=True)
    source, target = ctypes.create_string_buffer(b"plait"), ctypes.create_string_buffer(8)
    pid = os.fork()
    if pid == 0:
        while True:
            libc.pause()
    try:
        remote, local = Span(ctypes.addressof(source), 5), Span(ctypes.addressof(target), 5)
        read = libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
        return bool(read == 5)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)

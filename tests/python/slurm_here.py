# SPDX-License-Identifier: BSD-3-Clause
"""A cluster of Slurm with one node, this machine, which ends with the tests that use it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator

from plait.lab.privilege import tool_path

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel")
_READY_S = 20.0
_CONFIGURATION = """\
ClusterName=plait
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=1000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=YES
"""


def why_not() -> str | None:
    """Returns why no cluster can be started here; None: one can."""
    lacking = [name for name in PROGRAMS if shutil.which(name, path=tool_path()) is None]
    if lacking:
        return f"{lacking[0]} is not installed; Debian has it in package slurm-wlm"
    return None if os.geteuid() == 0 else "Slurm's daemons are started by root alone"


@contextlib.contextmanager
def slurm(folder: pathlib.Path) -> Iterator[dict[str, str]]:
    """Starts the daemons, with all they write in `folder`; yields what its users' environment has.

    Errors: RuntimeError with the daemons' last words.
    """
    for name in ("munge", "state", "spool"):
        (folder / name).mkdir(mode=0o700)
    key = folder / "munge/key"
    key.write_bytes(os.urandom(64))
    key.chmod(0o400)
    file = folder / "slurm.conf"
    controller, daemon = _free_ports()
    file.write_text(_CONFIGURATION.format(
        host=socket.gethostname(), folder=folder, controller=controller, daemon=daemon
    ))  # fmt: skip
    environment = {**os.environ, "PATH": tool_path(), "SLURM_CONF": str(file)}
    munge = [f"--{name}={folder}/munge/{name}" for name in ("socket", "pid-file", "log-file")]
    started = []
    try:
        for command in (
            ["munged", "--force", "--foreground", f"--key-file={key}",
             f"--seed-file={folder}/munge/seed", *munge],
            ["slurmctld", "-D"],
            ["slurmd", "-D"],
        ):  # fmt: skip
            with (folder / f"{command[0]}.said").open("w") as said:
                started.append(subprocess.Popen(
                    command, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
                ))  # fmt: skip
        _wait_until_idle(folder, environment)
        yield environment
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _wait_until_idle(folder: pathlib.Path, environment: dict[str, str]) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        done = subprocess.run(
            ["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True,
            check=False, timeout=_READY_S,
        )  # fmt: skip
        if done.stdout.strip() == "idle":
            return
        time.sleep(0.1)
    said = [file.read_text()[-500:] for file in (*folder.glob("*.log"), *folder.glob("*.said"))]
    raise RuntimeError("Slurm did not start:\n" + "\n".join(said))

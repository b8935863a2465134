# SPDX-License-Identifier: BSD-3-Clause
"""Helps the tests of applications: starts one on some ranks, checks ledgers, timelines and refusals.

    run_NAME.py --mpi MPI --mpiexec MPIEXEC --program PROGRAM --ranks N result|refusal -- ARGUMENT…
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from result_files import read_result

__all__ = ["KINDS", "check", "check_device_bound", "check_ledger", "check_timeline", "launch", "main", "read_result", "value_of"]

SPENT = ("compute_s", "posting_s", "exposed_s", "overhead_s", "idle_s")
KINDS = {"compute", "posting", "exposed", "overhead", "idle", "message"}
ALLOWED_IMBALANCE = 0.01
MAX_SHOWN = 5


def check(condition: bool, complaint: str) -> None:
    if not condition:
        sys.exit(f"failed: {complaint}")


def value_of(option: str, arguments: list[str], default: str) -> str:
    """Returns what an option is given."""
    return arguments[arguments.index(option) + 1] if option in arguments else default


def launch(options: argparse.Namespace, arguments: list[str]) -> subprocess.CompletedProcess:
    mpirun = Path(__file__).parent / "mpirun"
    command = [mpirun, options.mpi, options.mpiexec, str(options.ranks), options.program]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


def check_ledger(name: str, variant: dict, ranks: Sequence[int]) -> None:
    ledger = variant["ledger"]
    check({row["rank"] for row in ledger} == set(ranks), f"{name}: a ledger row per rank")
    for row in ledger:
        spent = sum(row[part] for part in SPENT)
        error = abs(spent - row["wall_s"]) / row["wall_s"]
        check(error <= ALLOWED_IMBALANCE, f"{name}: the ledger does not balance: {row}")
        check(min(row[part] for part in SPENT) >= 0, f"{name}: negative time: {row}")


def check_timeline(name: str, events: list[dict], ranks: Sequence[int]) -> None:
    check(bool(events), f"{name}: no events in the timeline")
    check({e["kind"] for e in events} <= KINDS, f"{name}: unknown kinds in the timeline")
    computing = {e["rank"] for e in events if e["kind"] == "compute"}
    check(computing == set(ranks), f"{name}: only ranks {computing} compute in the timeline")
    backwards = [e for e in events if e["end_us"] < e["start_us"]]
    check(not backwards, f"{name}: events end before they start: {backwards[:MAX_SHOWN]}")
    ways = {e.get("sent") for e in events if e["kind"] == "message" and e["lane"] != "held"}
    check(None not in ways, f"{name}: a message of which nobody knows who sends it")
    # Of tasks in another language the kernel is known, which is C++'s.
    without = ("ideal", "tiles_ideal", "device_ideal", "plait_c", "plait_fortran", "plait_python")
    expected = len(ranks) > 1 and name.lower() not in without
    check(bool(ways) == expected, f"{name}: messages in the timeline, sent: {ways}")


def check_device_bound(result: dict) -> None:
    """Of rows on a device: the slowest of kernels, link and bus, and whose time the host has spent."""
    bus = 0
    for name, variant in result["variants"].items():
        copies = [variant["device"][way] for way in ("to_host_s", "to_device_s")]
        check(variant["device"]["host_cpu_s"] > 0, f"{name}: processor time")
        bus = max(bus, *copies) if name != "device_ideal" else bus
    check(result["device"]["bus_s"] == bus, f"{result['device']}, bus {bus}")
    bound = max(bus, result["bound_s"])
    check(result["device"]["bound_s"] == bound, f"{result['device']}, bound {bound}")


def check_refusal(options: argparse.Namespace, arguments: list[str]) -> None:
    done = launch(options, arguments)
    # Open MPI's mpiexec may warn of a rank that ends while it listens ("[warn] Epoll MOD(1) on …").
    lines = [line for line in done.stderr.strip().splitlines() if not line.startswith("[warn] Epoll")]
    # mpiexec of MPICH adds words of its own when a program does not return 0.
    own = [line for line in lines if line.startswith(f"{Path(options.program).name}: ")]
    check(len(own) == 1, f"expected one line on standard error, got:\n{done.stderr}")
    if options.mpi == "openmpi":
        check(len(lines) == 1, f"expected nothing but one line, got:\n{done.stderr}")
    check(done.returncode == 2, f"exit code {done.returncode}, expected 2")


def main(check_result: Callable[[argparse.Namespace, list[str]], None]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--ranks", required=True, type=int)
    parser.add_argument("what", choices=["result", "refusal"])
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    {"result": check_result, "refusal": check_refusal}[options.what](options, options.arguments)

# SPDX-License-Identifier: BSD-3-Clause
"""The words of `plait attach`, and what they come to in the library's environment."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Mapping

from plait.errors import BadInput

SWITCHES = ("profile", "progress", "trace", "verify")

# What a recording is: files in a folder.
RECORDED_RESULT, RECORDED_TRACE = "attach.json", "trace.json"
# A simulation needs all messages and calls of a rank; what is not used of these takes no memory.
_RECORDED = {"PLAIT_ATTACH_RECORDS": str(1 << 20), "PLAIT_ATTACH_CALLS": str(1 << 21),
             "PLAIT_ATTACH_TRACE_MB": "1000"}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of the command."""

    says: str
    value: str = ""  # what its value is called
    may: bool = False  # it may stand alone, and takes a value behind an equals sign


OPTIONS = {
    "--progress": Option("give the program's own non-blocking calls progress"),
    "--trace": Option("write a trace that Perfetto opens", "FILE", may=True),
    "--record": Option("write a recording for plait simulate", "FOLDER"),
    "--verify": Option("find send buffers that change before their wait"),
    "--json": Option("write the result file here", "FILE"),
    "--report": Option("write an HTML report", "FILE", may=True),
    "--quiet": Option("print no summary"),
    "-q": Option("as --quiet"),
    "--mpi": Option("the MPI library of a script or of an interpreter: openmpi,\n"
                    "mpich, the folder of an installation of either, or abi", "MPI"),
    "--salvage": Option("write the --json and the --report of a job that was killed,\n"
                        "from what its ranks left, and end"),
    "--build": Option("from a checkout: build plait's library for --mpi, and end"),
    "--help": Option("print this"),
}  # fmt: skip
# Launchers put the number of a rank into one of these before MPI_Init tells it.
# Of Open MPI, PMIx, PMI (MPICH and its relatives), Flux, and HPE's PALS.
_RANK_VARIABLES = (
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "FLUX_TASK_RANK", "PALS_RANKID",
)  # fmt: skip
# Slurm numbers its batch script, too, which is no step of the job.
_RANK_OF_STEP, _STEP = "SLURM_PROCID", "SLURM_STEP_ID"


@dataclasses.dataclass(frozen=True)
class Asked:
    """Words of a `plait attach`, understood."""

    program: list[str]  # and its words
    switches: tuple[str, ...] = ("profile",)
    mpi: str | None = None
    trace: str | None = None
    json: str | None = None
    report: str | None = None  # "": where reports go
    record: str | None = None  # a folder, which has the trace and the result
    quiet: bool = False
    build: bool = False
    salvage: bool = False
    help: bool = False


def parse(words: list[str]) -> Asked:
    """Reads the options before the program, and the program with its own words."""
    left, given = list(words), {}
    while left and left[0].startswith("-") and left[0] != "--":
        option, equals, value = left.pop(0).partition("=")
        known = OPTIONS.get(option)
        if known is None or (equals and not known.value):
            raise BadInput(f"attach: there is no option {option}{equals}{value}")
        if known.value and not known.may and not equals:
            if not left:
                raise BadInput(f"attach: {option}: its value is missing")
            value = left.pop(0)
        if option == "--report" and left and left[0].endswith((".html", ".htm")):
            value = left.pop(0)
        given[option] = value
    asked = _asked(given, left[1:] if left[:1] == ["--"] else left)
    if asked.salvage and asked.json is None:
        raise BadInput("attach: --salvage: name the result of the job that was killed, --json FILE")
    if not (asked.program or asked.build or asked.salvage or asked.help):
        raise BadInput("attach: PROGRAM is missing; write mpiexec -n 4 plait attach ./program")
    return asked


def _asked(given: Mapping[str, str], program: list[str]) -> Asked:
    trace, json, record = map(given.get, ("--trace", "--json", "--record"))
    if record is not None:
        if not record:
            raise BadInput("attach: --record: name a folder")
        if trace is not None or json is not None:
            other = "--trace" if trace is not None else "--json"
            raise BadInput(f"attach: --record has that of {other} in its folder; leave {other} out")
        json, trace = f"{record}/{RECORDED_RESULT}", f"{record}/{RECORDED_TRACE}"
    if trace == "":
        trace = f"{pathlib.Path(program[0]).name if program else 'program'}.trace.json"
    on = {"profile": True, "progress": "--progress" in given, "trace": trace is not None,
          "verify": "--verify" in given}  # fmt: skip
    switches = tuple(name for name in SWITCHES if on[name])
    named = {name: given.get(f"--{name}") for name in ("mpi", "report", "record")}
    flags = {name: f"--{name}" in given for name in ("build", "salvage", "help")}
    quiet = "--quiet" in given or "-q" in given
    return Asked(program, switches, trace=trace, json=json, quiet=quiet, **named, **flags)


def parse_switches(text: str) -> tuple[str, ...]:
    """Reads what follows `plait run --attach=`; the profile is always on."""
    asked = {"profile", *(word.strip() for word in text.split(",") if word.strip())}
    if unknown := sorted(asked - set(SWITCHES)):
        raise BadInput(f"--attach={text}: there is no '{unknown[0]}'; there are: "
                       f"{', '.join(SWITCHES)}")  # fmt: skip
    return tuple(name for name in SWITCHES if name in asked)


def rank() -> int | None:
    """Returns the rank that the launcher has given this process; None: there is no launcher."""
    of_step = (_RANK_OF_STEP,) if _STEP in os.environ else ()
    for name in (*_RANK_VARIABLES, *of_step):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return None


def settings(
    library: str,
    switches: tuple[str, ...],
    json: str | None = None,
    trace: str | None = None,
    quiet: bool = False,
    opened: str | None = None,
    records: bool = False,
) -> dict[str, str]:
    """Returns the environment variables that put the library in front and tell it what to do.

    `records`: as much is kept as a recording takes, where the environment says nothing else.
    `opened`: the MPI library that the program opens by itself. It is loaded early, for mpi4py looks
    it up by the names of MPI's functions, and would find plait's alone.
    """
    loaded = [library, opened or "", os.environ.get("LD_PRELOAD", "")]
    told = {"LD_PRELOAD": ":".join(filter(None, loaded)),
            "PLAIT_ATTACH": ",".join(switches)}  # fmt: skip
    if opened is not None:
        told["PLAIT_ATTACH_OPENED"] = opened
    if json is not None:
        told["PLAIT_ATTACH_JSON"] = str(pathlib.Path(json).absolute())
    if trace is not None:
        told["PLAIT_ATTACH_TRACE"] = str(pathlib.Path(trace).absolute())
    if quiet:
        told["PLAIT_ATTACH_QUIET"] = "1"
    if records:
        told |= {name: os.environ.get(name, value) for name, value in _RECORDED.items()}
    return told

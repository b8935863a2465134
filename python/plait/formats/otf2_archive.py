# SPDX-License-Identifier: BSD-3-Clause
"""A trace as an archive of OTF2, which Vampir and Scalasca read. OTF2's own library writes it."""

from __future__ import annotations

import importlib
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from plait import __version__
from plait.errors import BadInput
from plait.formats.otf2_events import COLLECTIVES, Record, records_of
from plait.formats.trace import Slice, Trace, blocking_name
from plait.results.base import Result

Handle = Any  # the library itself, or an object of it

_NS_PER_S = 1_000_000_000
_MISSING = (
    "--otf2 needs OTF2's library for Python: pip install otf2 (from OTF2 3.0 on), or Debian's "
    "python3-otf2"
)
_TO_ONE = ("Gather", "Gatherv", "Reduce")
_TO_ALL = ("Bcast", "Scatter", "Scatterv")
_MESSAGES = ("send", "recv", "wait", "test", "start", "probe")


def needed_library() -> Handle:
    """Returns OTF2's library. Errors: `BadInput` that says which package has it."""
    try:
        return importlib.import_module("otf2")
    except ImportError:
        raise BadInput(_MISSING) from None


def write_otf2(trace: Trace, about: Result, folder: pathlib.Path) -> pathlib.Path:
    """Writes an archive into a new folder and returns its anchor file, FOLDER/traces.otf2.

    `about`: the result of the same run, which names program and hosts. Errors: `BadInput` for a
    folder that has something in it, or without OTF2's library.
    """
    otf2 = needed_library()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"--otf2 {folder}: name a new folder, or an empty one")
    with otf2.writer.open(str(folder), timer_resolution=_NS_PER_S) as archive:
        archive.creator = f"plait {__version__}"
        _Archive(otf2, archive, trace, about).write()
    return folder / "traces.otf2"


class _Archive:
    """The definitions of an archive, made as its events need them."""

    def __init__(self, otf2: Handle, archive: Handle, trace: Trace, about: Result) -> None:
        self._otf2 = otf2
        self._archive = archive
        self._trace = trace
        self._program = str(about.get("program") or about.get("app") or "program").rsplit("/", 1)[
            -1
        ]
        self._hosts = {row["rank"]: row.get("host") for row in about.get("ranks_detail") or []}
        self._regions: dict[Slice | None, Handle] = {}
        self._communicators: dict[int, Handle] = {}

    def write(self) -> None:
        """Writes all of it."""
        records = records_of(self._trace)
        locations = self._locations(records)
        self._define_communicators(locations)
        for (rank, lane), found in records.items():
            writer = self._archive.event_writer_from_location(locations[rank, lane])
            for record in found:
                self._write(writer, record)

    def _locations(self, records: Iterable[tuple[int, str]]) -> dict[tuple[int, str], Handle]:
        define = self._archive.definitions
        machine = define.system_tree_node("machine", class_name="machine")
        found: dict[tuple[int, str], Handle] = {}
        groups: dict[int, Handle] = {}
        for rank, lane in records:
            if rank not in groups:
                node = define.system_tree_node(
                    self._hosts.get(rank) or "host", class_name="node", parent=machine
                )
                groups[rank] = define.location_group(
                    f"MPI Rank {rank}", system_tree_parent=node,
                    location_group_type=self._otf2.LocationGroupType.PROCESS,
                )  # fmt: skip
            name = "Master thread" if lane == "program" else lane
            found[rank, lane] = define.location(name, group=groups[rank])
        return found

    def _define_communicators(self, locations: Mapping[tuple[int, str], Handle]) -> None:
        """A rank stands for itself by its first thread; ranks of a communicator are as seen."""
        otf2, define = self._otf2, self._archive.definitions
        first: dict[int, Handle] = {}
        for (rank, _), location in locations.items():
            first.setdefault(rank, location)
        define.paradigm(otf2.Paradigm.MPI, name="MPI", paradigm_class=otf2.ParadigmClass.PROCESS)
        define.group("MPI", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=otf2.Paradigm.MPI,
                     members=tuple(first.values()))  # fmt: skip
        for number, ranks in self._trace.members().items():
            name = f"communicator {number}" if number else "all ranks"
            group = define.group(name, group_type=otf2.GroupType.COMM_GROUP,
                                 paradigm=otf2.Paradigm.MPI,
                                 members=tuple(first[rank] for rank in ranks))  # fmt: skip
            self._communicators[number] = define.comm(name, group=group)

    def _write(self, writer: Handle, record: Record) -> None:
        write = getattr(writer, record.name)
        if record.name in ("enter", "leave"):
            write(record.at, self._region(record.slice))
            return
        holds = dict(record.holds)
        if "communicator" in holds:
            holds["communicator"] = self._communicators[holds["communicator"]]
        if "collective_op" in holds:
            holds["collective_op"] = getattr(self._otf2.CollectiveOp, holds["collective_op"])
        if holds.get("root") == -1:
            holds["root"] = self._otf2.Undefined.UINT32.value
        write(record.at, **holds)

    def _region(self, of: Slice | None) -> Handle:
        """A call site is a region of its own, named as the call of MPI."""
        key = None if of is None else Slice(of.name, of.kind, 0, 0, of.call, of.file, of.line)
        if key not in self._regions:
            self._regions[key] = self._new_region(key)
        return self._regions[key]

    def _new_region(self, of: Slice | None) -> Handle:
        otf2, define = self._otf2, self._archive.definitions.region
        if of is None:
            return define(self._program, region_role=otf2.RegionRole.FUNCTION,
                          paradigm=otf2.Paradigm.USER)  # fmt: skip
        if not of.call:
            role = otf2.RegionRole.TASK if of.kind == "compute" else otf2.RegionRole.ARTIFICIAL
            return define(of.name, region_role=role, paradigm=otf2.Paradigm.USER)
        return define(
            f"MPI_{of.call}", f"MPI_{of.call}", of.name, self._role(of.call), otf2.Paradigm.MPI,
            source_file=of.file or None, begin_line_number=of.line, end_line_number=of.line,
        )  # fmt: skip

    def _role(self, call: str) -> Handle:
        roles, name = self._otf2.RegionRole, blocking_name(call)
        if name == "Barrier":
            return roles.BARRIER
        if name in _TO_ALL:
            return roles.COLL_ONE2ALL
        if name in _TO_ONE:
            return roles.COLL_ALL2ONE
        if name in COLLECTIVES:
            return roles.COLL_ALL2ALL
        return roles.POINT2POINT if any(w in call.lower() for w in _MESSAGES) else roles.FUNCTION

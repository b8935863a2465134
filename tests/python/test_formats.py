# SPDX-License-Identifier: BSD-3-Clause
"""Traces are read back, and written for other tools: OTF2, Caliper's JSON for Hatchet."""

import collections
import importlib
import json
import subprocess
import sys

import pytest

from conftest import environment, one_line, plait
from plait.errors import BadInput
from plait.formats.hatchet import caliper_text
from plait.formats.otf2_archive import needed_library, write_otf2
from plait.formats.otf2_events import records_of
from plait.formats.trace import read_trace
from sample_attach import attach_result
from sample_trace import MadeTrace, ring_trace, task_trace
from test_wheel import pip


def test_a_trace_is_read_back(tmp_path):
    trace = ring_trace().read(tmp_path)
    assert (trace.ranks, len(trace.messages), len(trace.collectives)) == (3, 3, 2)
    message = trace.messages[0]
    assert (message.sent.rank, message.received.rank) == (0, 1)
    assert (message.sent.begin, message.received.end) == (6_500, 21_000)
    call = next(one for one in trace.lanes[0, "program"] if one.call == "Waitall")
    assert (call.file, call.line) == ("halo.c", 14)
    assert trace.members() == {1: [0, 1, 2]}


def test_what_is_cut_off_at_the_end_of_a_trace_is_left_out(tmp_path):
    made = ring_trace()
    made.message(0, 1, (35, 36), (35, 36))
    made.events.pop()
    made.collective("Allreduce", 2, {0: (37, 38), 1: (37, 38)})
    trace = made.read(tmp_path)
    assert (len(trace.messages), len(trace.collectives)) == (3, 2)


@pytest.mark.parametrize("content", ["", "[]", '{"traceEvents": [3]}', '{"traceEvents": [{}]}'])
def test_what_is_no_trace_is_refused_in_a_line(content, tmp_path):
    (file := tmp_path / "no.json").write_text(content)
    with pytest.raises(BadInput, match=r"is no trace of plait"):
        read_trace(file)


def balanced(records):
    """Checks that times grow and that regions are left in the order in which they are entered."""
    entered = []
    for before, one in zip([records[0], *records], records):
        assert before.at <= one.at
        if one.name == "enter":
            entered.append(one.slice)
        elif one.name == "leave":
            assert entered.pop() == one.slice
        else:
            assert entered, "a record lies in a region"
    return not entered


def test_records_of_otf2_are_in_order_and_within_their_calls(tmp_path):
    records = records_of(ring_trace().read(tmp_path))
    assert all(map(balanced, records.values()))
    within, seen = [], []
    for one in records[1, "program"]:
        if one.name in ("enter", "leave"):
            within = [one.slice.call] if one.name == "enter" and one.slice else []
        else:
            seen.append((*within, one.name))
    assert seen == [
        ("Irecv", "mpi_irecv_request"), ("Isend", "mpi_isend"),
        ("Waitall", "mpi_irecv"), ("Waitall", "mpi_isend_complete"),
        ("Allreduce", "mpi_collective_begin"), ("Allreduce", "mpi_collective_end"),
        ("Bcast", "mpi_collective_begin"), ("Bcast", "mpi_collective_end"),
    ]  # fmt: skip
    ends = [one.holds for one in records[1, "program"] if one.name == "mpi_collective_end"]
    assert (ends[1]["collective_op"], ends[1]["root"], ends[1]["size_sent"]) == ("BCAST", 1, 64)


def test_blocking_calls_have_no_requests_in_otf2(tmp_path):
    made = MadeTrace()
    for rank in range(2):
        made.call(rank, "Sendrecv", 1, 3)
        made.message(rank, 1 - rank, (1, 3), (1, 3))
    names = [one.name for one in records_of(made.read(tmp_path))[0, "program"]]
    assert names == ["enter", "enter", "mpi_send", "mpi_recv", "leave", "leave"]


def test_plaits_own_traces_have_workers_and_messages_in_otf2(tmp_path):
    records = records_of(task_trace().read(tmp_path))
    assert list(records) == [(rank, f"worker {w}") for rank in range(2) for w in range(2)]
    assert all(map(balanced, records.values()))
    names = collections.Counter(one.name for found in records.values() for one in found)
    assert [names[name] for name in ("mpi_isend", "mpi_irecv")] == [2, 2]


def test_without_the_library_of_otf2_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "otf2", None)
    with pytest.raises(BadInput, match="pip install otf2"):
        needed_library()


READ_BACK = """
import json, sys
import otf2
with otf2.reader.open(sys.argv[1]) as trace:
    events = [(location.group.name, location.name, type(event).__name__, event.time,
               getattr(getattr(event, "region", None), "name", ""))
              for location, event in trace.events]
    defined = trace.definitions
    print(json.dumps({
        "events": events, "resolution": trace.timer_resolution,
        "nodes": [node.name for node in defined.system_tree_nodes],
        "communicators": [(one.name, len(one.group.members)) for one in defined.comms],
        "lines": sorted({(one.source_file, one.begin_line_number) for one in defined.regions
                         if one.source_file}),
    }))
"""


@pytest.mark.for_all
def test_otf2s_own_reader_reads_what_is_written(tmp_path, monkeypatch):
    pip(sys.executable, "install", "-q", "--no-deps", "--target", tmp_path / "packages", "otf2")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    importlib.invalidate_caches()
    anchor = write_otf2(ring_trace().read(tmp_path), attach_result(), tmp_path / "archive")
    with pytest.raises(BadInput, match="name a new folder"):
        write_otf2(ring_trace().read(tmp_path), attach_result(), tmp_path / "archive")
    done = subprocess.run(
        [sys.executable, "-c", READ_BACK, anchor], capture_output=True, text=True, check=False,
        env=environment(PYTHONPATH=str(tmp_path / "packages")), timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["resolution"] == 1_000_000_000
    assert found["nodes"] == ["machine", "n0", "n1"]
    assert found["communicators"] == [["communicator 1", 3]]
    assert ["halo.c", 14] in found["lines"]
    kinds = collections.Counter(event[2] for event in found["events"])
    assert [kinds[kind] for kind in ("MpiIsend", "MpiIrecv", "MpiCollectiveEnd")] == [3, 3, 6]
    left = [event for event in found["events"] if event[4] == "MPI_Waitall"][-1]
    assert left == ["MPI Rank 2", "Master thread", "Leave", 22_000, "MPI_Waitall"]


def test_calipers_json_has_a_row_for_each_node_and_sums_of_those_below():
    result = attach_result()
    result["sites"][0]["callers"] = [{"function": "main", "file": "/src/wave/main.f90", "line": 9}]
    file = json.loads(caliper_text(result))
    assert file["columns"][:4] == ["Node order", "path", "time", "time (inc)"]
    assert [row[:2] for row in file["data"]] == [[n, n] for n in range(len(file["nodes"]))]
    assert len(file["column_metadata"]) == len(file["columns"]) == len(file["data"][0])
    labels = [node["label"] for node in file["nodes"]]
    assert labels[:4] == ["wave", "main (main.f90:9)", "exchange", "MPI_Waitall halo.f90:118"]
    whole = result["totals"]["compute_s"] + sum(site["time_s"] for site in result["sites"])
    assert file["data"][0][3] == pytest.approx(whole)
    assert file["data"][1][3] == pytest.approx(result["sites"][0]["time_s"])
    assert (file["ranks"], file["hosts"]) == (4, "n0 n1")


def test_the_command_writes_what_is_asked_for(tmp_path):
    result, trace = tmp_path / "wave.json", ring_trace().write(tmp_path / "wave.trace.json")
    result.write_text(json.dumps(attach_result()))
    done = plait("report", result, "--trace", trace, "--goal", tmp_path / "wave.goal",
                 "--hatchet", tmp_path / "wave.cali.json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "num_ranks 3" in (tmp_path / "wave.goal").read_text()
    assert json.loads((tmp_path / "wave.cali.json").read_text())["ranks"] == 4
    assert "What happened when" in result.with_suffix(".html").read_text()
    assert "--trace FILE" in one_line(plait("report", result, "--goal", tmp_path / "no.goal"))

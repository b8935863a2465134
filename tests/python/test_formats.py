# SPDX-License-Identifier: BSD-3-Clause
"""Results and traces in other tools' formats: GOAL, OTF2, Caliper's JSON for Hatchet."""

import collections
import importlib
import json
import re
import subprocess
import sys

import pytest

from conftest import environment, one_line, plait
from plait.errors import BadInput
from plait.formats.collective_rounds import rounds_of
from plait.formats.goal import goal_of
from plait.formats.hatchet import caliper_text
from plait.formats.otf2_archive import needed_library, write_otf2
from plait.formats.otf2_events import records_of
from plait.formats.trace import read_trace
from sample_attach import attach_result
from sample_trace import MadeTrace, ring_trace, task_trace
from test_wheel import pip

STATEMENT = re.compile(
    r"(l\d+): (?:(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)|calc (\d+))(?: cpu (\d+))?"
)
DEPENDENCE = re.compile(r"(l\d+) (i?requires) (l\d+)")
COLLECTIVES = ("Barrier", "Bcast", "Reduce", "Scatter", "Gatherv", "Allgather", "Alltoall", "Scan")


def read(made, folder):
    return read_trace(made.write(folder / "run.trace.json"))


class Goal:
    """A GOAL text, by rank: statements by their labels, and what each depends on."""

    def __init__(self, text):
        self.ranks = []
        for line in text.splitlines():
            if line.startswith("rank "):
                self.ranks.append(({}, []))
            elif found := STATEMENT.fullmatch(line):
                assert found[1] not in self.ranks[-1][0]
                self.ranks[-1][0][found[1]] = found
            elif found := DEPENDENCE.fullmatch(line):
                assert {found[1], found[3]} <= set(self.ranks[-1][0])
                self.ranks[-1][1].append(found.groups())
            else:
                assert re.fullmatch(r"//.*|num_ranks \d+|\}|", line), line

    def messages(self, kind):
        """Sending rank, receiving rank, bytes and tag of all sends or of all receives."""
        found = []
        for rank, (statements, _) in enumerate(self.ranks):
            for one in statements.values():
                if one[2] == kind:
                    ends = (rank, int(one[4])) if kind == "send" else (int(one[4]), rank)
                    found.append((*ends, int(one[3]), int(one[5])))
        return collections.Counter(found)

    def labels(self, rank, text):
        """Labels of the statements of a rank that begin so."""
        return [label for label, one in self.ranks[rank][0].items()
                if one[0].partition(": ")[2].startswith(text)]  # fmt: skip

    def run(self):
        """Runs it where messages take no time; returns when each rank ends."""
        started, ended, sent = {}, {}, {}
        moves = True
        while moves:
            moves = False
            for rank, (statements, dependences) in enumerate(self.ranks):
                for label, one in statements.items():
                    before = [(started if how == "irequires" else ended).get((rank, what))
                              for who, how, what in dependences if who == label]  # fmt: skip
                    if (rank, label) in ended or None in before:
                        continue
                    at = max(before, default=0)
                    moves = moves or (rank, label) not in started
                    started[rank, label] = at
                    if one[2] == "send":
                        sent[rank, int(one[4]), one[5]] = at
                    elif one[2] == "recv":
                        if (sender := (int(one[4]), rank, one[5])) not in sent:
                            continue
                        at = max(at, sent[sender])
                    ended[rank, label] = at + int(one[6] or 0)
                    moves = True
        assert len(ended) == sum(len(statements) for statements, _ in self.ranks)
        return [max(at for (of, _), at in ended.items() if of == rank)
                for rank in range(len(self.ranks))]  # fmt: skip


def test_a_trace_is_read_back(tmp_path):
    trace = read(ring_trace(), tmp_path)
    assert (trace.ranks, len(trace.messages), len(trace.collectives)) == (3, 3, 2)
    message = trace.messages[0]
    assert (message.sent.rank, message.received.rank) == (0, 1)
    assert (message.sent.begin, message.received.end) == (6_500, 21_000)
    call = next(one for one in trace.lanes[0, "program"] if one.call == "Waitall")
    assert (call.file, call.line) == ("halo.c", 14)
    assert trace.members() == {1: [0, 1, 2]}


def with_regions():
    """Returns the ring's trace with rank R in `step` from 4 + R to 24, and from 31 on."""
    made = ring_trace()
    for rank in range(3):
        for begin, end in ((4 + 0.5 * rank, 24), (31, 36)):
            made.slice(rank, "regions", "step", "overhead", begin, end)
    return made


def test_a_region_is_a_program_of_its_own(tmp_path):
    trace = read(with_regions(), tmp_path)
    first, second = (Goal(goal_of(trace.within("step", stay), attach_result())) for stay in (0, 1))
    assert sum(first.messages("send").values()) == 3
    # Each rank begins when it enters: 1 to 2 us less before Irecv than in the whole program, and
    # what it computes until it leaves.
    computed = [(1_000 - 500 * rank) + 500 + 10_000 + (4_000 - 1_000 * rank) for rank in range(3)]
    assert [trace.stay_s("step", stay) for stay in (0, 1)] == pytest.approx([20e-6, 5e-6])
    assert first.run() == computed
    assert sum(second.messages("send").values()) == 2  # of the broadcast
    assert second.run() == [4_000] * 3


def test_threads_that_make_no_call_in_a_region_are_not_in_it(tmp_path):
    made = with_regions()
    made.call(0, "Test", 38, 39, lane="program, thread 2")
    made.slice(0, "program, thread 2", "computation", "compute", 5, 38)
    trace = read(made, tmp_path)
    other = (0, "program, thread 2")
    assert other in trace.lanes
    assert other not in trace.within("step", 0).lanes


def test_a_wait_across_the_begin_of_a_region_is_no_computation_in_it(tmp_path):
    made = with_regions()
    made.call(0, "Recv", 0, 12, lane="program, thread 2")
    made.call(0, "Test", 15, 16, lane="program, thread 2")
    made.slice(0, "program, thread 2", "computation", "compute", 12, 15)
    inside = read(made, tmp_path).within("step", 0).lanes[(0, "program, thread 2")]
    calls = [one for one in inside if one.call]
    assert [one.call for one in calls] == ["Recv", "Test"]
    assert calls[0].begin == 0
    assert calls[1].begin - calls[0].end == 3_000


def test_a_region_that_is_not_there_is_refused(tmp_path):
    trace = read(with_regions(), tmp_path)
    with pytest.raises(BadInput, match="rank 0 was in 'step' 2 times; the first is number 0"):
        trace.within("step", 2)
    with pytest.raises(BadInput, match="rank 0 was in no region 'solve'; there are: step"):
        trace.within("solve", 0)


def overlapped(tests):
    """Returns a trace in which rank 1 computes 10 us in pieces, a test in vain behind each."""
    made = MadeTrace()
    for rank in range(2):
        made.call(rank, "Irecv" if rank else "Isend", 0, 1)
    pieces = 10 / (tests + 1)
    for test in range(tests):
        begin = 1 + (test + 1) * pieces + test
        made.call(1, "Test", begin, begin + 1, 5)
    made.call(0, "Wait", 11, 30, 6)
    made.call(1, "Wait", 11 + tests, 30, 6)
    made.message(0, 1, (0, 30), (0, 30))
    return made


def test_tests_in_vain_do_not_cut_what_is_made_for_other_ranks(tmp_path):
    texts = [goal_of(read(overlapped(tests), tmp_path), attach_result(), calls=True)
             for tests in (0, 1, 4)]  # fmt: skip
    assert texts[0] == texts[1] == texts[2]
    assert "calc 10000" in texts[0]
    pieces = goal_of(read(overlapped(4), tmp_path), attach_result())
    assert pieces.count("calc 2000") == 5  # where the rank looks


def exchange(order, waits):
    """Returns a trace whose rank 1 gets a message from 0 and 2, in some order, in so many waits."""
    made = MadeTrace()
    for rank in range(3):
        made.call(rank, "Startall", 1, 2, 3)
        if rank != 1:
            made.call(rank, "Wait", 11, 40, 4)
    ends = [20] if waits == 1 else [15, 20]
    begin = 12
    for end in ends:
        made.call(1, "Waitsome", begin, end, 4)
        begin = end + 2
    for source in order:
        made.message(source, 1, (1, 40), (1, ends[order.index(source) % waits]))
    return made


def test_the_order_in_which_messages_come_is_not_that_of_a_program_for_other_ranks(tmp_path):
    def text(order, waits):
        return goal_of(read(exchange(order, waits), tmp_path), attach_result(), calls=True)

    assert text((0, 2), 2) == text((2, 0), 2)
    assert text((0, 2), 1) == text((2, 0), 1)
    # One wait, behind which 2 us were computed in between.
    assert text((0, 2), 2).count("until Waitsome") == text((0, 2), 1).count("until Waitsome") == 1
    one, two = (text((0, 2), waits).count("// until the end\nl5: calc 2000") for waits in (1, 2))
    assert (one, two) == (0, 1)


def test_what_is_cut_off_at_the_end_of_a_trace_is_left_out(tmp_path):
    made = ring_trace()
    made.message(0, 1, (35, 36), (35, 36))
    made.events.pop()
    made.collective("Allreduce", 2, {0: (37, 38), 1: (37, 38)})
    trace = read(made, tmp_path)
    assert (len(trace.messages), len(trace.collectives)) == (3, 2)


@pytest.mark.parametrize("content", ["", "[]", '{"traceEvents": [3]}', '{"traceEvents": [{}]}'])
def test_what_is_no_trace_is_refused_in_a_line(content, tmp_path):
    (file := tmp_path / "no.json").write_text(content)
    with pytest.raises(BadInput, match=r"is no trace of plait"):
        read_trace(file)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_each_message_of_a_collective_is_sent_and_received_once(name):
    for n in range(1, 10):
        root = -1 if name in ("Barrier", "Allgather", "Alltoall", "Scan") else n // 2
        sent, received = [], []
        for rank in range(n):
            for one in (step for steps in rounds_of(name, rank, n, root, 8) for step in steps):
                ends = (rank, one.peer) if one.is_send else (one.peer, rank)
                (sent if one.is_send else received).append((*ends, one.bytes))
        assert sorted(sent) == sorted(received)
        assert len({each[:2] for each in sent}) == len(sent)
        reached = {rank for each in sent for rank in each[:2]}
        assert len(reached) == (n if n > 1 else 0)


def test_every_send_of_a_goal_file_has_its_receive(tmp_path):
    goal = Goal(goal_of(read(ring_trace(), tmp_path), attach_result()))
    assert goal.messages("send") == goal.messages("recv")
    assert sum(goal.messages("send").values()) == 3 + 6 + 2
    assert max(goal.messages("send").values()) == 1


def test_a_goal_file_computes_what_the_program_did_and_waits_for_nothing_else(tmp_path):
    goal = Goal(goal_of(read(ring_trace(), tmp_path), attach_result()))
    computed = [5_000 + 500 + 10_000 + (5_000 - 1_000 * rank) + 1_000 + 8_000 for rank in range(3)]
    assert goal.run() == [max(computed)] * 3


def test_what_is_started_goes_on_beside_what_follows(tmp_path):
    goal = Goal(goal_of(read(ring_trace(), tmp_path), attach_result()))
    (send,), (receive,) = goal.labels(0, "send 1000b"), goal.labels(0, "recv 1000b")
    (beside,) = goal.labels(0, "calc 10000")
    _, behind = goal.labels(0, "calc 5000")
    kinds = {(who, what): how for who, how, what in goal.ranks[0][1]}
    assert kinds[beside, send] == "irequires"
    assert (beside, receive) not in kinds
    assert [kinds[behind, what] for what in (send, receive)] == ["requires", "requires"]


def test_threads_of_a_rank_are_processors_of_a_goal_file(tmp_path):
    made = MadeTrace()
    for rank in range(2):
        for thread, lane in enumerate(("program", "program, thread 2")):
            made.call(rank, "Sendrecv", 10 + thread, 20 + thread, lane=lane)
    for thread in range(2):
        span = (10 + thread, 20 + thread)
        made.message(0, 1, span, span, tag=thread)
        made.message(1, 0, span, span, tag=thread)
    text = goal_of(read(made, tmp_path), attach_result())
    assert len(re.findall(r"send .* cpu 1", text)) == 2
    assert Goal(text).run() == [11_000, 11_000]


def test_what_a_call_posts_that_is_not_in_the_trace_is_left_out_on_all_ranks(tmp_path):
    made = ring_trace()
    first = next(one for one in made.events if one["name"].startswith("Irecv") and one["pid"] == 1)
    last = next(one for one in made.events if one["name"].startswith("Bcast") and one["pid"] == 2)
    made.events = [one for one in made.events if one not in (first, last)]
    goal = Goal(goal_of(read(made, tmp_path), attach_result()))
    assert goal.messages("send") == goal.messages("recv")
    assert sum(goal.messages("send").values()) == 2 + 6
    goal.run()


def test_calls_that_wait_for_what_is_not_noted_are_named_in_a_goal_file(tmp_path):
    made = ring_trace()
    made.call(0, "Probe", 33, 34)
    made.call(0, "File_write", 35, 39)
    text = goal_of(read(made, tmp_path), attach_result())
    assert "// calls that waited for what is not in this file: Probe (1)" in text.splitlines()


def test_a_probe_waits_for_the_message_that_its_thread_receives_right_behind(tmp_path):
    made = MadeTrace()
    made.call(0, "Send", 50, 52)
    made.call(1, "Iprobe", 10, 11)  # in vain
    made.call(1, "Probe", 20, 60)
    made.call(1, "Recv", 63, 64)  # what is computed before depends on the message
    made.message(0, 1, (50, 52), (63, 64))
    text = goal_of(read(made, tmp_path), attach_result())
    assert "calls that waited" not in text
    assert "not to be trusted" not in text
    of_one = Goal(text)
    assert of_one.messages("recv") == of_one.messages("send")
    assert of_one.run()[1] >= 50_000 + 3_000
    made.call(1, "Mprobe", 70, 80)
    text = goal_of(read(made, tmp_path), attach_result())
    assert "// not to be trusted: no receive right behind says what was found by Mprobe" in text


def test_a_probe_in_vain_waits_for_no_later_message(tmp_path):
    def finish_of_rank_1(sent_at):
        made = MadeTrace()
        made.call(0, "Send", sent_at, sent_at + 2)
        made.call(1, "Iprobe", 10, 11)
        made.call(1, "Recv", 41, 60)  # behind 30 us of work
        made.message(0, 1, (sent_at, sent_at + 2), (41, 60))
        return Goal(goal_of(read(made, tmp_path), attach_result())).run()[1]

    assert finish_of_rank_1(5) == pytest.approx(40_000, abs=10)
    # 30 us of work do not wait for a message that leaves at 50.
    assert finish_of_rank_1(50) == pytest.approx(50_000, abs=10)


def test_a_goal_file_needs_all_messages_and_a_trace_of_calls(tmp_path):
    with pytest.raises(BadInput, match="of 4 messages one was kept"):
        goal_of(read(ring_trace(), tmp_path), {**attach_result(), "sampling": 4})
    with pytest.raises(BadInput, match="needs a trace of plait attach"):
        goal_of(read(task_trace(), tmp_path), attach_result())


def test_what_has_no_law_is_refused_where_collectives_are_calls(tmp_path):
    def refused(add):
        add(made := ring_trace())
        trace = read(made, tmp_path)
        goal_of(trace, attach_result())
        with pytest.raises(BadInput) as told:
            goal_of(trace, attach_result(), calls=True)
        return str(told.value)

    spans = dict.fromkeys(range(3), (40, 41))

    def neighbours(made):
        made.collective("Neighbor_alltoall", 9, spans)
        for rank in range(3):
            made.call(rank, "Neighbor_alltoall", 40, 41)

    def in_place(made):
        made.collective("Allreduce", 9, spans, size=0)
        for rank in range(3):
            made.call(rank, "Allreduce", 40, 41)

    assert refused(neighbours).startswith("Neighbor_alltoall: who is whose neighbour is not")
    assert "Put at step" in refused(lambda made: made.call(0, "Put", 33, 34))
    assert refused(in_place) == (
        "Allreduce: no rank has told how many bytes, or none has any, as with MPI_IN_PLACE on all"
    )


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
    records = records_of(read(ring_trace(), tmp_path))
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
    names = [one.name for one in records_of(read(made, tmp_path))[0, "program"]]
    assert names == ["enter", "enter", "mpi_send", "mpi_recv", "leave", "leave"]


def test_plaits_own_traces_have_workers_and_messages_in_otf2(tmp_path):
    records = records_of(read(task_trace(), tmp_path))
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
    anchor = write_otf2(read(ring_trace(), tmp_path), attach_result(), tmp_path / "archive")
    with pytest.raises(BadInput, match="name a new folder"):
        write_otf2(read(ring_trace(), tmp_path), attach_result(), tmp_path / "archive")
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

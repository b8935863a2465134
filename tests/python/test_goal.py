# SPDX-License-Identifier: BSD-3-Clause
"""Traces as GOAL, which simulators run: whole, by regions, for other numbers of ranks."""

import collections
import re

import pytest

from plait.errors import BadInput
from plait.formats.collective_rounds import rounds_of
from plait.formats.goal import goal_of
from sample_attach import attach_result
from sample_trace import MadeTrace, ring_trace, task_trace

STATEMENT = re.compile(
    r"(l\d+): (?:(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)|calc (\d+))(?: cpu (\d+))?"
)

DEPENDENCE = re.compile(r"(l\d+) (i?requires) (l\d+)")

COLLECTIVES = ("Barrier", "Bcast", "Reduce", "Scatter", "Gatherv", "Allgather", "Alltoall", "Scan")


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


def with_regions():
    """Returns the ring's trace with rank R in `step` from 4 + R to 24, and from 31 on."""
    made = ring_trace()
    for rank in range(3):
        for begin, end in ((4 + 0.5 * rank, 24), (31, 36)):
            made.slice(rank, "regions", "step", "overhead", begin, end)
    return made


def test_a_region_is_a_program_of_its_own(tmp_path):
    trace = with_regions().read(tmp_path)
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
    trace = made.read(tmp_path)
    other = (0, "program, thread 2")
    assert other in trace.lanes
    assert other not in trace.within("step", 0).lanes


def test_a_wait_across_the_begin_of_a_region_is_no_computation_in_it(tmp_path):
    made = with_regions()
    made.call(0, "Recv", 0, 12, lane="program, thread 2")
    made.call(0, "Test", 15, 16, lane="program, thread 2")
    made.slice(0, "program, thread 2", "computation", "compute", 12, 15)
    inside = made.read(tmp_path).within("step", 0).lanes[(0, "program, thread 2")]
    calls = [one for one in inside if one.call]
    assert [one.call for one in calls] == ["Recv", "Test"]
    assert calls[0].begin == 0
    assert calls[1].begin - calls[0].end == 3_000


def test_a_region_that_is_not_there_is_refused(tmp_path):
    trace = with_regions().read(tmp_path)
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
    texts = [goal_of(overlapped(tests).read(tmp_path), attach_result(), calls=True)
             for tests in (0, 1, 4)]  # fmt: skip
    assert texts[0] == texts[1] == texts[2]
    assert "calc 10000" in texts[0]
    pieces = goal_of(overlapped(4).read(tmp_path), attach_result())
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
        return goal_of(exchange(order, waits).read(tmp_path), attach_result(), calls=True)

    assert text((0, 2), 2) == text((2, 0), 2)
    assert text((0, 2), 1) == text((2, 0), 1)
    # One wait, behind which 2 us were computed in between.
    assert text((0, 2), 2).count("until Waitsome") == text((0, 2), 1).count("until Waitsome") == 1
    one, two = (text((0, 2), waits).count("// until the end\nl5: calc 2000") for waits in (1, 2))
    assert (one, two) == (0, 1)


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
    goal = Goal(goal_of(ring_trace().read(tmp_path), attach_result()))
    assert goal.messages("send") == goal.messages("recv")
    assert sum(goal.messages("send").values()) == 3 + 6 + 2
    assert max(goal.messages("send").values()) == 1


def test_a_goal_file_computes_what_the_program_did_and_waits_for_nothing_else(tmp_path):
    goal = Goal(goal_of(ring_trace().read(tmp_path), attach_result()))
    computed = [5_000 + 500 + 10_000 + (5_000 - 1_000 * rank) + 1_000 + 8_000 for rank in range(3)]
    assert goal.run() == [max(computed)] * 3


def test_what_is_started_goes_on_beside_what_follows(tmp_path):
    goal = Goal(goal_of(ring_trace().read(tmp_path), attach_result()))
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
    text = goal_of(made.read(tmp_path), attach_result())
    assert len(re.findall(r"send .* cpu 1", text)) == 2
    assert Goal(text).run() == [11_000, 11_000]


def test_what_a_call_posts_that_is_not_in_the_trace_is_left_out_on_all_ranks(tmp_path):
    made = ring_trace()
    first = next(one for one in made.events if one["name"].startswith("Irecv") and one["pid"] == 1)
    last = next(one for one in made.events if one["name"].startswith("Bcast") and one["pid"] == 2)
    made.events = [one for one in made.events if one not in (first, last)]
    goal = Goal(goal_of(made.read(tmp_path), attach_result()))
    assert goal.messages("send") == goal.messages("recv")
    assert sum(goal.messages("send").values()) == 2 + 6
    goal.run()


def test_calls_that_wait_for_what_is_not_noted_are_named_in_a_goal_file(tmp_path):
    made = ring_trace()
    made.call(0, "Probe", 33, 34)
    made.call(0, "File_write", 35, 39)
    text = goal_of(made.read(tmp_path), attach_result())
    assert "// calls that waited for what is not in this file: Probe (1)" in text.splitlines()


def test_a_probe_waits_for_the_message_that_its_thread_receives_right_behind(tmp_path):
    made = MadeTrace()
    made.call(0, "Send", 50, 52)
    made.call(1, "Iprobe", 10, 11)  # in vain
    made.call(1, "Probe", 20, 60)
    made.call(1, "Recv", 63, 64)  # what is computed before depends on the message
    made.message(0, 1, (50, 52), (63, 64))
    text = goal_of(made.read(tmp_path), attach_result())
    assert "calls that waited" not in text
    assert "not to be trusted" not in text
    of_one = Goal(text)
    assert of_one.messages("recv") == of_one.messages("send")
    assert of_one.run()[1] >= 50_000 + 3_000
    made.call(1, "Mprobe", 70, 80)
    text = goal_of(made.read(tmp_path), attach_result())
    assert "// not to be trusted: no receive right behind says what was found by Mprobe" in text


def test_a_probe_in_vain_waits_for_no_later_message(tmp_path):
    def finish_of_rank_1(sent_at):
        made = MadeTrace()
        made.call(0, "Send", sent_at, sent_at + 2)
        made.call(1, "Iprobe", 10, 11)
        made.call(1, "Recv", 41, 60)  # behind 30 us of work
        made.message(0, 1, (sent_at, sent_at + 2), (41, 60))
        return Goal(goal_of(made.read(tmp_path), attach_result())).run()[1]

    assert finish_of_rank_1(5) == pytest.approx(40_000, abs=10)
    # 30 us of work do not wait for a message that leaves at 50.
    assert finish_of_rank_1(50) == pytest.approx(50_000, abs=10)


def test_a_goal_file_needs_all_messages_and_a_trace_of_calls(tmp_path):
    with pytest.raises(BadInput, match="of 4 messages one was kept"):
        goal_of(ring_trace().read(tmp_path), {**attach_result(), "sampling": 4})
    with pytest.raises(BadInput, match="needs a trace of plait attach"):
        goal_of(task_trace().read(tmp_path), attach_result())


def test_what_has_no_law_is_refused_where_collectives_are_calls(tmp_path):
    def refused(add):
        add(made := ring_trace())
        trace = made.read(tmp_path)
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

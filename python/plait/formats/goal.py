# SPDX-License-Identifier: BSD-3-Clause
"""A trace of `plait attach` as a GOAL file, which LogGOPSim and its relatives simulate.

Computation is the time between calls of MPI. It has the name of the call that ends it, as a comment
above it. What a call waited for is left to the simulator.
[Hoefler, Schneider, Lumsdaine 2010: LogGOPSim]
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator

from plait import __version__
from plait.errors import BadInput
from plait.formats.collective_rounds import rounds_of
from plait.formats.probes import MAY_FIND_NOTHING, probed
from plait.formats.trace import Collective, Side, Slice, Trace
from plait.results.base import Result

_UNSIZED = ("Alltoallw", "Reduce_scatter")
# Of collectives, what is rebuilt for another number of ranks; blocks are as long as the longest.
_REBUILT = {
    **{name: name.lower() for name in (
        "Barrier", "Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather", "Alltoall",
        "Reduce_scatter_block", "Scan", "Exscan",
    )},
    **{f"{name}v": name.lower() for name in ("Gather", "Scatter", "Allgather", "Alltoall")},
}  # fmt: skip
_MAKES_COMMUNICATORS = ("Comm_", "Cart_", "Graph_", "Dist_graph_", "Intercomm_", "Win_", "File_")
_TAGS = 1 << 30
_ONE_SIDED = ("Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap",
              "Rput", "Rget", "Raccumulate", "Rget_accumulate")  # fmt: skip
_FOR_SOME = ("Waitsome", "Waitany")
DOUBT = "not to be trusted: "  # begins a comment at the head of a file
_NO_WAIT = ("Init", "Init_thread", "Finalize")  # for messages


@dataclasses.dataclass
class _Operation:
    """An operation that a rank posts: rounds of statements without labels, sends and receives.

    A message is one round of one statement.
    """

    side: Side
    rounds: list[list[str]]
    collective: str = ""  # with `calls`, what the operation is, where it is a collective
    sent_at: int = 0  # of a receive: when its send was posted
    # Labels of the first and of the last round, once they have been written.
    begins: list[str] = dataclasses.field(default_factory=list)
    ends: list[str] = dataclasses.field(default_factory=list)

    def place_in_class(self) -> tuple[int, str, int]:
        """Returns the place among all of a rank, for ranks with the same neighbours the same."""
        kind, _, *peer = self.rounds[0][0].split()
        return self.side.begin, kind, int(peer[1]) if peer else 0


def goal_of(trace: Trace, about: Result, calls: bool = False) -> str:
    """Returns the text of a GOAL file. Errors: `BadInput` for a trace that cannot be simulated.

    `about`: the result of the same run. A message has a tag of its own. So no simulator can match
    messages otherwise than the run did.

    With `calls` the file is what plait makes programs for other numbers of ranks of. A collective
    is a calculation of no duration, which a comment names. Messages have names, and the program's
    tags. Computation that took no time stands there, too. A rank begins with its first event.
    """
    if not trace.is_of_calls:
        raise BadInput("--goal: needs a trace of plait attach; plait's own traces have no calls")
    if (about.get("sampling") or 1) > 1:
        raise BadInput(
            f"GOAL: of {about['sampling']} messages one was kept, and all are needed: take a run"
            " with fewer steps or ranks"
        )
    operations = _operations(trace, calls)
    programs = [_Rank(trace, rank, operations[rank], calls) for rank in range(trace.ranks)]
    lines = [*_head(trace, about, programs), f"num_ranks {trace.ranks}", ""]
    for rank, program in enumerate(programs):
        lines += [f"rank {rank} {{", *program.statements, *program.dependences, "}", ""]
    return "\n".join(lines)


def _head(trace: Trace, about: Result, programs: Iterable[_Rank]) -> list[str]:
    said = [f"plait {__version__}: {about.get('program', 'program')}, {trace.ranks} ranks"]
    if network := about.get("network"):
        said.append(
            f"measured between ranks: {1e9 * network['latency_s']:.0f} ns and "
            f"{1e9 * network['seconds_per_byte']:.4g} ns a byte"
        )
    if unsized := sorted({one.call for one in trace.collectives if one.name in _UNSIZED}):
        said.append(f"their sizes are not known, and stand as 1 byte: {', '.join(unsized)}")
    left_out: collections.Counter[str] = collections.Counter()
    for program in programs:
        left_out += program.left_out
    if left_out:
        calls = ", ".join(f"{call} ({times})" for call, times in sorted(left_out.items()))
        said.append(f"calls that waited for what is not in this file: {calls}")
    if doubts := list(_doubts(trace, left_out)):
        said.append(f"{DOUBT}{'; '.join(doubts)}")
    return [f"// {line}" for line in said]


def _doubts(trace: Trace, left_out: Iterable[str]) -> Iterator[str]:
    """Yields what takes no time in the file, or another one than in the run."""
    called = {one.call for found in trace.lanes.values() for one in found}
    if windows := sorted(called & set(_ONE_SIDED)):
        yield f"operations on windows take no time ({', '.join(windows)})"
    if unsized := sorted({one.call for one in trace.collectives if one.name in _UNSIZED}):
        yield f"sizes are not known of {', '.join(unsized)}"
    if unknown := sorted({one.call for one in trace.collectives if one.name[:8] == "Neighbor"}):
        yield f"who is whose neighbour is not known in {', '.join(unknown)}"
    if probes := sorted(set(left_out) & {"Probe", "Mprobe"}):
        yield f"no receive right behind says what was found by {', '.join(probes)}"


def _operations(trace: Trace, calls: bool) -> list[list[_Operation]]:
    """Returns what each rank posts, by the order of the posts.

    Of a rank with too many calls the last ones are not in the trace. What they post is left out on
    all ranks.
    """
    found: list[list[_Operation]] = [[] for _ in range(trace.ranks)]
    posts = {(rank, one.begin) for (rank, _), calls in trace.lanes.items()
             for one in calls if one.call}  # fmt: skip
    if calls:
        _refuse_what_has_no_law(trace)
    tag = 0
    for message in trace.messages:
        if not all((side.rank, side.begin) in posts for side in (message.sent, message.received)):
            continue
        tag += 1
        size = max(1, message.bytes)
        source, target = message.sent.rank, message.received.rank
        # With calls the k-th send meets the k-th receive, as MPI has it.
        of = (message.tag + 0x9E3779B1 * message.communicator) % _TAGS if calls else tag
        found[source].append(_Operation(message.sent, [[f"send {size}b to {target} tag {of}"]]))
        found[target].append(
            _Operation(
                message.received,
                [[f"recv {size}b from {source} tag {of}"]],
                sent_at=message.sent.begin,
            )
        )
    for one in trace.collectives:
        if one.name.startswith("Neighbor"):  # who is whose neighbour is not known
            continue
        if all((part.rank, part.begin) in posts for part in one.parts):
            tag += 1
            if calls:
                _add_call(found, one, trace.ranks)
            else:
                _add_collective(found, one, tag)
    for operations in found:
        operations.sort(key=_Operation.place_in_class if calls else lambda one: one.side.begin)
    return found


def _refuse_what_has_no_law(trace: Trace) -> None:
    """Left out, it would make other numbers of ranks faster, and nothing would say so."""
    for one in trace.collectives:
        if one.name.startswith("Neighbor"):
            raise BadInput(f"{one.call}: who is whose neighbour is not in the recording")
    for found in trace.lanes.values():
        for call in found:
            if call.call in _ONE_SIDED:
                raise BadInput(f"{call.call} at {call.name}: operations on windows have no law")


def _add_collective(found: list[list[_Operation]], one: Collective, tag: int) -> None:
    """Adds each rank's part. A rank sends to each other once at most, so one tag is enough."""
    members = [part.rank for part in one.parts]
    root = members.index(one.root) if one.root in members else -1
    size = max(1, *one.bytes)
    for place, part in enumerate(one.parts):
        rounds = rounds_of(one.name, place, len(members), root, size)
        texts = [[f"{'send' if step.is_send else 'recv'} {step.bytes}b "
                  f"{'to' if step.is_send else 'from'} {members[step.peer]} tag {tag}"
                  for step in steps] for steps in rounds]  # fmt: skip
        found[part.rank].append(_Operation(part, texts))


def _add_call(found: list[list[_Operation]], one: Collective, ranks: int) -> None:
    """Adds each rank's part as one operation."""
    members = [part.rank for part in one.parts]
    if len(members) == 1:
        return
    name = _REBUILT.get(one.name, one.name.lower())
    if one.name.startswith(_MAKES_COMMUNICATORS):
        name = "barrier"
    root = members.index(one.root) if one.root in members else 0
    size = 0 if name == "barrier" else max(one.bytes)
    if size == 0 and name != "barrier":
        raise BadInput(f"{one.call}: no rank has told how many bytes, or none has any, as with"
                       " MPI_IN_PLACE on all")  # fmt: skip
    among = "" if len(members) == ranks else f" among {len(members)} of {ranks} ranks"
    for part in one.parts:
        said = f"collective {name}{among} {size} bytes, root {root}"
        found[part.rank].append(_Operation(part, [["calc 0"]], said))


@dataclasses.dataclass
class _Thread:
    """A thread: what its next statement depends on, and up to when it has been written."""

    processor: int
    after: list[str] = dataclasses.field(default_factory=list)  # must have finished
    started: list[str] = dataclasses.field(default_factory=list)  # must have started
    now: int = 0


class _Rank:
    """The program of a rank: its threads are chains of computation and calls, a processor each."""

    def __init__(self, trace: Trace, rank: int, operations: list[_Operation], calls: bool) -> None:
        self._names_all = calls
        self.statements: list[str] = []
        self.dependences: list[str] = []
        self._labels = 0
        self.left_out: collections.Counter[str] = collections.Counter()
        self._computed_in_loops: dict[int, int] = {}  # by the end of the loop
        self._probed: set[int] = set()  # begins of receives that probes have posted
        self._posted: dict[int, list[_Operation]] = {}
        self._completed: dict[int, list[_Operation]] = {}
        for one in operations:
            self._posted.setdefault(one.side.begin, []).append(one)
            if one.side.end > one.side.begin:
                self._completed.setdefault(one.side.end, []).append(one)
        lanes = [found for lane, found in trace.lanes_of(rank) if lane.startswith("program")]
        for found in lanes:
            for probe, receive in probed(found):
                self._post_at(probe, receive)
        threads = [_Thread(processor) for processor in range(len(lanes))]
        if calls:  # that processes start one after the other is no work of theirs
            for thread, of_thread in zip(threads, lanes):
                thread.now = min((one.begin for one in of_thread), default=0)
        under_way: list[list[_Operation]] = [[] for _ in threads]
        called = [self._loops_as_one(found) if calls else found for found in lanes]
        for _, number, _, is_end, call in sorted(_ends_of_calls(called), key=lambda one: one[:4]):
            if is_end:
                self._end(threads[number], call, under_way[number])
            else:
                under_way[number] = self._begin(threads[number], call)
        for thread, found in zip(threads, lanes):
            self._compute(thread, max((one.end for one in found), default=0), "until the end")

    def _post_at(self, probe: Slice, receive: Slice) -> None:
        """Lets a probe post and complete the receive of the message that it has found."""
        posted = self._posted.get(receive.begin, [])
        if probe.call in MAY_FIND_NOTHING and any(one.sent_at > probe.end for one in posted):
            return
        self._posted.pop(receive.begin, None)
        for one in posted:
            if one.side.end > one.side.begin:
                self._completed[one.side.end].remove(one)
                self._completed.setdefault(probe.end, []).append(one)
        if posted:
            self._posted.setdefault(probe.begin, []).extend(posted)
            self._probed.add(receive.begin)

    def _begin(self, thread: _Thread, call: Slice) -> list[_Operation]:
        """Writes the computation before a call and what the call posts, and returns that."""
        if self._merges(call):
            return []
        self._compute(thread, call.begin, f"until {call.call} at {call.name}")
        posted = self._posted.pop(call.begin, [])
        for one in posted:
            after, begun = thread.after, thread.started
            if self._names_all:
                said = [one.collective, f"{call.call} at {call.name}"]
                self._comment(": ".join(filter(None, said)))
            for statements in one.rounds:
                one.ends = [self._add(text, thread, after, begun) for text in statements]
                one.begins = one.begins or one.ends
                after, begun = one.ends, []
        started = [label for one in posted for label in one.begins]
        thread.started = started or thread.started
        return posted

    def _end(self, thread: _Thread, call: Slice, posted: list[_Operation]) -> None:
        """Lets what follows a call wait for what the call has completed."""
        merges = not posted and self._merges(call)
        completed = [one for one in posted if one.side.end == one.side.begin]
        completed += self._completed.pop(call.end, [])
        ends = [label for one in completed for label in one.ends]
        ends.sort(key=lambda label: int(label[1:]))  # not as messages came
        over = {label for one in completed for label in (*one.begins, *one.ends)}
        if ends:
            earlier = [] if any(one in posted for one in completed) else thread.after
            thread.after = list(dict.fromkeys([*earlier, *ends]))
            thread.started = [label for label in thread.started if label not in over]
        is_empty = not posted and not completed and not merges and call.begin not in self._probed
        if call.kind == "exposed" and is_empty and call.call not in _NO_WAIT:
            self.left_out[call.call] += 1
        thread.now = thread.now + call.end - call.begin if merges else call.end
        thread.now -= self._computed_in_loops.get(call.end, 0)

    def _loops_as_one(self, lane: list[Slice]) -> list[Slice]:
        """Returns the calls of a lane, waits for some of several messages in a row as one.

        How many waits they take differs from run to run. What is computed in between comes behind.
        """
        found: list[Slice] = []
        for one in (one for one in lane if one.call):
            if one.begin == 0 and one.begin not in self._posted and one.call not in _NO_WAIT:
                continue  # from before a region: not on all ranks
            last = found[-1] if found else None
            place = (one.call, one.name)
            if last is None or one.call not in _FOR_SOME or (last.call, last.name) != place:
                found.append(one)
                continue
            between = self._computed_in_loops.pop(last.end, 0) + one.begin - last.end
            self._computed_in_loops[one.end] = between
            completed = self._completed.pop(last.end, [])
            self._completed[one.end] = completed + self._completed.get(one.end, [])
            found[-1] = dataclasses.replace(last, end=one.end)
        return found

    def _merges(self, call: Slice) -> bool:
        """Says if what was computed before a call is one with what is computed behind it.

        How many tests are in vain differs from run to run, so ranks would not be alike.
        """
        is_test = call.call.startswith("Test") or call.call in ("Iprobe", "Improbe")
        return (self._names_all and is_test
                and call.begin not in self._posted and call.end not in self._completed)  # fmt: skip

    def _compute(self, thread: _Thread, until: int, name: str) -> None:
        if until > thread.now or self._names_all:
            self._comment(name)
            took = max(0, until - thread.now)
            label = self._add(f"calc {took}", thread, thread.after, thread.started)
            thread.after, thread.started = [label], []
        thread.now = max(thread.now, until)

    def _comment(self, name: str) -> None:
        self.statements.append(f"// {' '.join(name.split())}")

    def _add(self, text: str, thread: _Thread, after: list[str], started: list[str]) -> str:
        self._labels += 1
        label = f"l{self._labels}"
        on = f" cpu {thread.processor}" if thread.processor else ""
        self.statements.append(f"{label}: {text}{on}")
        self.dependences += [f"{label} requires {other}" for other in after]
        self.dependences += [f"{label} irequires {other}" for other in started]
        return label


def _ends_of_calls(
    lanes: Iterable[list[Slice]],
) -> Iterator[tuple[int, int, int, bool, Slice]]:
    """Both ends of all calls: time, thread, number of the call, if it is the end, the call.

    Access to files is computation: no rank waits for another there that a message would show.
    """
    for thread, found in enumerate(lanes):
        for number, one in enumerate(found):
            if one.call and not one.call.startswith("File_"):
                yield one.begin, thread, number, False, one
                yield one.end, thread, number, True, one

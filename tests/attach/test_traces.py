# SPDX-License-Identifier: BSD-3-Clause
"""The trace of a program, read back: operations begin and end with its calls."""

import collections
import pathlib
import re
import sys
import tempfile
import unittest

from attached import RANKS, ROOT, run

sys.path.insert(0, str(ROOT / "python"))
from plait.formats.trace import read_trace
from plait.run.recorded_calls import recorded_calls


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            done = run("calls_c", options=["--quiet"], record=folder)
            assert done.code == 0, done.errors
            cls.profile, cls.trace = done.profile, read_trace(pathlib.Path(folder, "trace.json"))
            cls.recorded = recorded_calls(pathlib.Path(folder))
            cls.program = cls.recorded.program.read_text()

    def test_every_operation_begins_and_ends_with_a_call(self):
        begins, ends = set(), set()
        for (rank, _), found in self.trace.lanes.items():
            begins |= {(rank, one.begin) for one in found if one.call}
            ends |= {(rank, one.end) for one in found if one.call}
        sides = [side for one in self.trace.messages for side in (one.sent, one.received)]
        sides += [part for one in self.trace.collectives for part in one.parts]
        self.assertGreater(len(sides), 100)
        self.assertEqual([one for one in sides if (one.rank, one.begin) not in begins], [])
        # A request that the library completes at its post is waited for later, or never.
        late = [one for one in sides if one.end > one.begin and (one.rank, one.end) not in ends]
        self.assertEqual(late, [])

    def test_collectives_have_a_part_of_each_rank_and_a_root(self):
        names = {one.name for one in self.trace.collectives}
        self.assertLessEqual({"Barrier", "Bcast", "Reduce", "Allreduce", "Alltoall"}, names)
        calls = {one.call for one in self.trace.collectives}
        self.assertLessEqual({"Ibcast", "Iallreduce"}, calls)
        for one in self.trace.collectives:
            self.assertLessEqual(len(one.parts), RANKS)
            has_root = one.name in ("Bcast", "Reduce", "Scatter", "Gather")
            self.assertEqual(one.root >= 0, has_root or one.name in ("Scatterv", "Gatherv"), one)

    def test_blocks_of_different_sizes_are_noted_by_the_largest(self):
        found = [one for one in self.trace.collectives if one.name == "Alltoallv"]
        self.assertGreaterEqual({one.call for one in found}, {"Alltoallv", "Ialltoallv"})
        self.assertEqual({size for one in found for size in one.bytes}, {16})

    def test_messages_are_those_of_the_profile(self):
        seen = collections.Counter((one.sent.rank, one.received.rank) for one in self.trace.messages)
        for source, row in enumerate(self.profile["matrix"]["messages"]):
            for target, messages in enumerate(row):
                self.assertLessEqual(seen[source, target], messages)
        self.assertGreater(len(self.trace.members()), 1)

    def test_every_send_of_a_goal_file_has_its_receive(self):
        sent, received = collections.Counter(), collections.Counter()
        rank = -1
        for line in self.program.splitlines():
            rank += line.startswith("rank ")
            if found := re.fullmatch(r"l\d+: send (\d+)b to (\d+) tag (\d+).*", line):
                sent[rank, int(found[2]), found[1], found[3]] += 1
            elif found := re.fullmatch(r"l\d+: recv (\d+)b from (\d+) tag (\d+).*", line):
                received[int(found[2]), rank, found[1], found[3]] += 1
        self.assertGreater(sum(sent.values()), len(self.trace.messages))
        self.assertEqual(sent, received)

    def test_a_recording_says_who_looked_and_where_computation_ends(self):
        self.assertEqual((self.recorded.policy, self.recorded.nodes), ("none", ",".join("0" * RANKS)))
        self.assertEqual(self.recorded.took_s, self.profile["wall_s"])
        lines = self.program.splitlines()
        names = [lines[at - 1] for at, line in enumerate(lines) if ": calc " in line]
        self.assertGreater(len(names), 100)
        self.assertEqual([name for name in names if not name.startswith("// until ")], [])
        self.assertIn("until Iallreduce at ", self.program)


class Overlapped(unittest.TestCase):
    def test_what_is_computed_between_tests_in_vain_is_in_a_region_s_program(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("overlapped", options=["--quiet"], record=folder)
            self.assertEqual(done.code, 0, done.errors)
            recorded = recorded_calls(pathlib.Path(folder), region="step:1")
            text = recorded.program.read_text().partition("rank 1")[0]
        pieces = [int(ns) for ns in re.findall(r": calc (\d+)", text)]
        self.assertEqual(text.count(": recv "), 1)
        self.assertEqual(len([ns for ns in pieces if ns >= 2_000_000]), 5, pieces)
        self.assertGreaterEqual(recorded.took_s, 0.04)


if __name__ == "__main__":
    unittest.main()

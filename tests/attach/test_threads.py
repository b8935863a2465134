# SPDX-License-Identifier: BSD-3-Clause
"""Two threads that call MPI at the same time: each call is counted once, and results are the same."""

import collections
import unittest

from attached import RANKS, counts_of, run

SWITCHES = ([], ["--progress"], ["--trace=trace.json"], ["--verify"],
            ["--progress", "--trace=trace.json", "--verify"])  # fmt: skip


def words_of(output):
    """Returns the calls that a run says it made, and the lines that are the same in every run."""
    called, same = collections.Counter(), []
    for line in output.splitlines():
        if line.startswith("called "):
            _, name, count = line.split()
            called[name] += int(count)
        else:
            same.append(line)
    return called, sorted(same)


class Threads(unittest.TestCase):
    def test_calls_are_counted_once_and_results_are_the_same(self):
        _, plain = words_of(run("threads").output)
        self.assertEqual(plain.count("level multiple"), RANKS)
        self.assertEqual(len(plain), RANKS + 2 * RANKS)
        for switches in SWITCHES:
            with self.subTest(switches):
                done = run("threads", options=["--quiet", *switches])
                self.assertEqual(done.code, 0, done.errors)
                called, same = words_of(done.output)
                self.assertEqual(same, plain)
                seen = counts_of(done.profile)
                self.assertEqual({name: seen[name] for name in called}, dict(called))
                # How often a thread tests while it waits is up to the machine.
                others = [w for w in done.profile["warnings"] if "later ones are left out" not in w]
                self.assertEqual(others, [])

    def test_messages_of_both_threads_find_their_other_ends(self):
        profile = run("threads", options=["--quiet"]).profile
        sent = sum(map(sum, profile["matrix"]["messages"]))
        counts = counts_of(profile)
        self.assertEqual(sent, sum(counts[name] for name in ("MPI_Send", "MPI_Isend", "MPI_Issend")))
        self.assertNotIn("no other end", " ".join(profile["warnings"]))

    def test_a_buffer_that_one_thread_changes_is_named(self):
        profile = run("threads", "changed", options=["--quiet", "--verify"]).profile
        warnings = profile["warnings"]
        self.assertEqual(len(warnings), RANKS, warnings)
        for warning in warnings:
            self.assertRegex(warning, r"Issend at .*threads\.c:\d+\) was changed before Wait")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""No correct program is accused, and no share is above all of it, whatever handles requests have."""

import pathlib
import unittest

from attached import PROGRAMS, RANKS, run

SWITCHES = (["--verify"], ["--progress", "--trace=trace.json", "--verify"])


class Handles(unittest.TestCase):
    def check(self, case, switches):
        """Runs a case as it is and with plait; returns the profile."""
        plain = run("handles", case)
        self.assertEqual((plain.code, plain.output.count("of rank")), (0, RANKS), plain.errors)
        done = run("handles", case, options=["--quiet", *switches])
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual(sorted(done.output.splitlines()), sorted(plain.output.splitlines()))
        self.assertEqual(done.profile["warnings"], [])
        return done.profile

    def test_sends_are_waited_for_in_any_order(self):
        for switches in SWITCHES:
            self.check("two_sends", switches)

    def test_a_program_may_ask_whether_a_send_is_complete(self):
        for switches in SWITCHES:
            self.check("asked", switches)

    def test_datatypes_and_communicators_may_be_freed_early(self):
        for switches in ([], *SWITCHES):
            self.check("freed", switches)

    def test_requests_of_a_wait_that_fails_are_complete(self):
        # Open MPI 4.1 waits for ever for such requests at the thread level that --progress asks for.
        self.check("failing", ["--trace=trace.json", "--verify"])

    def test_memory_of_a_device_is_not_read(self):
        folder = pathlib.Path(PROGRAMS).with_name("stand_in")
        for library, seen_by in (("libcuda.so.1", "local"), ("libstand_in.so", "global")):
            words = ["device_memory", str(folder / library), seen_by]
            plain = run(*words)
            self.assertEqual((plain.code, plain.output.count("got 7")), (0, RANKS), plain.errors)
            done = run(*words, options=["--quiet", "--verify"])
            self.assertEqual((done.code, done.output.count("got 7")), (0, RANKS), done.errors)

    def test_threads_have_buffers_of_their_own(self):
        for switches in SWITCHES:
            self.check("with_threads", switches)

    def test_shares_are_of_the_time_of_all_threads(self):
        profile = self.check("with_threads", [])
        totals = profile["totals"]
        whole = totals["compute_s"] + totals["mpi_s"]
        self.assertEqual(totals["threads"], 5 * RANKS)
        self.assertGreaterEqual(totals["compute_s"], 0)
        self.assertLessEqual(totals["waiting_s"], totals["mpi_s"])
        self.assertLessEqual(totals["stolen_s"], totals["compute_s"])
        self.assertLessEqual(sum(site["time_s"] for site in profile["sites"]), 1.0001 * whole)
        for rank in profile["ranks_detail"]:
            self.assertLessEqual(rank["waiting_s"], rank["mpi_s"])
            self.assertLessEqual(rank["compute_s"] + rank["mpi_s"], 5 * rank["wall_s"])
        pop = profile["pop"]
        for name in ("load_balance", "communication_efficiency", "parallel_efficiency"):
            self.assertLessEqual(pop[name], 1.0001, name)
        self.assertIsNone(pop["serialisation"])


if __name__ == "__main__":
    unittest.main()

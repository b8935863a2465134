# SPDX-License-Identifier: BSD-3-Clause
"""Programs that exit, abort, crash, fork and are killed behave as before, and keep their profile."""

import unittest

from attached import counts_of, run


class Ends(unittest.TestCase):
    def check_end(self, how, options=("--quiet",)):
        """Compares a way to end with and without plait; returns the run with plait."""
        before, after = run("ends", how), run("ends", how, options=options)
        codes = {before.code}
        # Where several ranks fail, the launcher returns the code of whichever it hears of first.
        while before.code and after.code not in codes and len(codes) < 4:
            codes |= {run("ends", how).code for _ in range(5)}
            after = run("ends", how, options=options)
        self.assertIn(after.code, codes, after.errors)
        if before.code == 0:  # else a launcher may lose what ranks have printed
            self.assertEqual(sorted(after.output.splitlines()), sorted(before.output.splitlines()))
        return after

    def check_profile(self, done, least):
        self.assertIsNotNone(done.profile, done.errors)
        self.assertGreaterEqual(counts_of(done.profile)["MPI_Sendrecv"], least)
        self.assertEqual(done.profile["ranks"], 2)
        self.assertEqual(done.left, [])

    def test_an_exit_code_is_the_programs(self):
        done = self.check_end("code")
        self.check_profile(done, 3000)
        self.assertEqual(counts_of(done.profile)["MPI_Sendrecv"], 3000)

    def test_children_say_what_they_said_and_are_not_counted(self):
        done = self.check_end("fork")
        self.assertEqual(counts_of(done.profile)["MPI_Sendrecv"], 3000)

    def test_signals_of_the_program_arrive(self):
        for switches in ([], ["--progress"]):
            self.check_profile(self.check_end("signal", ["--quiet", *switches]), 3200)

    def test_a_jump_out_of_an_error_handler_loses_no_call_behind_it(self):
        for switches in ([], ["--progress"]):
            done = self.check_end("jump", ["--quiet", *switches])
            self.check_profile(done, 3000)
            self.assertEqual(counts_of(done.profile)["MPI_Finalize"], 2)

    def test_an_abort_keeps_the_profile(self):
        self.check_profile(self.check_end("abort"), 1000)

    def test_an_exit_of_one_rank_keeps_the_profile(self):
        self.check_profile(self.check_end("exit"), 1000)

    def test_a_killed_rank_leaves_a_profile(self):
        self.check_profile(self.check_end("kill"), 1000)

    def test_a_crash_leaves_a_profile(self):
        self.check_profile(self.check_end("crash"), 1000)

    def test_a_summary_is_short_and_on_one_rank(self):
        done = run("ends", "", options=[])
        lines = done.errors.splitlines()
        self.assertEqual(done.code, 0)
        self.assertGreater(len(lines), 5)
        self.assertLessEqual(len(lines), 30)
        self.assertLessEqual(max(map(len, lines)), 80, done.errors)


if __name__ == "__main__":
    unittest.main()

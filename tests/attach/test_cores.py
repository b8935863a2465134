# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that share a core are told so first, and nothing of what they wait for."""

import os
import unittest

from attached import run


class Cores(unittest.TestCase):
    def setUp(self):
        cores = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, {min(cores)})

    def test_two_ranks_on_one_core(self):
        done = run("truth", "imbalance", options=[])
        self.assertEqual(done.code, 0, done.errors)
        said = [line for line in done.errors.splitlines() if line.startswith("plait:")]
        self.assertIn("2 ranks share 1 core of ", said[1])
        self.assertNotIn("could be hidden", done.errors)
        cores = done.profile["cores"]
        self.assertTrue(cores["spoils_waits"])
        self.assertTrue(cores["says"].startswith("2 ranks share 1 core of "))
        self.assertEqual({site["advice"] for site in done.profile["sites"]}, {""})

    def test_without_progress_nothing_is_hidden_by_it(self):
        done = run("truth", "overlappable", options=["--quiet"])
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual(done.profile["progress"]["hidden_s"], 0)


if __name__ == "__main__":
    unittest.main()

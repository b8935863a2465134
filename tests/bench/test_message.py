# SPDX-License-Identifier: BSD-3-Clause
"""bench/message measures every way at every size, and says in one line what is wrong."""

from mpi_bench import MpiBench, Refuses, main

SHORT = ("--repeat", "2", "--sample-ms", "0.2")
THREE = (*SHORT, "--sizes", "8,4KiB,192KiB")


class Message(Refuses, MpiBench):
    bad_input = (
        (["--sizes", "0"], "--sizes"),
        (["--sizes", "8,8B"], "twice"),
        (["--sizes", "4GiB"], "4GiB"),
        (["--only", "nobody"], "nobody"),
        (["--policy", "spinning"], "spinning"),
        (["--burst", "0"], "--burst"),
        (["--window", "8"], "--window is --burst now"),
        (["--sample-ms", "0"], "--sample-ms"),
        ([], "2 ranks", 1),
    )

    def test_the_result_has_every_way_at_every_size(self):
        result = self.result_of(*THREE)
        self.assertEqual(set(result["rows"]), {"mpi", "plait", "plait replayed"})
        for row in result["rows"].values():
            self.assertEqual(set(row), {"8B", "4KiB", "192KiB"})
            for cell in row.values():
                for figure in ("latency_us", "bandwidth_MB_per_s"):
                    self.check_spread(cell[figure], 2)
                    self.assertGreater(cell[figure]["q1"], 0)
            self.assertIn("messages_per_s", row["8B"])
            self.assertNotIn("messages_per_s", row["192KiB"])

    def test_every_policy_and_burst_delivers(self):
        for policy in ("dedicated", "sleeping", "workers", "none"):
            with self.subTest(policy=policy):
                self.result_of("--repeat", "1", "--sample-ms", "0.2", "--sizes", "1,5000", "--policy", policy,
                               "--burst", "7", "--workers", "2")

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*THREE)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""network/loggp writes every time it took and the fit, and says in one line what is wrong."""

import math
import os
import unittest.mock

from mpi_bench import MPI, MpiBench, Refuses, main

EAGER = 6000  # bytes, no default
LONGEST_TRIED = 4 << 20
SHORT = ("--repeat", "3", "--max-size", "8KiB", "--floods", "none")
TIMES = ("prtt_1_0_s", "prtt_n_0_s", "prtt_n_d_s", "receiving_s")
ESTIMATES = ("gap_s", "send_overhead_s", "receive_overhead_s")


class Loggp(Refuses, MpiBench):
    bad_input = (
        (["--sizes", "0"], "--sizes"),
        (["--sizes", "8,16"], "1 byte"),
        (["--sizes", "1"], "two"),
        (["--sizes", "1,x"], "'x'"),
        (["--sizes", "1,1"], "twice"),
        (["--max-size", "1"], "--max-size"),
        (["--max-size", "2KiB,4KiB"], "one size"),
        (["--sizes", "1,2", "--max-size", "8KiB"], "exclude each other"),
        (["--messages", "1"], "--messages"),
        (["--bursts", "4"], "--messages"),
        (["--floods", "0"], "--floods"),
        (["--floods", "1GiB"], "--floods"),
        (["--link-rate", "-1"], "-1"),
        (["--link-burst", "128KiB"], "give both"),
        ([], "2 ranks", 1),
        ([], "2 ranks", 3),
    )

    def check_fit(self, fit, first, last):
        for key in ("latency_s", "send_overhead_s", "receive_overhead_s"):
            self.assertTrue(math.isfinite(fit[key]), key)
        segments = fit["segments"]
        self.assertEqual(segments[0]["first_bytes"], first)
        self.assertEqual(segments[-1]["last_bytes"], last)
        for segment in segments:
            self.assertGreaterEqual(segment["gap_s"], 0)
            self.assertGreaterEqual(segment["gap_per_byte_s"], 0)
            self.assertGreaterEqual(segment["line"]["residual_s"], 0)
        if fit["latency_s"] < 0:
            self.assertTrue(any(line.startswith("L came out") for line in fit["remarks"]))

    def test_the_result_has_every_time_of_every_size(self):
        result = self.result_of(*SHORT)
        sizes = result["sizes"]
        self.assertEqual([size["size_bytes"] for size in sizes], [1 + 1024 * i for i in range(8)])
        for size in sizes:
            for key in TIMES:
                self.check_spread(size[key], 3)
                self.assertGreater(size[key]["q1"], 0)
            for key in ESTIMATES:
                self.assertTrue(math.isfinite(size[key]["median"]), key)
                self.assertLessEqual(size[key]["q1"], size[key]["q3"])
        self.check_fit(result["fit"], 1, 1 + 7 * 1024)
        self.assertIsNone(result["link"])

    def test_s_is_where_the_library_begins_to_ask_first(self):
        """By Open MPI's options for messages in shared memory."""
        options = {
            "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_btl": "self,vader",
            "OMPI_MCA_btl_vader_eager_limit": str(EAGER),
        }
        with unittest.mock.patch.dict(os.environ, options):
            fit = self.result_of("--sizes", "1,100", "--repeat", "1", "--floods", "none")["fit"]
        found = fit["eager_limit_bytes"] or LONGEST_TRIED
        self.assertLessEqual(found, EAGER if MPI == "openmpi" else LONGEST_TRIED)
        self.assertGreater(found, EAGER - 256 if MPI == "openmpi" else 1)  # a header counts, too

    def test_what_was_sent_has_been_compared_with_what_arrived(self):
        result = self.result_of("--sizes", "1,100", "--repeat", "2", "--messages", "4",
                                "--floods", "none")
        # Of each size: 5 of one message and its answer, then twice 1, 4, 4 and 4 with theirs.
        self.assertTrue(result["verification"]["verified"])
        self.assertEqual(result["verification"]["messages_checked"], 2 * (5 * 2 + 2 * (2 + 3 * 5)))

    def test_floods_have_a_gap_one_way_and_both_ways(self):
        result = self.result_of("--sizes", "1,100", "--repeat", "2", "--messages", "2",
                                "--floods", "16KiB,4MiB")
        floods = result["floods"]
        self.assertEqual([flood["size_bytes"] for flood in floods], [16 * 1024, 4 * 1024 * 1024])
        self.assertEqual([flood["messages"] for flood in floods], [256, 4])
        for flood in floods:
            one, both = flood["one_way_gap_per_byte_s"], flood["both_ways_gap_per_byte_s"]
            self.check_spread(one, 2)
            self.check_spread(both, 2)
            self.assertGreater(one["q1"], 0)
            self.assertAlmostEqual(both["median"] / one["median"], flood["ratio"])
        # Of the client: bursts, then of three rounds those messages that come both ways.
        self.assertEqual(result["verification"]["messages_checked"],
                         2 * (5 * 2 + 2 * (2 + 3 * 3)) + 3 * (256 + 4))

    def test_a_link_is_held_against_what_it_carries(self):
        result = self.result_of("--sizes", "1,100,3000,5000,6000", "--repeat", "2",
                                "--link-rate", "1e9", "--link-burst", "2KiB", "--floods", "none")
        link = result["link"]
        self.assertEqual(link["payload_Bps"], 1e9)
        self.assertEqual(link["burst_bytes"], 2048)
        self.assertEqual(result["environment"]["link_rate_Bps"], 1e9)
        self.assertEqual(result["fit"]["segments"][-1]["first_bytes"], 3000)
        if link["ratio"] is not None:
            self.assertAlmostEqual(link["bandwidth_Bps"] / 1e9, link["ratio"])

    def test_sizes_beyond_what_a_link_lets_through_at_once_are_added(self):
        result = self.result_of("--max-size", "3KiB", "--repeat", "1", "--link-rate", "1e9",
                                "--link-burst", "16KiB", "--floods", "none")
        sizes = [size["size_bytes"] for size in result["sizes"]]
        self.assertEqual(sizes[:3], [1, 1025, 2049])
        self.assertEqual((sizes[3], sizes[-1], len(sizes)), (32768, 65536, 12))

    def test_raw_tcp_is_measured_beside_the_library(self):
        result = self.result_of("--sizes", "1,100,5000", "--repeat", "2", "--messages", "4",
                                "--floods", "none", "--raw-tcp")
        raw = result["raw_tcp"]
        self.assertEqual([size["size_bytes"] for size in raw["sizes"]], [1, 100, 5000])
        for size in raw["sizes"]:
            for key in TIMES:
                self.check_spread(size[key], 2)
                self.assertGreater(size[key]["q1"], 0)
        self.check_fit(raw["fit"], 1, 5000)
        # Of either: per size 5 of one message and its answer, then twice 1, 4, 4 and 4 with theirs.
        self.assertEqual(result["verification"]["messages_checked"],
                         2 * 3 * (5 * 2 + 2 * (2 + 3 * 5)))

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*SHORT)


if __name__ == "__main__":
    main()

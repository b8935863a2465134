# SPDX-License-Identifier: BSD-3-Clause
"""network/collective holds every prediction against a time, and says in one line what is wrong."""

import statistics

from mpi_bench import FEW, MpiBench, Refuses, main

SHORT = ("--repeat", "2", "--sample-ms", "0.1", "--messages", "2")
TWO = (*SHORT, "--op", "alltoall,allreduce", "--sizes", "8,16KiB")


class Collective(Refuses, MpiBench):
    bad_input = (
        (["--op", "alltoal"], "alltoal"),
        (["--algorithms", "best"], "best"),
        (["--op", "bcast", "--algorithms", "ring"], "none of bcast"),
        (["--sizes", "12"], "multiple of 8"),
        (["--sizes", "1024MiB"], "memory"),
        (["--fragment", "1KiB,2KiB"], "one size"),
        (["--messages", "1"], "--messages"),
        (["--sample-ms", "0"], "--sample-ms"),
        (["--link-rate", "-1"], "--link-rate"),
        (["--link-burst", "1KiB"], "--link-rate"),
        ([], "at least 2 ranks", 1),
    )

    def test_every_algorithm_is_measured_and_predicted_at_every_size(self):
        result = self.result_of(*TWO)
        rows = result["rows"]
        self.assertEqual(set(rows), {
            "alltoall linear", "alltoall pairwise", "alltoall bruck", "allreduce binomial",
            "allreduce ring", "allreduce recursive_doubling",
        })  # fmt: skip
        errors = []
        for name, columns in rows.items():
            self.assertEqual(set(columns), {"8B", "16KiB"})
            for cell in columns.values():
                self.assertEqual(f"{cell['op']} {cell['algorithm']}", name)
                self.assertIs(cell["verified"], True)
                self.check_spread(cell["measured_us"], 2)
                measured = cell["measured_us"]["median"]
                predicted = cell["predicted_us"]["median"]
                self.assertGreater(measured, 0)
                self.assertGreater(predicted, 0)
                error = 100 * (predicted - measured) / measured
                self.assertAlmostEqual(cell["error_percent"]["median"], error, 6)
                errors.append(abs(error))
        self.assertAlmostEqual(result["median_error_percent"]["all"], statistics.median(errors), 6)
        self.assertEqual(set(result["median_error_percent"]), {"alltoall", "allreduce", "all"})

    def test_messages_are_measured_up_to_the_largest(self):
        network = self.result_of(*TWO)["network"]
        self.assertEqual([size["size_bytes"] for size in network["sizes"]],
                         [1, 8, 64, 256, 1024, 4096, 16384])
        for size in network["sizes"]:
            self.assertGreater(size["first_s"], 0)
            self.assertGreater(size["first_both_ways_s"], 0)
            self.assertIn("next_both_ways_s", size)
            self.assertGreater(size["combine_per_byte_s"], 0)
            self.assertGreater(size["copy_per_byte_s"], 0)

    def test_behind_a_shaper_sizes_below_and_beyond_its_bucket_are_measured(self):
        network = self.result_of(*SHORT, "--op", "bcast", "--sizes", "64KiB", "--link-rate", "1e9",
                                 "--link-burst", "32KiB")["network"]
        self.assertEqual([size["size_bytes"] for size in network["sizes"]],
                         [1, 8, 64, 256, 1024, 4096, 16384, 24576, 65536, 131072, 262144])

    def test_a_few_ranks_run_every_operation(self):
        ops = ("allgather", "bcast", "gather", "reduce", "reduce_scatter", "scan", "scatter")
        result = self.result_of(*SHORT, "--op", ",".join(ops), "--sizes", "72", ranks=FEW)
        self.assertEqual({name.split()[0] for name in result["rows"]}, set(ops))

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*TWO)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""network/overlap measures every row in both directions, and says in one line what is wrong."""

from mpi_bench import MPI, MpiBench, Refuses, main

SHORT = ("--repeat", "2", "--sample-ms", "0.1", "--pieces", "3")
THREE = (*SHORT, "--sizes", "8,4KiB,256KiB")
WAYS = {"nonblocking", "nonblocking tested", "plait auto"}
FIGURES = {"availability_percent", "overhead_us", "base_us", "work_us", "iteration_us"}


class Overlap(Refuses, MpiBench):
    bad_input = (
        (["--sizes", "0"], "'0'"),
        (["--sizes", "4"], "'4'"),
        (["--sizes", "64GiB"], "64GiB"),
        (["--only", "blocking"], "blocking"),
        (["--pieces", "0"], "--pieces"),
        (["--sample-ms", "x"], "--sample-ms"),
        ([], "2 ranks", 1),
        ([], "2 ranks", 3),
    )

    def test_the_result_has_every_row_at_every_size_in_both_directions(self):
        result = self.result_of(*THREE)
        rows = result["rows"]
        self.assertEqual(set(rows) - {"alone"}, WAYS)
        columns = {f"{way} {size}" for way in ("send", "receive")
                   for size in ("8B", "4KiB", "256KiB")}
        for name in WAYS:
            self.assertEqual(set(rows[name]), columns)
            for cell in rows[name].values():
                self.assertLessEqual(FIGURES, set(cell))
                for figure in FIGURES:
                    self.check_spread(cell[figure], 2)

    def test_availability_follows_from_the_times_beside_it(self):
        result = self.result_of(*THREE)
        for name in WAYS:
            for cell in result["rows"][name].values():
                at = {figure: cell[figure]["samples"][0] for figure in FIGURES}
                self.assertAlmostEqual(at["overhead_us"], at["iteration_us"] - at["work_us"], 3)
                self.assertAlmostEqual(at["availability_percent"],
                                       100 * (1 - at["overhead_us"] / at["base_us"]), 3)
                self.assertGreater(at["iteration_us"], 1.5 * at["base_us"])

    def test_every_policy_delivers(self):
        policies = ",".join(f"plait {p}" for p in ("dedicated", "sleeping", "workers", "none"))
        result = self.result_of("--repeat", "1", "--sample-ms", "0.1", "--sizes", "1000",
                                "--only", policies)
        self.assertEqual(len(set(result["rows"]) - {"alone"}), 4)

    def test_the_transport_is_measured_where_a_message_takes_long_enough(self):
        # Open MPI moves a few fragments at each of the rare looks: 16 MiB are 20 s with it.
        size = "16MiB" if MPI == "mpich" else "4MiB"
        result = self.result_of("--repeat", "1", "--sample-ms", "0.1", "--sizes", size,
                                "--only", "nonblocking")
        # Where messages are that fast it has no place.
        for cell in result["rows"].get("alone", {}).values():
            if "transport_cpu_us" not in cell:  # no processor was left for the counting thread
                continue
            self.assertGreaterEqual(cell["transport_cpu_us"]["median"], 0)
            self.assertGreaterEqual(cell["attainable_percent"]["median"], 0)

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*THREE)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""network/nbc measures every row of every operation, and says in one line what is wrong."""

from mpi_bench import FEW, MpiBench, Refuses, main

SHORT = ("--repeat", "2", "--sample-ms", "0.1", "--pieces", "3")
TWO = (*SHORT, "--op", "alltoall,allreduce", "--sizes", "8,64KiB")
WAYS = {"blocking", "nonblocking", "nonblocking tested", "plait auto", "plait library"}
FIGURES = {
    "overhead_us", "overhead_percent", "confirmed_overlap_percent", "osu_overlap_percent",
    "imb_documents_percent", "imb_code_percent", "blocking_us", "pure_us", "overall_us",
    "computation_us", "working_us", "start_us", "tests_us", "wait_us",
}


class Nbc(Refuses, MpiBench):
    bad_input = (
        (["--op", "alltoal"], "alltoal"),
        (["--op", ""], "--op"),
        (["--sizes", "0"], "'0'"),
        (["--sizes", "12"], "multiple of 8"),
        (["--sizes", "64GiB"], "64GiB"),
        (["--sizes", "1024MiB"], "memory"),
        (["--only", "nobody"], "nobody"),
        (["--work-ratio", "0"], "--work-ratio"),
        (["--communicators", "1"], "--communicators"),
        (["--communicators", "2,3"], "--communicators"),
        (["--pieces", "0"], "--pieces"),
        (["--sample-ms", "0"], "--sample-ms"),
        ([], "at least 2 ranks", 1),
    )

    def test_the_result_has_every_row_at_every_operation_and_size(self):
        result = self.result_of(*TWO)
        rows = result["rows"]
        self.assertEqual(set(rows), WAYS | {"alone", "processor, 2 ranks"})
        self.assertEqual(set(result["environment"]["peers"]), WAYS)
        for name in rows:
            self.assertEqual(set(rows[name]), {"alltoall 8B", "alltoall 64KiB", "allreduce 8B",
                                               "allreduce 64KiB"})
        for name in WAYS:
            for cell in rows[name].values():
                self.assertLessEqual(FIGURES, set(cell))
                for figure in FIGURES:
                    self.check_spread(cell[figure], 2)
                self.assertIs(cell["verified"], True)
        self.assertEqual(rows["alone"]["allreduce 64KiB"]["op"], "allreduce")
        self.assertEqual(rows["alone"]["allreduce 64KiB"]["size_bytes"], 65536)

    def test_figures_follow_from_the_times_beside_them(self):
        result = self.result_of(*TWO)
        for name in WAYS:
            cell = result["rows"][name]["alltoall 64KiB"]
            at = {figure: cell[figure]["samples"][0] for figure in FIGURES}
            self.assertAlmostEqual(at["overhead_us"],
                                   at["start_us"] + at["tests_us"] + at["wait_us"], 3)
            self.assertAlmostEqual(at["overhead_percent"],
                                   100 * at["overhead_us"] / at["blocking_us"], 3)
            osu = 100 - 100 * (at["overall_us"] - at["working_us"]) / at["pure_us"]
            self.assertAlmostEqual(at["osu_overlap_percent"], max(0, osu), 3)
            self.assertLessEqual(at["imb_code_percent"], at["imb_documents_percent"])
            self.assertLessEqual(at["confirmed_overlap_percent"], 100)
        tests = {name: result["rows"][name]["alltoall 64KiB"]["tests_us"]["median"]
                 for name in WAYS}
        self.assertGreater(tests["nonblocking tested"], 0)
        self.assertEqual(tests["nonblocking"], 0)

    def test_every_operation_is_measured_on_a_few_ranks(self):
        ops = ("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast",
               "exscan", "gather", "gatherv", "neighbour_allgather", "neighbour_alltoall", "reduce",
               "reduce_scatter", "scan", "scatter", "scatterv")
        result = self.result_of("--repeat", "1", "--sample-ms", "0.1", "--sizes", "72",
                                "--op", ",".join(ops), "--only", "plait sleeping", ranks=FEW)
        self.assertEqual(set(result["rows"]["plait sleeping"]), {f"{op} 72B" for op in ops})
        for ranks in range(2, FEW + 1):
            self.assertIn(f"processor, {ranks} ranks", result["rows"])

    def test_every_policy_has_a_row_and_the_library_none_among_neighbours(self):
        policies = {f"plait {p}" for p in ("dedicated", "sleeping", "workers", "none")}
        ops = {"alltoall", "barrier", "neighbour_alltoall"}
        result = self.result_of("--repeat", "1", "--sample-ms", "0.1", "--sizes", "72",
                                "--op", ",".join(sorted(ops)), "--test-bytes", "1KiB", "--only",
                                ",".join(["plait library", "blocking", *sorted(policies)]))
        for name in policies:
            self.assertEqual(set(result["rows"][name]), {f"{op} 72B" for op in ops})
        self.assertEqual(set(result["rows"]["plait library"]), {"alltoall 72B", "barrier 72B"})
        self.assertEqual(result["parameters"]["test_bytes"], 1024)
        self.assertEqual(result["rows"]["blocking"]["barrier 72B"]["pieces"], 1)

    def test_the_transport_is_measured_where_a_call_takes_long_enough(self):
        result = self.result_of("--repeat", "1", "--sample-ms", "0.1", "--sizes", "8MiB",
                                "--work-ratio", "0.1", "--only", "blocking")
        cell = result["rows"]["alone"]["alltoall 8MiB"]
        if "transport_cpu_us" not in cell:  # no processor was left for the counting thread
            return
        self.assertGreaterEqual(cell["transport_cpu_us"]["median"], 0)
        self.assertLessEqual(cell["attainable_overlap_percent"]["median"], 100)

    def result_of_communicators(self):
        return self.result_of("--repeat", "1", "--sample-ms", "0.1", "--sizes", "4KiB,4MiB", "--op",
                              "allreduce", "--only", "blocking", "--communicators", "3,2",
                              ranks=FEW + 1)

    def test_processor_shares_are_of_the_ranks_that_are_asked_for(self):
        result = self.result_of_communicators()
        shares = {name for name in result["rows"] if name.startswith("processor")}
        self.assertEqual(shares, {"processor, 2 ranks", "processor, 3 ranks"})
        cell = result["rows"]["processor, 3 ranks"]["allreduce 4KiB"]
        self.assertEqual(cell["ranks"], 3)
        self.assertGreater(cell["processor_percent"]["median"], 0)
        self.assertGreater(cell["call_us"]["median"], 0)

    def test_calls_of_a_millisecond_have_a_share_that_they_need(self):
        result = self.result_of_communicators()
        for ranks in (2, 3):
            cell = result["rows"][f"processor, {ranks} ranks"]["allreduce 4MiB"]
            if cell["call_us"]["median"] < 1100 or "transport_percent" not in cell:
                continue  # no processor was left for the counting thread
            self.assertGreaterEqual(cell["transport_percent"]["median"], 0)

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*TWO)


if __name__ == "__main__":
    main()

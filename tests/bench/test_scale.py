# SPDX-License-Identifier: BSD-3-Clause
"""bench/scale says what a rank has allocated after each stage, and a rank more costs each little."""

from mpi_bench import FEW, MpiBench, Refuses, main

STAGES = ("environment", "runtime", "neighbours", "collectives", "window", "end of the runtime")
MOST_KIB_A_RANK = 4


class Scale(Refuses, MpiBench):
    bad_input = ((["--ranks", "2"], "--ranks"),)

    def kib(self, ranks):
        result = self.result_of(ranks=ranks)
        self.assertEqual(tuple(result["rows"]), STAGES)
        for stage in STAGES:
            for figure in ("allocated_kib", "took_ms"):
                self.check_spread(result["rows"][stage]["rank"][figure], ranks)
        return {stage: result["rows"][stage]["rank"]["allocated_kib"]["q3"] for stage in STAGES}

    def test_a_rank_more_costs_each_little(self):
        few, more = self.kib(2), self.kib(FEW + 2)
        for stage in STAGES:
            self.assertLess(more[stage] - few[stage], MOST_KIB_A_RANK * FEW, stage)
        self.assertLess(few["end of the runtime"], few["runtime"] / 10)
        self.assertLess(few["runtime"], few["neighbours"])


if __name__ == "__main__":
    main()

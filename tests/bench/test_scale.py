# SPDX-License-Identifier: BSD-3-Clause
"""bench/scale says what a rank has allocated after each stage, and a rank more costs each little."""

from mpi_bench import FEW, MpiBench, Refuses, main

STAGES = ("environment", "runtime", "neighbours", "collectives", "window", "end of the runtime")
MOST_KIB_A_RANK = 4  # collectives take 2.1 to 2.5


class Scale(Refuses, MpiBench):
    bad_input = ((["--ranks", "2"], "--ranks"),)

    def kib(self, ranks):
        """What each stage adds, and the last one leaves of all: the least of the ranks.

        Messages that wait take memory, too, and the end of the runtime frees it.
        """
        result = self.result_of(ranks=ranks)
        self.assertEqual(tuple(result["rows"]), STAGES)
        for stage in STAGES:
            for figure in ("allocated_kib", "took_ms"):
                self.check_spread(result["rows"][stage]["rank"][figure], ranks)
        of = [result["rows"][stage]["rank"]["allocated_kib"]["samples"] for stage in STAGES]
        before = [[0] * ranks, *of[:-2], of[0]]
        return {
            stage: min(b - a for a, b in zip(*pair)) for stage, *pair in zip(STAGES, before, of)
        }

    def test_a_rank_more_costs_each_little(self):
        few, more = self.kib(2), self.kib(FEW + 2)
        for stage in STAGES:
            self.assertLess(more[stage] - few[stage], MOST_KIB_A_RANK * FEW, stage)
        self.assertLess(few[STAGES[-1]], few["runtime"] / 10)
        self.assertGreater(few["neighbours"], 0)


if __name__ == "__main__":
    main()

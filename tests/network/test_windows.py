# SPDX-License-Identifier: BSD-3-Clause
"""network/windows measures every kind of window at every size, and says in one line what is wrong."""

from mpi_bench import MpiBench, Refuses, main

SHORT = ("--repeat", "2", "--sample-ms", "1")
THREE = (*SHORT, "--sizes", "1,8KiB,64KiB")
ROWS = {"messages", "rma", "rma allocated"}
FIGURES = {"get_us", "put_us", "put_MB_per_s", "get_while_target_computes_us",
           "put_while_target_computes_us"}


class Windows(Refuses, MpiBench):
    bad_input = (
        (["--sizes", "0"], "'0'"),
        (["--only", "sockets"], "sockets"),
        (["--policy", "quick"], "quick"),
        (["--sample-ms", "x"], "--sample-ms"),
        ([], "2 ranks", 1),
        ([], "2 ranks", 3),
    )

    def test_the_result_has_every_row_at_every_size(self):
        rows = self.result_of(*THREE)["rows"]
        self.assertEqual(set(rows), ROWS)
        for row in rows.values():
            self.assertEqual(set(row), {"1B", "8KiB", "64KiB"})
            for cell in row.values():
                self.assertLessEqual(FIGURES, set(cell))
                self.assertTrue(cell["reason"])
                for figure in FIGURES:
                    self.check_spread(cell[figure], 2)
                    self.assertGreater(cell[figure]["median"], 0)

    def test_every_policy_delivers(self):
        for policy in ("dedicated", "sleeping", "workers", "none"):
            words = ("--repeat", "1", "--sample-ms", "0.2", "--sizes", "1000", "--policy", policy)
            rows = self.result_of(*words)["rows"]
            self.assertEqual(set(rows), ROWS)

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*THREE)


if __name__ == "__main__":
    main()

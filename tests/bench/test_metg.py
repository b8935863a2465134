# SPDX-License-Identifier: BSD-3-Clause
"""bench/metg runs every pattern right on one rank and on several, and refuses bad input."""

from mpi_bench import MpiBench, Refuses, main

SHORT = ("--repeat", "1", "--steps", "20")
PATTERNS = ("trivial", "stencil_1d", "fft", "tree", "nearest", "spread", "random")


class Metg(Refuses, MpiBench):
    bad_input = (
        (["--patterns", "chaos"], "chaos"),
        (["--only", "openmp"], "openmp"),
        (["--width", "1"], "--width"),
        (["--steps", "0"], "--steps"),
        (["--policy", "spinning"], "spinning"),
        (["--longest-us", "0"], "--longest-us"),
    )

    def check_rows(self, result, implementations, ending):
        rows = result["rows"]
        self.check_spread(rows["kernel"]["alone"]["ns_per_iteration"], 1)
        self.assertEqual(set(rows), set(implementations) | {"kernel"})
        for name in implementations:
            self.assertEqual(set(rows[name]), {f"{pattern} {ending}" for pattern in PATTERNS})
            for cell in rows[name].values():
                # On a machine that is busy with other things nobody may get half of it.
                if "metg_us" in cell:
                    self.assertGreater(cell["metg_us"]["median"], 0)

    def test_one_rank_has_tasks_beside_openmp(self):
        result = self.result_of(*SHORT, "--width", "5", ranks=1)
        expected = set(result["environment"]["peers"])
        self.assertLessEqual({"plait", "plait replayed"}, expected)
        self.check_rows(result, expected, "1 process")
        self.assertEqual(result["parameters"]["workers"], 2)

    def test_several_ranks_have_messages_beside_mpi(self):
        for ranks, width in ((2, 4), (3, 7)):
            with self.subTest(ranks=ranks):
                result = self.result_of(*SHORT, "--width", str(width), "--longest-us", "50",
                                        ranks=ranks)
                self.check_rows(result, {"plait", "plait replayed", "mpi"}, f"{ranks} processes")

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*SHORT, "--width", "4", "--longest-us", "50")


if __name__ == "__main__":
    main()

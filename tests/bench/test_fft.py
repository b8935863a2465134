# SPDX-License-Identifier: BSD-3-Clause
"""bench/fft runs every row on the same transforms, checks each, and refuses bad input."""

import math

from mpi_bench import FEW, MpiBench, Refuses, main, run

OWN = ["base", "olap", "plait", "ideal"]
PEERS = {"fftw-mpi", "mpi4py-fft"}
SHORT = ("--plans", "estimated", "--repeat", "2", "--steps", "2")


class Fft(Refuses, MpiBench):
    bad_input = (
        (["--class", "Q"], "--class"),
        (["--class", "8x8x8,8x8x8"], "twice"),
        (["--class", "60x45x1"], "1 planes along z"),
        (["--class", "D"], "memory"),
        (["--programs", "fft4d"], "fft4d"),
        (["--only", "nobody"], "nobody"),
        (["--plans", "quick"], "quick"),
        (["--policy", "lazy"], "lazy"),
        (["--steps=-1"], "--steps"),
        (["--link-rate=-1"], "--link-rate"),
    )

    def check_rows(self, result, columns, transforms):
        built = PEERS - set(result["environment"]["peers_not_built"])
        rows = result["rows"]
        self.assertEqual(set(rows) - {"alone", "bound", "attainable"}, {*OWN, *built})
        self.assertEqual(set(result["environment"]["peers"]), {*OWN, *built})
        for name in (*OWN, *built):
            self.assertEqual(set(rows[name]), set(columns))
            for column, cell in rows[name].items():
                self.assertIs(cell["verified"], True, f"{name} {column}")
                self.assertLessEqual(cell["max_error"], cell["error_bound"])
                self.assertEqual(cell["transforms"], transforms[column])
                self.check_spread(cell["total_us"], 2)
                self.assertEqual("exposed_us" in cell, name in OWN)
        for column in columns:
            alone = rows["alone"][column]
            self.assertEqual(alone["computation_us"], rows["ideal"][column]["total_us"])
            larger = [max(pair) for pair in zip(alone["communication_us"]["samples"],
                                                alone["computation_us"]["samples"], strict=True)]
            self.assertEqual(rows["bound"][column]["total_us"]["samples"], larger)

    def test_every_row_gives_the_checksums_of_ft_and_the_waves_of_fft3d(self):
        columns = ["ft S", "ft 30x21x17", "fft3d 64x64x64", "fft3d 30x21x17"]
        result = self.result_of(*SHORT, "--class", "S,30x21x17", ranks=FEW)
        self.check_rows(result, columns, {c: 3 if c.startswith("ft ") else 4 for c in columns})

    def test_the_rate_is_npbs_for_ft(self):
        rows = self.result_of(*SHORT, "--class", "24x12x10", "--programs", "ft",
                              "--only", "base")["rows"]
        self.assertEqual(set(rows) - {"alone", "bound", "attainable"}, {"base", "ideal"})
        n = 24 * 12 * 10
        operations = n * (14.8157 + 7.19641 * math.log(n) + 2 * (5.23518 + 7.21113 * math.log(n)))
        cell = rows["base"]["ft 24x12x10"]
        for total, rate in zip(cell["total_us"]["samples"], cell["gflops"]["samples"], strict=True):
            self.assertAlmostEqual(rate * total * 3 / (operations * 1e-3), 1, places=9)

    def test_ranks_of_which_some_have_no_plane_of_a_peer(self):
        # FFTW deals 9 planes to 4 ranks as 3, 3, 3 and none.
        ranks = 4 if FEW > 2 else 2
        columns = ["ft 8x9x9", "fft3d 8x9x9"]
        result = self.result_of(*SHORT, "--class", "8x9x9", ranks=ranks)
        self.check_rows(result, columns, {"ft 8x9x9": 3, "fft3d 8x9x9": 4})

    def test_a_peer_that_is_not_built_is_refused_in_a_line(self):
        built = self.result_of(*SHORT, "--class", "8x8x8", "--only", "ideal")
        missing = built["environment"]["peers_not_built"]
        self.check_refusals(*((["--only", f"base,{name}"], why) for name, why in missing.items()))

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*SHORT, "--class", "8x8x8", "--only", "ideal")

    def test_help_names_the_rows(self):
        done = run("--help", ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("--class", "--programs", "--plans", *OWN):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    main()

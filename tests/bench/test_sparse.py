# SPDX-License-Identifier: BSD-3-Clause
"""bench/sparse runs every row on the same matrix, checks each, and refuses bad input."""

from mpi_bench import FEW, MpiBench, Refuses, main, run

OWN = ["base", "olap", "plait", "ideal"]
PEERS = {"petsc", "librsb"}
SHORT = ("--repeat", "2", "--steps", "3")
LIMITS = {"alone", "bound", "attainable"}


class Sparse(Refuses, MpiBench):
    bad_input = (
        (["--matrix", "hilbert"], "hilbert"),
        (["--points", "4x4"], "--points"),
        (["--points", "2000x2000x2000"], "--points"),
        (["--mtx", "/no/such/file.mtx"], "/no/such/file.mtx"),
        (["--only", "nobody"], "nobody"),
        (["--policy", "lazy"], "lazy"),
        (["--steps", "0"], "--steps"),
        (["--link-rate=-1"], "--link-rate"),
        (["--piece", "0"], "--piece"),
        (["--deal", "scotch"], "scotch"),
    )

    def check_rows(self, result):
        built = PEERS - set(result["environment"]["peers_not_built"])
        rows = result["rows"]
        self.assertEqual(set(rows) - LIMITS, {*OWN, *built, "triad"})
        self.assertEqual(set(result["environment"]["peers"]), {*OWN, *built})
        for name in (*OWN, *built):
            product, own = rows[name].get("product"), rows[name].get("own block")
            self.assertEqual(product is None, name == "librsb")
            self.assertEqual(own is None, name in ("base", "olap", "ideal"))
            for cell in (one for one in (product, own) if one):
                self.assertIs(cell["verified"], True, name)
                self.assertLessEqual(cell["max_error"], cell["error_bound"])
                self.check_spread(cell["total_us"], 2)
            if product:
                self.assertEqual("exposed_us" in product, name in OWN)
            if own:
                triad = rows["triad"]["own block"]["bytes_per_s"]["samples"]
                shares = [
                    rate / most
                    for rate, most in zip(own["bytes_per_s"]["samples"], triad, strict=True)
                ]
                self.assertEqual(sorted(own["fraction_of_triad"]["samples"]), sorted(shares))
        alone = rows["alone"]["product"]
        self.assertEqual(alone["computation_us"], rows["ideal"]["product"]["total_us"])

    def test_every_row_gives_the_product(self):
        for words in (
            ("--points", "9x8x14", "--piece", "3000"),
            ("--matrix", "power-law", "--rows", "700", "--nnz-per-row", "6", "--deal", "metis"),
            ("--points", "9x8x14", "--method", "residues"),
            ("--points", "6x5x7", "--method", "cg"),
        ):
            with self.subTest(words=words):
                self.check_rows(self.result_of(*SHORT, *words, ranks=FEW))

    def test_ranks_without_rows(self):
        self.check_rows(self.result_of(*SHORT, "--points", "2x1x1", ranks=FEW))

    def test_only_what_was_asked_for_runs(self):
        rows = self.result_of(*SHORT, "--points", "8x8x8", "--only", "base")["rows"]
        self.assertEqual(set(rows) - LIMITS, {"base", "ideal", "plait", "triad"})
        self.assertNotIn("product", rows["plait"])

    def test_a_peer_that_is_not_built_is_refused_in_a_line(self):
        built = self.result_of(*SHORT, "--points", "4x4x4", "--only", "ideal")
        missing = built["environment"]["peers_not_built"]
        self.check_refusals(*((["--only", f"base,{name}"], why) for name, why in missing.items()))

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*SHORT, "--points", "8x8x8", "--only", "base")

    def test_help_names_the_rows(self):
        done = run("--help", ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("--mtx", "--points", "--deal", *OWN):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    main()

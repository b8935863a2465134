# SPDX-License-Identifier: BSD-3-Clause
"""bench/dense runs every row on the same matrices, checks each, and refuses bad input."""

import shutil
import stat
import tempfile
from pathlib import Path

from mpi_bench import FEW, MPI, MPIEXEC, MPIRUN, MpiBench, main, run

OWN = ["base", "olap", "plait"]
SHORT = ("--repeat", "2", "--blocks", "8,16", "--pilaenv", "0,24")
SEVERAL = 4 if FEW > 2 else 2

# Stands for hpcc: solves nothing, and says what is asked of it.  16 is the better block.
FAKE_HPCC = """#!/bin/sh
n=$(sed -n 6p hpccinf.txt)
blocks=$(sed -n 8p hpccinf.txt)
{
  echo "Begin of PTRANS section."
  echo "WALL $n $n 80 80 2 2 0.05 PASSED 1.0 0.00"
  echo "Begin of HPL section."
  for block in $blocks; do
    echo "WR11C2R4 $n $block 1 2 0.00 $block.5e+00"
    echo "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=    RESIDUAL ...... RESULT"
  done
} >hpccoutf.txt
"""


def operations_of_hpl(n):
    return 2 / 3 * n**3 + 1.5 * n**2


class Dense(MpiBench):
    def real_hpcc(self, ranks):
        """Words for the real one, where it is installed."""
        hpcc = shutil.which("hpcc")
        if Path(MPIEXEC).name != "mpiexec.openmpi" or hpcc is None:
            return []
        started = f"{MPIRUN} {MPI} {MPIEXEC} {ranks} env OPENBLAS_NUM_THREADS=1 {hpcc}"
        return ["--hpcc", started]

    def fake_hpcc(self, residual, result):
        """Words for one that prints these."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Path(folder.name) / "hpcc"
        program.write_text(FAKE_HPCC.replace("RESIDUAL", residual).replace("RESULT", result))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return ["--hpcc", str(program)]

    def check_rows(self, result, orders):
        missing = result["environment"]["peers_not_built"]
        rows = result["rows"]
        expected = {*OWN, "scalapack", "lapack", "hpcc"} - set(missing)
        self.assertEqual(set(rows), expected)
        self.assertEqual(set(result["environment"]["peers"]), expected)
        self.assertTrue(result["environment"]["blas"].endswith("threads: 1"))
        for name, cells in rows.items():
            programs = ["hpl"] if name == "hpcc" else ["hpl", "summa"]
            self.assertEqual(set(cells), {f"{p} {n}" for p in programs for n in orders})
            for column, cell in cells.items():
                self.assertIs(cell["verified"], True, f"{name} {column}")
                self.assertLessEqual(cell["max_error"], cell["error_bound"])
                self.assertGreater(cell["max_error"], 0)  # a residual that is exactly 0 is none
                self.check_spread(cell["total_us"], 2)
                self.assertEqual("exposed_us" in cell, name in OWN)
                self.assertTrue(any(line.startswith(cell["settings"] + ": ")
                                    for line in cell["tried"]), cell["tried"])
                self.assertEqual(len(cell["tried"]), {"scalapack": 4, "hpcc": 16}.get(name, 2))

    def test_every_row_solves_and_multiplies_on_two_ranks(self):
        result = self.result_of(*SHORT, "--n", "100,37", *self.real_hpcc(2))
        self.check_rows(result, [100, 37])
        self.assertEqual(result["parameters"]["grid"], [1, 2])

    def test_every_row_solves_and_multiplies_on_a_square_of_ranks(self):
        result = self.result_of(*SHORT, "--n", "100", *self.real_hpcc(SEVERAL), ranks=SEVERAL)
        self.check_rows(result, [100])

    def test_on_one_rank_openblas_solves_with_threads(self):
        words = ("--n", "100", "--programs", "hpl", "--only", "plait,lapack", "--workers", "2")
        cell = self.result_of(*SHORT, *words, ranks=1)["rows"]["lapack"]["hpl 100"]
        self.assertIs(cell["verified"], True)
        self.assertEqual(cell["settings"], "threads 2")

    def test_ranks_without_a_block(self):
        words = ("--n", "9", "--grid", f"{SEVERAL}x1", "--only", "base,plait")
        rows = self.result_of(*SHORT, *words, ranks=SEVERAL)["rows"]
        self.assertEqual({cell["verified"] for row in rows.values() for cell in row.values()},
                         {True})

    def test_the_rate_counts_the_operations_of_netlib_and_of_a_product(self):
        rows = self.result_of(*SHORT, "--n", "60", "--only", "olap")["rows"]
        for column, operations in (("hpl 60", operations_of_hpl(60)), ("summa 60", 2 * 60**3)):
            cell = rows["olap"][column]
            for total, rate in zip(cell["total_us"]["samples"], cell["gflops"]["samples"],
                                   strict=True):
                self.assertAlmostEqual(rate * total * 1e3 / operations, 1, places=9)

    def test_what_hpcc_prints_is_read_and_its_best_settings_are_kept(self):
        words = ["--n", "50", "--programs", "hpl", "--only", "hpcc"]
        result = self.result_of(*SHORT, *words, *self.fake_hpcc("0.0125", "PASSED"))
        cell = result["rows"]["hpcc"]["hpl 50"]
        self.assertEqual(cell["settings"], "block 16, WR11C2R4")
        self.assertEqual(cell["tried"], ["block 8, WR11C2R4: 8.5 Gflop/s",
                                         "block 16, WR11C2R4: 16.5 Gflop/s"])
        self.assertEqual(cell["max_error"], 0.0125)
        for total in cell["total_us"]["samples"]:
            self.assertAlmostEqual(total, operations_of_hpl(50) / 16.5e3)

    def test_a_residual_that_hpcc_itself_rejects_is_not_verified(self):
        words = ["--n", "50", "--programs", "hpl", "--only", "hpcc"]
        done = run(*SHORT, *words, *self.fake_hpcc("1234.5", "FAILED"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("dense: hpcc, hpl 50: the residual is 1.23e+03", done.stderr)

    def test_a_row_that_is_not_there_is_refused_in_a_line(self):
        built = self.result_of(*SHORT, "--n", "8", "--only", "base")
        missing = built["environment"]["peers_not_built"]
        self.assertIn("hpcc", missing)  # nobody said how it starts
        self.check_refusals(*((["--only", f"base,{name}"], why) for name, why in missing.items()))

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*SHORT, "--n", "60", "--only", "olap")

    def test_help_names_the_rows(self):
        done = run("--help", ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("--n", "--programs", "--blocks", "--pilaenv", "--hpcc", "scalapack", *OWN):
            self.assertIn(word, done.stdout)

    def test_bad_input_is_one_line_and_status_2(self):
        self.check_refusals(
            (["--n", "0"], "--n is '0'"),
            (["--n", "100,100"], "twice"),
            (["--n", "100,"], "--n is '100,'"),
            (["--n", "200000"], "memory"),
            (["--blocks", "8,x"], "--blocks is '8,x'"),
            (["--pilaenv=-1"], "--pilaenv is '-1'"),
            (["--grid", "3x5"], "3x5"),
            (["--programs", "lu"], "lu"),
            (["--only", "nobody"], "nobody"),
            (["--only", "hpcc", "--programs", "summa", *self.fake_hpcc("0.1", "PASSED")],
             "hpcc multiplies no matrices"),
            (["--policy", "lazy"], "lazy"),
            (["--repeat", "0"], "--repeat"),
            (["--json", "/no/such/folder/result.json"], "/no/such/folder"),
        )


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Another library before MPI, and a program that calls past plait."""

import pathlib
import re
import subprocess
import unittest

from attached import LIBRARY, PROGRAMS, RANKS, counts_of, run

BESIDE = pathlib.Path(PROGRAMS).parent


class Others(unittest.TestCase):
    def test_another_preloaded_library_sees_each_call_too(self):
        tool = {"LD_PRELOAD": str(BESIDE / "libtool.so")}
        said = ["tool: 1 start, 400 sends"] * RANKS
        plain = run("handles", "two_sends", more=tool)
        self.assertEqual(re.findall(r"tool: .*", plain.output), said, plain.errors)
        for switches in ([], ["--progress", "--verify"]):
            done = run("handles", "two_sends", options=["--quiet", *switches], more=tool)
            self.assertEqual(sorted(done.output.splitlines()), sorted(plain.output.splitlines()))
            self.assertEqual(counts_of(done.profile)["MPI_Isend"], RANKS * 400)

    def test_a_program_that_calls_past_plait_is_told_so_once(self):
        linked = subprocess.run(["ldd", BESIDE / "handles"], capture_output=True, text=True, check=True)
        library = re.search(r"=> (\S*/lib(?:mpi|mpich|mpi_abi)\.so\S*)", linked.stdout)[1]
        done = run("late", library, options=["--mpi", LIBRARY])
        # Intel MPI's launcher leaves out ends of lines where it keeps the lines of ranks apart.
        self.assertEqual((done.code, re.findall("late", done.output)), (0, ["late"] * RANKS), done.errors)
        self.assertEqual(done.errors.count("nothing was measured"), 1, done.errors)
        self.assertIsNone(done.profile)


if __name__ == "__main__":
    unittest.main()

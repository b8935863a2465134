# SPDX-License-Identifier: BSD-3-Clause
"""A program compiles by other compilers and standards than those that plait is built with.

    test_other_compilers.py ROOT COMPILER CLANG

COMPILER reads C++23, CLANG C++20 and what it knows of C++23.
"""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
COMPILER, CLANG = sys.argv[2:4]


class OtherCompilers(unittest.TestCase):
    def compile_program(self, compiler, standard):
        done = subprocess.run(
            [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
             "-I", ROOT / "include", ROOT / "examples/13_ghosts.cpp"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_our_own_compiler_reads_the_next_standard(self):
        self.compile_program(COMPILER, "c++23")

    def test_clang_reads_ours(self):
        self.compile_program(CLANG, "c++20")

    def test_clang_reads_the_next_standard(self):
        self.compile_program(CLANG, "c++2b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

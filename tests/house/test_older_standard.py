# SPDX-License-Identifier: BSD-3-Clause
"""Whatever header of plait a program includes, C++17 is refused before anything else is said.

    test_older_standard.py ROOT COMPILER
"""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
COMPILER = sys.argv[2]


class OlderStandard(unittest.TestCase):
    def test_every_public_header_says_what_it_needs(self):
        headers = sorted((ROOT / "include").rglob("*.hpp"))
        self.assertGreater(len(headers), 50)
        for header in headers:
            name = header.relative_to(ROOT / "include").as_posix()
            done = subprocess.run(
                [COMPILER, "-std=c++17", "-fsyntax-only", "-I", ROOT / "include", "-x", "c++", "-"],
                input=f"#include <{name}>\n", capture_output=True, text=True)
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            self.assertIn("plait needs C++20", (errors or ["nothing"])[0], name)
            self.assertEqual(len(errors), 2, done.stderr)  # and the end of the compilation


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

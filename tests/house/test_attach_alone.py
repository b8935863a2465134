# SPDX-License-Identifier: BSD-3-Clause
"""Tests that attach alone needs a compiler and an MPI library: no other package, no other header.

    test_attach_alone.py LIBRARY

LIBRARY is what PLAIT_MPI takes.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = sys.argv[1]
PACKAGES = ("Boost", "CLI11", "GTest", "PkgConfig", "Zydis", "benchmark", "fmt", "nlohmann_json")
HEADERS = re.compile(r"/(fmt|nlohmann|boost|Zydis|elfutils|CLI|gtest)/|/(hwloc|dwarf|libelf|gelf)[.]h")


class AttachAlone(unittest.TestCase):
    def test_no_package_is_looked_for_and_no_header_of_one_is_included(self):
        with tempfile.TemporaryDirectory() as made:
            done = subprocess.run(
                ["cmake", "--preset", "attach", "-S", TREE, "-B", made, f"-DPLAIT_MPI={LIBRARY}",
                 "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                 *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in PACKAGES)],
                capture_output=True, text=True, cwd=TREE)
            self.assertEqual(done.returncode, 0, done.stderr)
            entries = json.loads(pathlib.Path(made, "compile_commands.json").read_text())
            self.assertGreater(len(entries), 10)
            for entry in entries:
                if entry["file"].endswith(("wrappers.cpp", "fortran_sites.cpp")):  # not there yet
                    continue
                words = shlex.split(entry["command"])
                at = words.index("-o")
                # What is included, without the generated header, and nothing is compiled.
                done = subprocess.run([*words[:at], *words[at + 2:], "-M", "-MG"], cwd=entry["directory"],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([word for word in done.stdout.split() if HEADERS.search(word)], [], entry["file"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

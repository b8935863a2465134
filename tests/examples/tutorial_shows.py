# SPDX-License-Identifier: BSD-3-Clause
"""Checks what the tutorial's pages say that its programs show: waits by attach, a ledger and a page by plait.

    tutorial_shows.py MPI MPIEXEC PRELOADED LOOP REPLAY
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPI, MPIEXEC, PRELOADED, LOOP, REPLAY = sys.argv[1:6]
ATTACH = ["/usr/bin/python3", "-I", "-S", "-B", ROOT / "python/plait/attach/__main__.py"]
PLATE = (ROOT / "examples/tutorial/plate.expected").read_text()


class Tutorial(unittest.TestCase):
    def run_on_two_ranks(self, *words, **more):
        told = {**os.environ, "PLAIT_BIN_DIR": str(pathlib.Path(PRELOADED).parent), **more}
        done = subprocess.run([ROOT / "tests/support/mpirun", MPI, MPIEXEC, "2", *words],
                              capture_output=True, text=True, timeout=100, env=told)
        self.assertEqual((done.returncode, done.stdout), (0, PLATE), done.stderr)
        return done.stderr

    def test_attach_names_the_line_of_the_loop_that_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "loop.json")
            said = self.run_on_two_ranks(*ATTACH, "--json", file, "--", LOOP)
            sites = json.loads(file.read_text())["sites"]
        self.assertIn("plait: 1_loop, 2 ranks", said)
        lines = (ROOT / "examples/tutorial/1_loop.c").read_text().splitlines()
        sendrecvs = [one for one in sites if one["call"] == "MPI_Sendrecv"]
        self.assertEqual([one["count"] for one in sendrecvs], [160, 160])  # 80 steps of two ranks
        for one in sendrecvs:
            self.assertIn("MPI_Sendrecv(", " ".join(lines[one["line"] - 1 : one["line"] + 1]))

    def test_plait_leaves_a_ledger_and_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page, result = pathlib.Path(folder, "plate.html"), pathlib.Path(folder, "plate.json")
            said = self.run_on_two_ranks(REPLAY, PLAIT_LEDGER="1", PLAIT_REPORT=str(page), PLAIT_RESULT=str(result))
            self.assertIn("where the time went", said)
            self.assertTrue(page.read_text().startswith("<!doctype html>"))
            rows = json.loads(result.read_text())["ledger"]
        self.assertEqual({row["rank"] for row in rows}, {0, 1})
        for row in rows:
            spent = sum(row[part] for part in ("compute_s", "posting_s", "exposed_s", "overhead_s", "idle_s"))
            self.assertLessEqual(abs(spent - row["wall_s"]), 0.01 * row["wall_s"], row)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

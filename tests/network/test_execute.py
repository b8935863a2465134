# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the program that runs simulated programs for real.

    test_execute.py LIBRARY MPIEXEC EXECUTE KEPT_PROGRAM SIMULATE
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).parent.parent.parent
LIBRARY, MPIEXEC, EXECUTE, PROGRAM, SIMULATE = sys.argv[1:6]
RUN = re.compile(r"^run (\d+) ns$", re.MULTILINE)

# 20 ms of computation, a long message to and fro, 20 ms more: on both ranks one after the other.
GOAL = """num_ranks 2
rank 0 {
c1: calc 20000000
s1: send 200000b to 1 tag 3
r1: recv 200000b from 1 tag 4
s1 requires c1
r1 requires c1
}
rank 1 {
r1: recv 200000b from 0 tag 3
c1: calc 20000000
s1: send 200000b to 0 tag 4
c1 requires r1
s1 requires c1
}
"""
# Each waits for what comes behind its own send.
CYCLE = """num_ranks 1
rank 0 {
a: calc 10
b: calc 10
a requires b
b requires a
}
"""


class Execute(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def run_ranks(self, ranks, program, *words, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PLAIT_")}
        return subprocess.run(
            [TREE / "tests/support/mpirun", LIBRARY, MPIEXEC, str(ranks), program, *words],
            capture_output=True, text=True, env={**clean, **variables}, cwd=self.folder, timeout=120)

    def goal(self, text=GOAL):
        file = self.folder / "program.goal"
        file.write_text(text)
        return file

    def test_it_takes_at_least_the_time_of_the_computation(self):
        for looks in ("always", "idle", "500"):
            done = self.run_ranks(2, EXECUTE, "--file", self.goal(), "--repeat", "2", "--looks", looks)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            runs = [int(ns) for ns in RUN.findall(done.stdout)]
            self.assertEqual(len(runs), 2, done.stdout)
            for ns in runs:
                self.assertGreaterEqual(ns, 40_000_000)

    def test_it_runs_a_recording(self):
        done = self.run_ranks(2, PROGRAM, PLAIT_RECORD="recording")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files = sorted(path.name for path in (self.folder / "recording").iterdir())
        self.assertEqual(files, ["rank0.plaitrec", "rank1.plaitrec"])
        done = self.run_ranks(2, EXECUTE, "--file", "recording", "--repeat", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # 50 rounds of 20 us on two workers and 10 us in a chain.
        self.assertGreaterEqual(int(RUN.findall(done.stdout)[0]), 50 * 10_000)
        self.check_prediction()

    def test_it_runs_a_recording_with_operations_on_windows(self):
        done = self.run_ranks(2, PROGRAM, "window", PLAIT_RECORD="recording")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.run_ranks(2, EXECUTE, "--file", "recording", "--repeat", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # 10 rounds of 10 us in a chain that goes from rank to rank, behind the 50 of the other part.
        self.assertGreaterEqual(int(RUN.findall(done.stdout)[0]), 60 * 10_000)
        self.check_prediction()

    def check_prediction(self):
        """The chain of 10 us is on every path; the parts add up."""
        done = subprocess.run([SIMULATE, "recording", "--policy", "dedicated,none", "--json", "-"],
                              capture_output=True, text=True, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertEqual((row["ranks"], row["workers"]), (2, 2))
            self.assertGreaterEqual(row["predicted_s"], 50 * 10e-6)
            self.assertAlmostEqual(sum(row["parts"].values()), row["predicted_s"], delta=1e-9)
            self.assertTrue(row["computation_by_name_s"])

    def test_it_refuses_in_one_line(self):
        for ranks, words, said in (
            (1, ["--file", self.goal()], "a program of 2 ranks; it was started with 1"),
            (1, ["--file", "nothing.goal"], "nothing.goal"),
            (1, [], "--file: name a GOAL file"),
            (1, ["--file", self.folder], "no recording: there is no rank0.plaitrec"),
            (2, ["--file", self.goal(), "--looks", "never"], "--looks never: give always"),
        ):
            done = self.run_ranks(ranks, EXECUTE, *words)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            lines = [line for line in done.stderr.splitlines() if line.startswith("execute: ")]
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertIn(said, lines[0])

    def test_it_ends_where_operations_wait_for_each_other(self):
        done = self.run_ranks(1, EXECUTE, "--file", self.goal(CYCLE))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("2 of 2 operations never run", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

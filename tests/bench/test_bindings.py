# SPDX-License-Identifier: BSD-3-Clause
"""bench/bindings writes a plait-result/1 of every language, and says in one line what is wrong.

    test_bindings.py MPI MPIEXEC PROGRAM LANGUAGE...

LANGUAGE is what was built beside C++: c, fortran, python.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

MPI, MPIEXEC, PROGRAM = sys.argv[1:4]
LANGUAGES = sys.argv[4:]
MPIRUN = pathlib.Path(__file__).resolve().parents[1] / "support/mpirun"
ROWS = {
    "c": {"c", "c 8 bytes", "c 3 sections"},
    "fortran": {"fortran", "fortran 3 sections"},
    "python": {"python kernel", "python function", "python njit"},
}
SMALL = ("--tasks", "640", "--chains", "8", "--repeat", "1", "--json", "-")


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=200)


class Bindings(unittest.TestCase):
    def check(self, cell, figures):
        self.assertEqual(set(cell), figures)
        for spread in cell.values():
            self.assertEqual(len(spread["samples"]), 1)
            self.assertGreater(spread["median"], 0)

    def test_every_language_has_its_rows(self):
        done = run(*SMALL, "--workers", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["schema"], result["bench"]), ("plait-result/1", "bindings"))
        rows = {"c++", "c++ erased"}.union(*(ROWS[language] for language in LANGUAGES))
        self.assertEqual(set(result["environment"]["peers"]), rows)
        self.assertEqual(set(result["environment"]["peers_not_built"]), set(ROWS) - set(LANGUAGES))
        for row in rows:
            self.check(result["rows"][row]["workers_2"], {"ns_per_task", "ns_per_replayed_task"})
        pairs = {name for name, row in result["rows"].items() if "two_tasks" in row}
        self.assertEqual(pairs, {*ROWS["python"], "python numpy"} if "python" in LANGUAGES else set())
        for name in pairs:
            self.check(result["rows"][name]["two_tasks"], {"of_one_worker"})

    def test_the_table_fits_a_terminal(self):
        done = run("--tasks", "640", "--repeat", "1", "--only", "c++,c++ erased")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        self.assertIn("; beside c++", done.stdout)

    @unittest.skipUnless("python" in LANGUAGES, "only Python has an exchange")
    def test_two_ranks_exchange(self):
        done = subprocess.run([MPIRUN, MPI, MPIEXEC, "2", PROGRAM, "--size", "64KiB", "--repeat", "1",
                               "--json", "-"], capture_output=True, text=True, timeout=200)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        names = {"exchange alone", "work alone", "plain", "plait.progress"}
        self.assertEqual(set(result["rows"]), names)
        for row in result["rows"].values():
            self.check(row["64KiB"], {"total_ms", "of_exchange_alone"})

    def test_bad_input_is_one_line_and_status_2(self):
        for arguments, named in (
            (["--only", "nobody"], "nobody"),
            (["--tasks", "0"], "--tasks"),
            (["--workers", "0"], "--workers"),
            (["--repeat", "0"], "--repeat"),
            (["--chains", "0"], "--chains"),
            (["--size", "much"], "--size"),
            (["--no-such-option"], "--no-such-option"),
            (["--json", "/no/such/folder/result.json"], "/no/such/folder"),
        ):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(named, done.stderr)


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    unittest.main(argv=sys.argv[:1])

# SPDX-License-Identifier: BSD-3-Clause
"""Functions for tests of MPI benchmarks: they start one on some ranks, and read its result.

    test_NAME.py LIBRARY MPIEXEC PROGRAM [OPTION OF UNITTEST ...]
"""

import json
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

from result_files import read_result

MPI, MPIEXEC, PROGRAM = sys.argv[1:4]
# MPICH's ranks spin while they wait: with it no more ranks than a test is about.
FEW = 3 if MPI == "openmpi" else 2
MPIRUN = Path(__file__).parent / "mpirun"


def run(*arguments, ranks=2):
    command = [MPIRUN, MPI, MPIEXEC, str(ranks), PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


class MpiBench(unittest.TestCase):
    _runs: ClassVar = {}

    def new_run_of(self, *arguments, ranks=2):
        """The result of a run that must succeed, and what it says of its progress."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.json"
            done = run(*arguments, "--progress", "--json", str(file), ranks=ranks)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            result = read_result(file)
        self.assertEqual(result["schema"], "plait-result/1")
        self.assertEqual(result.get("bench") or result["probe"], Path(PROGRAM).name)
        self.assertEqual(result["environment"]["ranks"], ranks)
        return result, done.stderr

    def run_of(self, *arguments, ranks=2):
        """The same, of one run for all tests that ask for these arguments."""
        key = (arguments, ranks)
        if key not in self._runs:
            self._runs[key] = self.new_run_of(*arguments, ranks=ranks)
        return self._runs[key]

    def result_of(self, *arguments, ranks=2):
        return self.run_of(*arguments, ranks=ranks)[0]

    def check_spread(self, spread, repeat):
        self.assertEqual(len(spread["samples"]), repeat)
        self.assertLessEqual(spread["q1"], spread["median"])
        self.assertLessEqual(spread["median"], spread["q3"])

    def check_refusals(self, *cases):
        """Each is the arguments of a run, what its one line names, and the ranks where they are not 2."""
        with ThreadPoolExecutor(4) as pool:  # a start is mostly waiting
            all_done = list(pool.map(lambda case: run(*case[0], ranks=(*case, 2)[2]), cases))
        for (arguments, named, *ranks), done in zip(cases, all_done, strict=True):
            with self.subTest(arguments=arguments, ranks=ranks):
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                # MPICH's mpiexec adds words of its own when a program does not return 0.
                name = Path(PROGRAM).name
                own = [line for line in done.stderr.splitlines() if line.startswith(name + ": ")]
                self.assertEqual(len(own), 1, done.stderr)
                self.assertIn(named, own[0])

    def check_progress(self, *arguments, ranks=2):
        said = self.run_of(*arguments, ranks=ranks)[1]
        lines = [line for line in said.splitlines() if line.startswith("@progress ")]
        self.assertTrue(lines, said)
        last = json.loads(lines[-1].removeprefix("@progress "))
        self.assertEqual(last["done"], last["total"])


class Refuses:
    """The test of bad input.  Stands before MpiBench among the bases of a test class.

    The class lists its program's own cases in `bad_input`: the arguments of a run, what its one line names, and the
    number of ranks where it is not 2.
    """

    BY_ALL_PROGRAMS = (
        (["--repeat", "0"], "--repeat"),
        (["--no-such-option"], "--no-such-option"),
        (["--json", "/no/such/folder/result.json"], "/no/such/folder"),
    )
    bad_input = ()

    def test_bad_input_is_one_line_and_status_2(self):
        self.check_refusals(*self.BY_ALL_PROGRAMS, *self.bad_input)


def main(options=4):
    """Runs the tests; `options`: where unittest's begin in the words of the command."""
    unittest.main(argv=[sys.argv[0], *sys.argv[options:]])

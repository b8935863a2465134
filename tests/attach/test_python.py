# SPDX-License-Identifier: BSD-3-Clause
"""Call sites of a program in Python are lines of its source."""

import collections
import pathlib
import sys
import unittest

from attached import LIBRARY, PROGRAMS, RANKS, run

SCRIPT = pathlib.Path(__file__).with_name("python_lines.py")
CALLS = pathlib.Path(PROGRAMS).with_name("mpi4py") / "MPI.calls.so"
ROUNDS = 100
LINES = SCRIPT.read_text().splitlines()
# Whose frames the library knows.
IS_KNOWN = (3, 11) <= sys.version_info[:2] <= (3, 13)


def run_it(options=None):
    return run(sys.executable, SCRIPT, CALLS, options=options)


def line_of(remark):
    (found,) = [number for number, line in enumerate(LINES, 1) if line.endswith(f"# {remark}")]
    return found


class Attached(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plain = run_it()
        cls.done = run_it(["--quiet", "--mpi", LIBRARY])

    def sites(self, call):
        return [site for site in self.done.profile["sites"] if site["call"] == call]

    def counts(self, call):
        """How often each line calls it, and the function that the line is in."""
        found = collections.Counter()
        for site in self.sites(call):
            file = pathlib.Path(site["file"] or "?").name
            found[file, site["line"], site["function"]] += site["count"]
        return found


class Results(Attached):
    def test_results_are_those_of_the_program_as_it_is(self):
        self.assertEqual(self.plain.code, 0, self.plain.errors)
        self.assertEqual(self.done.code, 0, self.done.errors)
        self.assertEqual(self.plain.output, self.done.output)
        # 100 (0 + 1) + 100 (0 + 2); twice 0 + ... + 99 of parts, and once of the other thread.
        self.assertEqual(self.done.output.splitlines(), ["seen 300 9900 4950 10"] * RANKS)
        self.assertEqual(sum(self.counts("MPI_Recv").values()), 3 * ROUNDS)


class Lines(Attached):
    def test_each_line_has_its_messages(self):
        name = SCRIPT.name
        self.assertEqual(self.counts("MPI_Recv"), {
            (name, line_of("waits for a sender"), "take_late"): ROUNDS,
            (name, line_of("in a thread"), "beside"): RANKS * ROUNDS,
        })  # fmt: skip
        sums = self.counts("MPI_Allreduce")
        made = {(f"made_{turn}.py", turn + 1, "<module>"): RANKS for turn in range(5)}
        self.assertEqual(sums, {
            (name, line_of("in a wrapper"), "total"): 2 * RANKS * ROUNDS,
            (name, line_of("in a generator"), "parts"): RANKS * ROUNDS, **made,
        })  # fmt: skip

    def test_a_wrapper_is_a_site_for_each_line_that_calls_it(self):
        wrapped = [site for site in self.sites("MPI_Allreduce") if site["function"] == "total"]
        callers = {site["callers"][-1]["line"]: site for site in wrapped}
        self.assertEqual(set(callers), {line_of("first caller"), line_of("second caller")})
        for site in callers.values():
            self.assertEqual(site["count"], RANKS * ROUNDS)
            self.assertEqual(site["callers"][-1]["function"], "Zähler.zähle")

    def test_waits_are_those_of_the_line(self):
        (late,) = [site for site in self.sites("MPI_Recv") if site["function"] == "take_late"]
        self.assertGreater(late["late_sender_s"], 0.2 * ROUNDS * 0.005)


if not IS_KNOWN:  # its sites are those of the library that calls
    del Lines

if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Every call of every binding is seen exactly once, and changes nothing."""

import collections
import pathlib
import re
import unittest

from attached import PROGRAMS, RANKS, counts_of, run
from calls import STATEMENTS


def is_built(binding):
    """Returns whether there is a program: those in Fortran are left out where there is no mpifort."""
    return pathlib.Path(PROGRAMS).with_name(f"calls_{binding}").exists()


BINDINGS = ("c", *filter(is_built, ("mpif.h", "mpi", "mpi_f08")))


class Calls(unittest.TestCase):
    def check_binding(self, binding, options):
        done = run(f"calls_{binding}", options=["--quiet", *options])
        self.assertEqual(done.code, 0, done.output + done.errors)
        self.assertNotIn("wrong", done.output)
        called = collections.Counter()
        for line in done.output.splitlines():
            word, name, count = line.split()
            self.assertEqual(word, "called")
            called[name] += int(count)
        self.assertGreaterEqual(len(called), 60)
        seen = counts_of(done.profile)
        different = {n: f"{c} called, {seen[n]} seen" for n, c in called.items() if seen[n] != c}
        self.assertEqual(different, {})

    def test_profile(self):
        for binding in BINDINGS:
            with self.subTest(binding):
                self.check_binding(binding, [])

    def test_progress_trace_and_verify(self):
        for binding in BINDINGS:
            with self.subTest(binding):
                self.check_binding(binding, ["--progress", "--trace=trace.json", "--verify"])

    def test_call_sites_are_lines_of_the_program(self):
        for binding in BINDINGS:
            with self.subTest(binding):
                source = source_of(binding)
                lines = [(call, line) for line, text in enumerate(source.read_text().splitlines(), 1)
                         for call in re.findall(r"\b(MPI_\w+)\(", text)]  # fmt: skip
                profile = run(f"calls_{binding}", options=["--quiet"]).profile
                seen = [(site["call"], site["line"]) for site in profile["sites"]]
                self.assertEqual(of_data(seen), of_data(lines))
                # What a binding calls for itself is no call of the program.
                self.assertLessEqual({call for call, _ in seen}, {call for call, _ in lines})
                self.assertEqual(counts_of(profile)["MPI_Comm_size"], RANKS)
                files = {pathlib.Path(site["file"]).name for site in profile["sites"]}
                self.assertEqual(files, {source.name})


def of_data(places):
    """Returns the places of calls that name a datatype, sorted.

    Of calls without a buffer gfortran's debugging information says where their block begins.
    """
    calls = {call for line in STATEMENTS if "MPI_INT" in line
             for call in re.findall(r"\bMPI_\w+(?=\()", line)}  # fmt: skip
    return sorted((call, line) for call, line in places if call in calls)


def source_of(binding):
    """Returns the file that a program was made of."""
    return pathlib.Path(PROGRAMS).with_name(
        f"source_of_calls_{binding}.{'c' if binding == 'c' else 'f90'}"
    )


if __name__ == "__main__":
    unittest.main()

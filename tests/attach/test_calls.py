# SPDX-License-Identifier: BSD-3-Clause
"""Every call of every binding is seen exactly once, and changes nothing."""

import collections
import pathlib
import unittest

from attached import PROGRAMS, counts_of, run


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
        for binding, suffix in (("c", "calls_c.c"), ("mpi_f08", "calls_mpi_f08.f90")):
            if binding not in BINDINGS:
                continue
            profile = run(f"calls_{binding}", options=["--quiet"]).profile
            sites = [site for site in profile["sites"] if site["call"] == "MPI_Ssend"]
            self.assertEqual(len(sites), 1)
            self.assertTrue(sites[0]["file"].endswith(suffix), sites[0])
            self.assertGreater(sites[0]["line"], 0)


if __name__ == "__main__":
    unittest.main()

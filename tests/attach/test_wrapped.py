# SPDX-License-Identifier: BSD-3-Clause
"""A call in a wrapper is a site for each of the wrapper's callers."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from attached import RANKS, run

LINES = {
    found[1]: f"{file}:{line}"
    for file in ("wrapped.cpp", "wrapped_sums.hpp", "one_file.c")
    for line, text in enumerate(pathlib.Path(__file__).with_name(file).read_text().splitlines(), 1)
    if (found := re.search(r";\s*// ([\w ]+)$", text))
}
ROUNDS = 20

# The call, the places from the call to the first that is in no wrapper, and how often.
SITES = {
    ("MPI_Allreduce", ("total", "residual")): ROUNDS,
    ("MPI_Allreduce", ("total", "pressure")): ROUNDS,
    ("MPI_Allreduce", ("largest", "velocity")): ROUNDS,
    ("MPI_Allreduce", ("largest", "main")): ROUNDS,
    ("MPI_Sendrecv_replace", ("swap", "pressure exchanges")): 2 * ROUNDS,
    ("MPI_Sendrecv_replace", ("swap", "velocity exchanges")): 2 * ROUNDS,
    ("MPI_Bcast", ("step",)): ROUNDS + 1,
    ("MPI_Allreduce", ("smallest",)): 4 * ROUNDS,
    ("MPI_Scan", ("smooth",)): 4 * ROUNDS,
    ("MPI_Exscan", ("sum below", "first sum")): ROUNDS,
    ("MPI_Exscan", ("sum below", "second sum")): ROUNDS,
    ("MPI_Reduce", ("root of all", "root")): ROUNDS,
}


def line_of(place):
    """Returns the file's name and the line."""
    return f"{pathlib.Path(place['file']).name}:{place['line']}"


class Wrapped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = run("wrapped", options=[])

    def setUp(self):
        self.assertEqual(self.done.code, 0, self.done.errors)

    def test_sites_are_told_apart_by_the_first_caller_that_is_no_wrapper(self):
        seen = {}
        for site in self.done.profile["sites"]:
            names = {line: name for name, line in LINES.items()}
            ends = [site, *site["callers"]][:: max(1, len(site["callers"]))]
            places = tuple(names.get(line_of(place), line_of(place)) for place in ends)
            if site["call"] in {call for call, _ in SITES}:
                key = (site["call"], places)
                seen[key] = seen.get(key, 0) + site["count"]
        self.assertEqual(seen, {key: RANKS * count for key, count in SITES.items()})

    def test_a_line_that_the_compiler_copies_is_one_site(self):
        ways = [(site["call"], *((one["line"], one["function"]) for one in [site, *site["callers"]]))
                for site in self.done.profile["sites"]]  # fmt: skip
        self.assertEqual(len(ways), len(set(ways)), ways)

    def test_in_a_program_of_one_file_only_what_is_shared_is_a_wrapper(self):
        profile = run("one_file", options=["--quiet"]).profile
        owners = sorted(line_of(site["callers"][-1]) for site in profile["sites"]
                        if site["call"] == "MPI_Sendrecv_replace")  # fmt: skip
        self.assertEqual(owners, sorted([LINES["first"], LINES["second"]]))

    def test_names_are_as_in_the_source(self):
        names = {place["function"] for site in self.done.profile["sites"]
                 for place in [site, *site["callers"]]}  # fmt: skip
        self.assertLessEqual(
            {"halo::total<double>", "halo::largest", "halo::part::swap", "halo::part::exchange",
             "pressure", "velocity", "residual", "step", "main"}, names)  # fmt: skip

    def test_without_libdw_functions_have_names_and_no_lines_and_it_is_said_once(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", f"{folder}/libdw.so.1"],
                           check=True)  # an older one that lacks what is needed
            others = os.environ.get("LD_LIBRARY_PATH")
            path = f"{folder}:{others}" if others else folder
            done = run("wrapped", options=[], more={"LD_LIBRARY_PATH": path})
        self.assertEqual(done.code, 0, done.errors)

        def symbols(profile):
            return {(site["call"], site["symbol"]) for site in profile["sites"]}

        self.assertEqual(symbols(done.profile), symbols(self.done.profile))
        places = [place for site in done.profile["sites"] for place in [site, *site["callers"]]]
        self.assertEqual({place["file"] for place in places}, {""})
        self.assertTrue(all(place["function"] for place in places), places)
        self.assertEqual(sum("libdw" in one for one in done.profile["warnings"]), 1)
        self.assertEqual(done.errors.count("libdw.so.1"), 1, done.errors)

    def test_the_summary_names_the_caller_and_the_wrapper(self):
        lines = self.done.errors.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        named = ("swap", "total", "largest", "sum below", "root of all")
        wrappers = "|".join(re.escape(LINES[name]) for name in named)
        owners = {LINES[places[-1]] for _, places in SITES}
        between = [i for i, line in enumerate(lines) if re.match(r"plait: +<- ", line)]
        self.assertGreater(len(between), 1, self.done.errors)
        for i in between:
            self.assertRegex(lines[i], rf" <- ({wrappers})$")
            owner = re.search(r"([\w.]+:\d+)\)?$", lines[i - 1])[1]
            self.assertIn(owner, owners, lines[i - 1])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""A message, a task and a collective call take no more instructions of plait's than the page says.

    test_counts.py LIBRARY MPIEXEC PROGRAM PAGE [write]

Instructions in plait's own objects are compared: what the MPI library and the C library take depends on the machine.
With `write` the table in the page is made anew.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from mpi_bench import main, run
from result_files import read_result

PAGE = Path(sys.argv[4])
# Counts repeat within 1 %, but for what the clock decides.
MOST = 1.05
HEADER = "| case | row | all | plait's own | locked | allocations |"


def rows_of_a_run():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        done = run("--json", str(file))
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        return read_result(file)["rows"]


def table_of(rows):
    figures = ("instructions", "own_instructions", "locked_instructions", "allocations")
    lines = [HEADER, "| --- | --- | --- | --- | --- | --- |"]
    for case in dict.fromkeys(case for row in rows.values() for case in sorted(row)):
        for name in sorted(row for row in rows if case in rows[row]):
            of_plait = name != "mpi"
            numbers = [rows[name][case][figure]["median"] for figure in figures]
            texts = [f"{value:.0f}" if at < 2 else f"{value:.1f}" for at, value in enumerate(numbers)]
            lines.append(f"| {case} | {name} | " + " | ".join(texts if of_plait else [texts[0], "", "", ""]) + " |")
    return "\n".join(lines) + "\n"


def own_in(page):
    """Instructions by row and case."""
    found = re.findall(r"^\| ([^|]+) \| (plait[^|]*) \| \d+ \| (\d+) \|", page, re.MULTILINE)
    return {(row, case): int(count) for case, row, count in found}


class Counts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = rows_of_a_run()

    def cells(self):
        return {(row, case): cell for row in self.rows for case, cell in self.rows[row].items()}

    def test_nothing_takes_more_instructions_than_the_page_says(self):
        known = own_in(PAGE.read_text())
        found = {place: cell for place, cell in self.cells().items() if place[0] != "mpi"}
        self.assertEqual(set(known), set(found))
        for place, cell in found.items():
            with self.subTest(place=place, by_function=cell["functions"]):
                count = cell["own_instructions"]["median"]
                self.assertGreater(count, 40)
                self.assertLessEqual(count, MOST * known[place], "if so it must be: ninja counts_table")

    def test_all_instructions_are_counted_and_some_are_locked(self):
        for place, cell in self.cells().items():
            with self.subTest(place=place):
                own, whole = (cell[figure]["median"] for figure in ("own_instructions", "instructions"))
                self.assertLessEqual(own, whole)
                self.assertGreater(whole, 40)
                self.assertLess(cell["locked_instructions"]["median"], own)
        self.assertGreater(self.rows["plait"]["send"]["locked_instructions"]["median"], 0)

    def test_what_is_submitted_again_and_again_allocates_nothing(self):
        for case in ("send", "receive, posted", "receive, completed", "empty task"):
            with self.subTest(case=case):
                self.assertEqual(self.rows["plait"][case]["allocations"]["median"], 0)


def write():
    """Makes the table in the page anew."""
    page = PAGE.read_text()
    begin = page.index(HEADER)
    end = page.index("\n\n", begin) + 1
    PAGE.write_text(page[:begin] + table_of(rows_of_a_run()) + page[end:])


if __name__ == "__main__":
    write() if sys.argv[5:] == ["write"] else main(options=5)

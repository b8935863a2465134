# SPDX-License-Identifier: BSD-3-Clause
"""Regions in C, Fortran and Python: what they hold, what is said of wrong ones, and that nothing happens without plait."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from attached import LIBRARY, PROGRAMS, RANKS, ROOT, run

BESIDE = pathlib.Path(PROGRAMS).parent


class Regions(unittest.TestCase):
    def marked(self, case, switches=()):
        """Runs a case as it is and with plait; returns its regions by path, and its warnings."""
        plain = run("marked", case)
        self.assertEqual((plain.code, plain.output.count("done")), (0, RANKS), plain.errors)
        done = run("marked", case, options=["--quiet", *switches])
        self.assertEqual((done.code, done.output.count("done")), (0, RANKS), done.errors)
        return self.by_path(done.profile), done.profile["warnings"]

    def by_path(self, profile):
        regions = profile["regions"]
        for place, one in enumerate(regions):
            self.assertLessEqual(one["mpi_s"], one["time_s"])
            self.assertLessEqual(one["own_s"], one["time_s"])
            self.assertLessEqual(one["waiting_s"], one["mpi_s"] * 1.0001)
            if one["around"] is not None:
                self.assertLess(one["around"], place)
                self.assertEqual(one["path"], f"{regions[one['around']]['path']}/{one['name']}")
        return {one["path"]: one for one in regions}

    def counts(self, regions, figure="count"):
        """Of a rank."""
        return {path: one[figure] / RANKS for path, one in regions.items()}

    def test_names_are_the_same_if_their_texts_are(self):
        regions, warnings = self.marked("names")
        self.assertEqual(self.counts(regions), {"first": 100, "first/second": 100, 63 * "n": 1})
        self.assertEqual(self.counts(regions, "calls"), {"first": 100, "first/second": 0, 63 * "n": 0})
        self.assertEqual(warnings, [])

    def test_a_region_may_be_inside_itself(self):
        regions, warnings = self.marked("recursion")
        self.assertEqual(self.counts(regions, "calls"), {"again": 3, "again/again": 2, "again/again/again": 1})
        self.assertEqual(warnings, [])

    def test_what_is_wrong_is_said_in_a_line_each(self):
        regions, warnings = self.marked("wrong")
        self.assertEqual(self.counts(regions), {"outer": 3, "outer/inner": 3, "left open": 1})
        self.assertEqual(sorted(warnings), [
            f"{RANKS} ends of regions that were not open, such as never begun",
            "region left open was not ended 2 times; it counts until the region around it ended, or the run",
            "region outer/inner was not ended 6 times; it counts until the region around it ended, or the run",
        ])  # fmt: skip

    def test_more_regions_than_there_is_room_for_are_counted_in_those_around(self):
        regions, warnings = self.marked("many")
        self.assertEqual(len(regions), 511)
        self.assertEqual([self.counts(regions)[name] for name in ("r0", "r1", "r2")], [2, 2, 1])
        self.assertEqual(regions["r0"]["calls"], RANKS)
        self.assertIn(f"{RANKS * (89 + 79)} times a region was begun", "".join(warnings))

    def test_control_marks_what_follows(self):
        regions, warnings = self.marked("control")
        self.assertEqual(self.counts(regions), {"MPI_Pcontrol(0)": 2, "MPI_Pcontrol(1)": 1,
                                                "MPI_Pcontrol(1)/inside": 1})  # fmt: skip
        self.assertEqual(self.counts(regions, "calls"), {"MPI_Pcontrol(0)": 2, "MPI_Pcontrol(1)": 2,
                                                         "MPI_Pcontrol(1)/inside": 2})  # fmt: skip
        self.assertEqual(warnings, [])

    def test_a_tool_between_is_told_of_each_mark_once(self):
        tool = {"LD_PRELOAD": str(BESIDE / "libtool.so")}
        done = run("marked", "control", options=["--quiet"], more=tool)
        self.assertEqual(self.counts(self.by_path(done.profile))["MPI_Pcontrol(0)"], 2)

    def test_regions_of_threads_that_call_mpi_are_counted(self):
        regions, warnings = self.marked("threads")
        self.assertEqual(self.counts(regions), {"shared": 2000})
        self.assertEqual(self.counts(regions, "calls"), {"shared": 20})
        self.assertEqual(warnings, [])

    def test_a_trace_has_them_in_a_lane(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace.json")
            self.marked("tests", [f"--trace={trace}"])
            events = json.loads(trace.read_text())["traceEvents"]
        lanes = {one["tid"]: one["args"]["name"] for one in events if one["name"] == "thread_name"}
        self.assertEqual(list(lanes.values()).count("regions"), RANKS)
        for rank in range(RANKS):
            names = [one["name"] for one in events if one["ph"] == "X" and one["pid"] == rank
                     and lanes[one["tid"]] == "regions"]  # fmt: skip
            self.assertEqual(names, 5 * ["before"] + 5 * ["after"])

    def test_an_abort_ends_them(self):
        done = run("marked", "aborted", options=["--quiet"])
        regions = self.by_path(done.profile)
        self.assertEqual(self.counts(regions), {"aborted": 1, "aborted/within": 1})
        self.assertGreater(regions["aborted"]["time_s"], regions["aborted/within"]["time_s"])

    def test_a_summary_has_a_table_of_at_most_80_columns(self):
        done = run("regions_c", options=[])
        lines = done.errors.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertLessEqual(len(lines), 30)
        names = [line.split()[-1] for line in lines if line.startswith("plait: ")]
        for name in ("region", "step", "compute", "exchange"):
            self.assertIn(name, names)
        self.assertEqual(self.counts(self.by_path(done.profile)),
                         {"step": 50, "step/compute": 50, "step/exchange": 50})  # fmt: skip

    def test_marks_for_caliper_and_talp_are_regions(self):
        plain = run("other_marks")
        done = run("other_marks", options=["--quiet"])
        self.assertEqual((done.code, done.output), (0, plain.output), done.errors)
        self.assertEqual(plain.output, RANKS * "begun 22 ended 22 measured 3\n")
        regions = self.by_path(done.profile)
        paths = ("phase", "phase/region", "phase/region/function", "phase/region/function/scope",
                 "phase/exchange", "first", "first/second")  # fmt: skip
        self.assertEqual(self.counts(regions), dict.fromkeys(paths, 3))
        self.assertEqual(self.counts(regions, "calls"), {**dict.fromkeys(paths, 3), "phase": 6})
        self.assertEqual(done.profile["warnings"], [])

    def test_what_talp_does_not_start_is_no_region(self):
        off = {"TALP_OFF": "1"}
        plain, done = run("other_marks", more=off), run("other_marks", options=["--quiet"], more=off)
        self.assertEqual((done.code, done.output), (0, plain.output), done.errors)
        self.assertNotIn("first", self.by_path(done.profile))

    def test_fortran_has_them(self):
        if not (BESIDE / "regions_f90").exists():
            self.skipTest("no mpifort")
        self.assertEqual(run("regions_f90").code, 0)
        done = run("regions_f90", options=["--quiet"])
        regions = self.by_path(done.profile)
        self.assertEqual(self.counts(regions), {"step": 50, "step/compute": 50, "step/sum": 50})
        self.assertEqual(self.counts(regions, "calls"), {"step": 50, "step/compute": 0, "step/sum": 50})
        self.assertEqual(done.profile["warnings"], [])

    def test_python_has_them(self):
        linked = subprocess.run(["ldd", BESIDE / "marked"], capture_output=True, text=True, check=True)
        library = re.search(r"=> (\S*/lib(?:mpi|mpich)\.so\S*)", linked.stdout)[1]
        words = [ROOT / "tests/attach/marked.py", library]
        path = {"PYTHONPATH": str(ROOT / "python")}
        plain = run("/usr/bin/python3", *map(str, words), more=path)
        # Python writes a line's end by itself, and launchers mix what ranks write.
        self.assertEqual((plain.code, plain.output.count("done")), (0, RANKS), plain.errors)
        done = run("/usr/bin/python3", *map(str, words), options=["--quiet", "--mpi", LIBRARY], more=path)
        self.assertEqual((done.code, done.output.count("done")), (0, RANKS), done.errors)
        regions = self.by_path(done.profile)
        self.assertEqual(self.counts(regions), {"step": 10, "step/été": 10, "failing": 1})
        self.assertEqual(self.counts(regions, "calls"), {"step": 10, "step/été": 10, "failing": 0})


if __name__ == "__main__":
    unittest.main()

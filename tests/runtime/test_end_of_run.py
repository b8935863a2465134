# SPDX-License-Identifier: BSD-3-Clause
"""Tests of PLAIT_LEDGER, _TRACE, _REPORT and _RESULT on a program that knows of none.

    test_end_of_run.py LIBRARY MPIEXEC PROGRAM
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
LIBRARY, MPIEXEC, PROGRAM = sys.argv[1:4]
RANKS = 2
KINDS = ("compute", "posting", "exposed", "overhead", "idle")
DATA = re.compile(r'(?<=<script type="application/json">)(.*?)(?=</script>)', re.DOTALL)
# As `plait report` does, without what only a terminal needs.
PAGE_OF = """
import pathlib
from plait.results import load
from plait.views.html import write_report
write_report(load(pathlib.Path("{result}")), pathlib.Path("{page}"))
"""
ROW = re.compile(r"^ *(\d+|mean) +([\d.]+)" + r" +([\d.]+) +(\d+) %" * 5 + "$", re.MULTILINE)


class EndOfRun(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def run_program(self, *arguments, ranks=RANKS, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PLAIT_")}
        return subprocess.run(
            [TREE / "tests/support/mpirun", LIBRARY, MPIEXEC, str(ranks), PROGRAM, *arguments],
            capture_output=True, text=True, env={**clean, **variables}, cwd=self.folder, timeout=60)

    def run_well(self, *arguments, **variables):
        done = self.run_program(*arguments, **variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def result(self, name="result.json"):
        return json.loads((self.folder / name).read_text())

    def test_nothing_is_said_or_written_unasked(self):
        done = self.run_well()
        self.assertEqual((done.stdout, done.stderr), ("done\n", ""))
        self.assertEqual(self.run_well(PLAIT_LEDGER="0", PLAIT_TRACE="").stderr, "")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_ledger_is_a_table_of_80_columns_and_a_sentence(self):
        done = self.run_well(PLAIT_LEDGER="1", ranks=3)
        self.assertEqual(done.stdout, "done\n")
        lines = done.stderr.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertTrue(lines[0].startswith("plait: where the time went"), done.stderr)
        self.assertEqual(lines[1].split(), ["rank", "wall", *KINDS[:4], "other", "idle"])
        rows = ROW.findall(done.stderr)
        self.assertEqual([row[0] for row in rows], ["0", "1", "2", "mean"], done.stderr)
        for row in rows:
            wall, parts, percents = float(row[1]), row[2::2], row[3::2]
            self.assertAlmostEqual(sum(map(float, parts)), wall, delta=0.02 * wall + 1e-4)
            self.assertAlmostEqual(sum(map(int, percents)), 100, delta=4)
        self.assertTrue(lines[-1].endswith("."), done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_trace_has_all_ranks_and_their_arrows(self):
        self.run_well(PLAIT_TRACE="trace.json")
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        slices = [e for e in events if e["ph"] == "X"]
        for rank in range(RANKS):
            of_rank = [e["name"] for e in slices if e["pid"] == rank]
            for name in ("edge", "ghost", "rim"):
                self.assertEqual(of_rank.count(name), 50)
        self.assertTrue(any(e["ph"] == "s" and e["cat"] == "message" for e in events))
        self.assertTrue(any("\ufffd" in e["name"] for e in slices))

    def test_the_report_needs_nothing_else_and_is_the_page_of_plait_report(self):
        self.run_well(PLAIT_REPORT="report.html", PLAIT_RESULT="result.json")
        page = (self.folder / "report.html").read_text()
        self.assertNotRegex(page, r"https?://|src=|@import")
        self.assertEqual(page.count("</script>"), 2)  # a task is named so, too
        self.assertEqual(json.loads(DATA.search(page)[1]), self.result())
        done = subprocess.run(
            [sys.executable, "-c", PAGE_OF.format(result="result.json", page="other.html")],
            capture_output=True, text=True, cwd=self.folder, timeout=60,
            env={**os.environ, "PYTHONPATH": str(TREE / "python")})
        self.assertEqual(done.returncode, 0, done.stderr)
        other = (self.folder / "other.html").read_text()
        self.assertEqual(json.loads(DATA.search(other)[1]), self.result())
        self.assertEqual(DATA.sub("", page), DATA.sub("", other))

    def test_the_result_has_ledger_and_timeline(self):
        self.run_well(PLAIT_RESULT="result.json")
        result = self.result()
        self.assertEqual([result[k] for k in ("schema", "kind", "application", "ranks")],
                         ["plait-result/1", "program", pathlib.Path(PROGRAM).name, RANKS])
        self.assertEqual([(row["rank"], row["worker"]) for row in result["ledger"]],
                         [(rank, worker) for rank in range(RANKS) for worker in range(2)])
        for row in result["ledger"]:
            parts = sum(row[f"{kind}_s"] for kind in KINDS)
            self.assertAlmostEqual(parts, row["wall_s"], delta=0.01 * row["wall_s"])
            self.assertLessEqual(row["wall_s"], 1.01 * result["wall_s"] + 1e-3)
        events = result["timeline"]["program"]
        self.assertEqual({e["rank"] for e in events}, set(range(RANKS)))
        self.assertEqual({e["sent"] for e in events if e["kind"] == "message"}, {True, False})
        self.assertTrue(all(0 <= e["start_us"] <= e["end_us"] + 0.2 for e in events))
        self.assertIs(result["timeline_is_whole"], True)
        self.assertEqual(result["environment"]["ranks"], RANKS)
        self.assertLessEqual({"library_compiler", "library_flags"}, set(result["environment"]))

    def test_each_rank_writes_its_recording_into_the_folder(self):
        folder = self.folder / "recording"
        folder.mkdir()
        (folder / "rank7.plaitrec").touch()  # of an older run
        (folder / "own.txt").touch()
        done = self.run_well("two", PLAIT_RECORD="recording", PLAIT_TRACE="trace.json", PLAIT_TRACE_EVENTS="100")
        self.assertIn("the first 100 events", done.stderr)
        names = sorted(path.name for path in folder.iterdir())
        self.assertEqual(names, ["own.txt", "rank0.plaitrec", "rank1.plaitrec"])
        for rank in range(RANKS):
            self.assertTrue((folder / f"rank{rank}.plaitrec").read_bytes().startswith(b"PLAITREC"))
        self.run_well("again", PLAIT_RECORD="recording")
        self.assertEqual(len(list((self.folder / "recording.2").iterdir())), RANKS)

    def test_the_result_says_what_windows_run_on(self):
        for on in ("messages", "rma"):
            self.run_well("window", PLAIT_RESULT="result.json", PLAIT_WINDOWS=on)
            environment = self.result()["environment"]
            self.assertEqual(environment["windows"], on)
            self.assertIn("as asked" if on == "messages" else "a put ends", environment["windows_reason"])

    def test_runtimes_are_added_up_and_told_apart(self):
        done = self.run_well("two", PLAIT_LEDGER="1", PLAIT_TRACE="trace.json",
                             PLAIT_RESULT="result.json")
        self.assertIn("2 runtimes added up", " ".join(done.stderr.split()))
        result = self.result()
        self.assertEqual(len(result["ledger"]), 2 * RANKS)
        walls = [row["wall_s"] for row in result["ledger"] if row["worker"] == 0]
        self.assertAlmostEqual(result["wall_s"], max(walls), delta=1e-3)  # one has 2 workers, one 1
        self.assertEqual(set(result["trace_summary"]), {"runtime 1", "runtime 2"})
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        edges = [e["args"]["run"] for e in events
                 if e["ph"] == "X" and e["name"] == "edge" and e["pid"] < RANKS]
        self.assertEqual(sorted(set(edges)), ["runtime 1", "runtime 2"])
        self.assertEqual(len(edges), 100 * RANKS)

    def test_a_second_environment_has_files_of_its_own(self):
        self.run_well("again", PLAIT_RESULT="result.json")
        self.assertEqual({f.name for f in self.folder.iterdir()}, {"result.json", "result.2.json"})

    def test_what_the_program_traces_for_itself_is_its_own_and_kept(self):
        done = self.run_well("traces", PLAIT_RESULT="result.json", PLAIT_TRACE_EVENTS="700")
        # The launcher may put rank 0's last word before a line of another rank.
        counts = [line for line in done.stdout.splitlines() if line != "done"]
        self.assertEqual(len(counts), RANKS, done.stdout)
        for line in counts:
            self.assertGreaterEqual(int(line.split()[-1]), 40, done.stdout)
        alone = self.run_well("traces")
        self.assertEqual(alone.stderr, "")
        self.run_well("traces", PLAIT_RESULT="result.json")
        names = [e["name"] for e in self.result()["timeline"]["program"]]
        self.assertEqual(names.count("edge"), 110 * RANKS)
        walls = [row["wall_s"] for row in self.result()["ledger"]]
        self.assertGreater(min(walls), 110 * 30e-6 / 2)  # before the program's reset too

    def test_a_trace_is_bounded_and_says_what_it_leaves_out(self):
        done = self.run_well(PLAIT_RESULT="result.json", PLAIT_TRACE_EVENTS="100")
        said = re.search(r"first 100 events of 2 ranks; (\d+) later ones were left out", done.stderr)
        self.assertIsNotNone(said, done.stderr)
        result = self.result()
        self.assertLessEqual(len(result["timeline"]["program"]), 100)
        self.assertGreater(len(result["timeline"]["program"]), 0)
        self.assertEqual(result["events_left_out"], int(said.group(1)))
        self.assertIs(result["timeline_is_whole"], False)

    def test_wrong_variables_end_the_job_at_its_beginning(self):
        (self.folder / "folder").mkdir()
        for variables, expected in (
            ({"PLAIT_TRACE": "nowhere/trace.json"},
             "PLAIT_TRACE: nowhere/trace.json: there is no folder nowhere"),
            ({"PLAIT_REPORT": "folder"}, "PLAIT_REPORT: folder: is a folder"),
            ({"PLAIT_LEDGER": "yes"}, "PLAIT_LEDGER is 'yes'; it can be 1"),
            ({"PLAIT_TRACE": "a", "PLAIT_TRACE_EVENTS": "many"}, "PLAIT_TRACE_EVENTS is 'many'"),
            ({"PLAIT_TRACE": "a", "PLAIT_RESULT": "a"},
             "PLAIT_TRACE and PLAIT_RESULT name the same file, a"),
        ):
            done = self.run_program(**variables)
            self.assertEqual(done.returncode, 2, done.stderr)
            lines = [one for one in done.stderr.splitlines() if one.startswith("plait: ")]
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertIn(expected, lines[0])
            self.assertNotIn("done", done.stdout)
        self.assertEqual([f.name for f in self.folder.iterdir()], ["folder"])

    def test_a_disk_that_is_full_at_the_end_is_said_and_changes_no_exit_code(self):
        done = self.run_program("three", PLAIT_RESULT="/dev/full")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("plait: PLAIT_RESULT is lost: cannot write '/dev/full': No space left on device", done.stderr)
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())

    def test_a_program_that_fails_ends_as_it_would(self):
        done = self.run_program("throws", PLAIT_LEDGER="1", PLAIT_RESULT="result.json")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("on purpose", done.stderr)
        self.assertFalse((self.folder / "result.json").exists())

    def test_a_rank_that_goes_on_after_a_failure_keeps_nobody_waiting(self):
        done = self.run_well("caught", PLAIT_LEDGER="1", PLAIT_RESULT="result.json")
        self.assertIn("caught", done.stdout)
        self.assertEqual(self.result()["ranks"], RANKS)

    def test_a_program_without_a_runtime_is_left_alone(self):
        self.assertEqual(self.run_well("nothing", PLAIT_LEDGER="1").stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

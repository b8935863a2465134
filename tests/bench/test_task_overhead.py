# SPDX-License-Identifier: BSD-3-Clause
"""bench/task_overhead writes a plait-result/1 and says in one line what is wrong with its input.

    test_task_overhead.py PROGRAM
"""

import json
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


class TaskOverhead(unittest.TestCase):
    def test_the_result_has_every_built_peer_and_worker_count(self):
        done = run("--tasks", "1000", "--repeat", "2", "--workers", "1,2", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["schema"], "plait-result/1")
        self.assertEqual(result["bench"], "task_overhead")
        self.assertEqual(set(result["rows"]), set(result["environment"]["peers"]))
        self.assertLessEqual({"plait", "plait replayed"}, set(result["rows"]))
        for row in result["rows"].values():
            self.assertEqual(set(row), {"workers_1", "workers_2"})
            for cell in row.values():
                figure = cell["ns_per_task"]
                self.assertEqual(len(figure["samples"]), 2)
                self.assertLessEqual(figure["q1"], figure["median"])
                self.assertLessEqual(figure["median"], figure["q3"])

    def test_more_chains_than_the_limit_holds_are_replayed_too(self):
        done = run("--tasks", "9000", "--chains", "5000", "--repeat", "1", "--workers", "2",
                   "--only", "plait replayed", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        cell = json.loads(done.stdout)["rows"]["plait replayed"]["workers_2"]
        self.assertGreater(cell["ns_per_task"]["median"], 0)

    def test_progress_is_told_while_it_runs(self):
        done = run("--tasks", "1000", "--repeat", "2", "--only", "plait", "--progress")
        lines = [line for line in done.stderr.splitlines() if line.startswith("@progress ")]
        last = json.loads(lines[-1].removeprefix("@progress "))
        self.assertEqual(last["done"], last["total"])

    def test_bad_input_is_one_line_and_status_2(self):
        for arguments, named in (
            (["--only", "nobody"], "nobody"),
            (["--tasks", "0"], "--tasks"),
            (["--workers", "0"], "--workers"),
            (["--repeat", "0"], "--repeat"),
            (["--chains", "0"], "--chains"),
            (["--no-such-option"], "--no-such-option"),
            (["--json", "/no/such/folder/result.json"], "/no/such/folder"),
        ):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(named, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

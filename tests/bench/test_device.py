# SPDX-License-Identifier: BSD-3-Clause
"""bench/device writes a plait-result/1, shows that no kernel waits for the host, and refuses bad input in one line.

    test_device.py PROGRAM

Where OpenCL has no device the result has the emulated device alone.
"""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
COLUMNS = {"one chain", "5 chains"}


def run(*arguments, **variables):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, **variables}
    )


class Device(unittest.TestCase):
    def test_the_result_has_every_row_and_nothing_waits_for_the_host(self):
        done = run("--kernels", "3000", "--chains", "5", "--repeat", "2", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["schema"], "plait-result/1")
        self.assertEqual(result["bench"], "device")
        rows = result["rows"]
        self.check_beside(rows["emulated device"])
        if "by hand" not in rows:
            self.assertIn("by hand", result["environment"]["peers_not_built"])
            self.skipTest("OpenCL has no device here")
        self.check_beside(rows["OpenCL device"])
        self.assertEqual(result["environment"]["enqueued_ahead"], 48)
        for name in ("by hand", "plait", "plait replayed"):
            self.assertEqual(set(rows[name]), COLUMNS)
            for cell in rows[name].values():
                self.assertEqual(len(cell["us_per_kernel"]["samples"]), 2)
                self.assertGreater(cell["us_per_kernel"]["median"], 0)
                self.assertEqual("of_by_hand" in cell, name != "by hand")

    def check_beside(self, row):
        """A kernel takes its 100 ms, and the process far less of a processor."""
        cell = row["beside 100 ms"]
        self.assertGreater(cell["kernel_ms"]["median"], 50)
        self.assertGreaterEqual(cell["processor_ms"]["median"], 0)
        # A worker that polls would take as long as the kernel.  What it takes exactly is a figure.
        self.assertLess(cell["processor_ms"]["median"], cell["kernel_ms"]["median"] / 2)

    def test_bad_input_is_one_line_and_status_2(self):
        for arguments, named in (
            (["--kernels", "0"], "--kernels"),
            (["--chains", "65"], "--chains"),
            (["--workers", "0"], "--workers"),
            (["--repeat", "0"], "--repeat"),
            (["--no-such-option"], "--no-such-option"),
            (["--json", "/no/such/folder/result.json"], "/no/such/folder"),
        ):
            with self.subTest(arguments=arguments):
                self.check_refusal(run(*arguments), named)
        self.check_refusal(run("--repeat", "1", PLAIT_DEVICE="emulated"), "PLAIT_DEVICE")

    def check_refusal(self, done, named):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(named, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

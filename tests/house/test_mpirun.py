# SPDX-License-Identifier: BSD-3-Clause
"""tests/support/mpirun starts ranks, passes their status on, and leaves nothing behind.

    test_mpirun.py LIBRARY MPIEXEC
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

MPIRUN = pathlib.Path(__file__).parent.parent / "support" / "mpirun"
LIBRARY, MPIEXEC = sys.argv[1:3]


def processes_with(mark):
    """Processes (zombies have no environment left) that inherited `mark`."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"MARK={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(entry.name)
        except OSError:
            continue
    return found


def wait_until(condition, limit_s=30):
    deadline = time.monotonic() + limit_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


class Mpirun(unittest.TestCase):
    def run_ranks(self, ranks, *program):
        command = [MPIRUN, LIBRARY, MPIEXEC, str(ranks), *program]
        return subprocess.run(command, capture_output=True, text=True)

    # MPICH's launcher ends by SIGPIPE where all ranks have ended before it has told their helper
    # about them: 1 of 300 times on a loaded machine.  So ranks live for a moment.
    def test_every_rank_runs(self):
        done = self.run_ranks(3, "sh", "-c", "echo here; sleep 0.3")
        self.assertEqual(done.stdout.count("here"), 3, (done.returncode, done.stderr))

    def test_the_status_is_the_programs(self):
        done = self.run_ranks(2, "sh", "-c", "sleep 0.3; exit 7")
        self.assertEqual(done.returncode, 7, done.stderr)

    def test_an_unknown_library_is_named(self):
        result = subprocess.run([MPIRUN, "lam", "x", "1", "true"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("lam", result.stderr)

    def test_no_rank_outlives_it(self):
        for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=end.name), tempfile.TemporaryDirectory() as folder:
                mark = uuid.uuid4().hex
                command = [MPIRUN, LIBRARY, MPIEXEC, "2", "sleep", "600"]
                process = subprocess.Popen(
                    command,
                    env={**os.environ, "MARK": mark, "TMPDIR": folder},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                # mpirun, mpiexec and two ranks at least.
                self.assertTrue(wait_until(lambda: len(processes_with(mark)) >= 4))
                process.send_signal(end)
                self.assertNotEqual(process.wait(), 0)
                self.assertTrue(wait_until(lambda: not processes_with(mark)))
                if end is not signal.SIGKILL:
                    self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `plait noise`: what it takes, when it ends, what it refuses.

    test_noise.py PROGRAM
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
BURSTS = ("--period", "20ms", "--length", "10ms")
# As a user who may not do anything.
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all",
          "--bounding-set=-all")
CORE = str(min(os.sched_getaffinity(0)))


def run(*arguments, before=(), program=PROGRAM):
    return subprocess.run([*before, program, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def run_limited(real_time, nice, *arguments):
    """Runs it as a user who may not set higher priorities than these limits."""
    limits = ("prlimit", f"--rtprio={real_time}", f"--nice={nice}")
    with tempfile.TemporaryDirectory() as folder:  # which that user can read
        Path(folder).chmod(0o755)
        return run(*arguments, before=(*limits, *(NOBODY if os.geteuid() == 0 else ())),
                   program=shutil.copy(PROGRAM, folder))


def may_go_first():
    return run(*BURSTS, "--count-seconds", 0, "--seconds", 0).returncode == 0


def threads_of(pid):
    return [task.name for task in Path(f"/proc/{pid}/task").iterdir()]


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("waited too long")
        time.sleep(0.02)


@unittest.skipUnless(may_go_first(), "neither real-time priority nor nice -20 is allowed here")
class Bursts(unittest.TestCase):
    def figures_of(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "figures.json")
            done = run(*arguments, "--json", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(file.read_text()), done

    def test_each_takes_its_length_and_a_counting_thread_loses_that(self):
        figures, done = self.figures_of(*BURSTS, "--cores", CORE, "--count-seconds", 0.2,
                                        "--seconds", 0.1)
        (core,) = figures["cores"]
        self.assertEqual(figures["wanted_share"], 0.5)
        self.assertGreaterEqual(core["bursts"], 10)
        self.assertGreaterEqual(core["taken_share"] * figures["wall_s"], 0.0099 * core["bursts"])
        # The counting thread cannot run during a burst, whatever else the machine does.
        self.assertGreater(core["lost_beside_share"], 0.3)
        self.assertAlmostEqual(core["got_share"],
                               core["lost_beside_share"] - core["lost_without_share"])
        self.assertRegex(done.stdout, r"wanted +got")
        self.assertIn("\nready\n", done.stdout)
        self.assertRegex(done.stdout, rf"(?m)^ *{CORE} +{core['bursts']} ")

    def test_phases_of_cores_differ(self):
        figures, _ = self.figures_of(*BURSTS, "--count-seconds", 0, "--seconds", 0.1)
        phases = [core["phase_s"] for core in figures["cores"]]
        self.assertEqual(len(set(phases)), len(os.sched_getaffinity(0)))
        self.assertNotIn("got_share", figures["cores"][0])

    def test_threads_stay_on_the_cores_that_are_named(self):
        process = self.started("--cores", CORE)
        (thread,) = (each for each in threads_of(process.pid) if int(each) != process.pid)
        status = Path(f"/proc/{process.pid}/task/{thread}/status").read_text()
        self.assertEqual(re.search(r"Cpus_allowed_list:\s*(\S+)", status)[1], CORE)

    def started(self, *arguments):
        process = subprocess.Popen([PROGRAM, *BURSTS, "--count-seconds", "0", *arguments],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while process.stdout.readline() not in ("ready\n", ""):
            pass
        return process

    def test_a_signal_ends_it_with_its_figures(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.started()
            process.send_signal(number)
            self.assertIn("taken", process.communicate(timeout=30)[0])
            self.assertEqual(process.returncode, 0)

    def test_a_signal_ends_it_while_it_counts(self):
        process = subprocess.Popen([PROGRAM, "--period", "10s", "--length", "1s", "--count-seconds", "60"],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        wait_until(lambda: len(threads_of(process.pid)) > 1)
        process.terminate()
        self.assertNotIn("ready", process.communicate(timeout=30)[0])
        self.assertEqual(process.returncode, 0)

    def test_it_ends_when_its_parent_is_killed(self):
        script = f"{PROGRAM} {' '.join(BURSTS)} --count-seconds 0 & echo $!; wait"
        with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True) as parent:
            pid = int(parent.stdout.readline())
            while parent.stdout.readline() not in ("ready\n", ""):
                pass
            self.assertTrue(lives(pid))
            parent.kill()
            wait_until(lambda: not lives(pid))

    def test_it_ends_at_once_where_its_parent_is_another_one(self):
        done = run(*BURSTS, "--count-seconds", 0, "--parent", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ready", done.stdout)

    def test_nice_is_taken_where_it_is_wanted_and_where_real_time_is_not_allowed(self):
        if os.geteuid() != 0:
            self.skipTest("takes root")
        short = (*BURSTS, "--seconds", 0, "--count-seconds", 0)
        self.assertIn("nice -20 threads", run(*short, "--priority", "nice").stdout)
        done = run_limited(0, 40, *short)
        if "NICE resource limit: Operation not permitted" not in done.stderr:  # root's own
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("nice -20 threads", done.stdout)


class Refusals(unittest.TestCase):
    def refusal_in(self, done):
        self.assertEqual(done.returncode, 2, done.stderr)
        (line,) = done.stderr.splitlines()
        self.assertTrue(line.startswith("noise: "))
        return line

    def test_bad_input_is_one_line_and_status_2(self):
        for words, said in (
            (["--length", "1ms"], "--period is required"),
            (["--period", "1ms", "--length", "soon"], "'soon'"),
            (["--period", "1ms", "--length", "1ms"], "90 %"),
            ([*BURSTS, "--cores", "100000"], "core 100000"),
            ([*BURSTS, "--phases", "20ms"], "--phases"),
            ([*BURSTS, "--priority", "high"], "'high'"),
            ([*BURSTS, "--seconds", "-1"], "--seconds -1"),
            ([*BURSTS, "--count-seconds", "61"], "--count-seconds 61"),
            ([*BURSTS, "--frequency", "7"], "--frequency"),
            ([*BURSTS, "--count-seconds", "0", "--seconds", "0", "--json", "/no/such/folder/f.json"],
             "/no/such/folder"),
        ):
            with self.subTest(words):
                if "--json" in words and not may_go_first():
                    continue
                self.assertIn(said, self.refusal_in(run(*words)))

    def test_without_the_right_to_go_first_it_says_so(self):
        for how, said in (("auto", "neither real-time priority nor nice -20 is allowed"),
                          ("fifo", "real-time priority is not allowed"),
                          ("nice", "nice -20 is not allowed")):
            done = run_limited(0, 0, *BURSTS, "--priority", how)
            self.assertIn(said, self.refusal_in(done))


if __name__ == "__main__":
    unittest.main()

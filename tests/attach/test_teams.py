# SPDX-License-Identifier: BSD-3-Clause
"""OpenMP threads of ranks: shares of their time against the program's own, of GCC's runtime and of LLVM's."""

import pathlib
import unittest

from attached import PROGRAMS, RANKS, run

BESIDE = pathlib.Path(PROGRAMS).parent
THREADS = 3
ROUNDS = 4
PARTS = ("useful_s", "mpi_s", "unequal_s", "scheduling_s", "serial_s")
# Waits at barriers sleep: spinning threads would take the cores of those that work.
PASSIVE = {"OMP_WAIT_POLICY": "passive"}


class Teams(unittest.TestCase):
    runtime = "teams_gcc"

    def measured(self, case, teams):
        """Runs a case; returns the job's times and the program's own."""
        done = run(self.runtime, case, options=["--quiet"], more=PASSIVE)
        self.assertEqual(done.code, 0, done.errors)
        own = {line.split()[0]: float(line.split()[1]) for line in done.output.splitlines()}
        found = done.profile["openmp"]
        self.assertEqual((found["threads"], found["teams"]), (RANKS * THREADS, RANKS * ROUNDS * teams))
        self.assertEqual(done.profile["warnings"], [])
        for rank in done.profile["ranks_detail"]:
            threads = rank["openmp"]
            whole = sum(threads[name] for name in PARTS)
            self.assertAlmostEqual(whole, THREADS * rank["wall_s"], delta=0.01 * whole)
        self.assertAlmostEqual(
            found["parallel_efficiency"], found["mpi_efficiency"] * found["openmp_efficiency"], delta=1e-6
        )
        self.by_hand(done.profile)
        return found, own

    def by_hand(self, profile):
        """Reckons TALP's efficiencies from the times of ranks alone."""
        wall, ranks, found = profile["wall_s"], profile["ranks_detail"], profile["openmp"]

        def expect(metrics, names, outside):
            mean, most = sum(outside) / len(outside), max(outside)
            for name, value in zip(names, (mean / wall, most / wall, mean / most)):
                self.assertAlmostEqual(metrics[name], value, delta=1e-6, msg=name)

        names = ("parallel_efficiency", "communication_efficiency", "load_balance")
        expect(profile["pop"], names, [one["compute_s"] for one in ranks])
        names = ("mpi_efficiency", "mpi_communication", "mpi_load_balance")
        outside = [sum(one["openmp"][part] for part in PARTS if part != "mpi_s") / THREADS for one in ranks]
        expect(found, names, outside)

    def near(self, found, own, where):
        """A thread may lose its core between the program's clock and plait's."""
        self.assertGreater(found, 0.9 * own - 0.02, where)
        self.assertLess(found, 1.1 * own + 0.1, where)

    def one_of_three(self, case, teams, check):
        """On a busy machine a thread that loses its core lets all others wait: one run of three counts."""
        for left in (2, 1, 0):
            found, own = self.measured(case, teams)
            try:
                return check(found, own)
            except AssertionError:
                if left == 0:
                    raise

    def parts_near(self, found, own):
        for part in ("useful", "serial", "unequal"):
            self.near(found[f"{part}_s"], own[part], part)

    def test_unequal_work_and_serial_parts(self):
        self.one_of_three("shares", 1, self.parts_near)

    def test_waits_at_barriers_inside(self):
        def check(found, own):
            self.near(found["useful_s"], own["useful"], "useful")
            self.near(found["unequal_s"] + found["scheduling_s"], own["unequal"], "waits")

        self.one_of_three("barriers", 1, check)

    def test_loops_of_all_schedules(self):
        found, own = self.measured("loops", 4)
        self.near(found["useful_s"], own["useful"], "useful")
        self.assertGreater(found["unequal_s"] + found["scheduling_s"], 0.9 * own["unequal"])

    def test_messages_inside_teams_and_outside(self):
        found, own = self.measured("messages", 1)
        self.near(found["useful_s"], own["useful"], "useful")
        self.near(found["serial_s"], own["serial"], "serial")
        # Rank 0 waits 10 ms a round in a team, and 20 outside, when its threads have nothing to do.
        self.assertGreater(found["mpi_s"], ROUNDS * (THREADS * 0.015 + 0.005))

    def test_tasks_at_a_barrier_are_work(self):
        found, own = self.measured("tasks", 1)
        self.near(found["useful_s"], own["useful"], "useful")

    def test_teams_inside_teams_are_of_the_thread_outside(self):
        self.one_of_three("nested", 2, self.parts_near)


class LlvmTeams(Teams):
    runtime = "teams_llvm"

    def setUp(self):
        if not (BESIDE / self.runtime).exists():
            self.skipTest("no clang with OpenMP")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""A program on 1, 2 and 4 ranks: its efficiencies by POP's definitions, from the times of ranks."""

import statistics
import sys
import unittest

from attached import ROOT, run

sys.path.insert(0, str(ROOT / "python"))
from plait.results.figures.scaling import scaling_of

RANKS = (1, 2, 4)


class Scaling(unittest.TestCase):
    def test_efficiencies_follow_from_the_times_of_ranks(self):
        results = []
        for ranks in RANKS:
            done = run("scaling", options=["--quiet"], ranks=ranks)
            self.assertEqual(done.code, 0, done.errors)
            results.append(done.profile)
        points = scaling_of(list(reversed(results)))
        first_s = sum(rank["compute_s"] for rank in results[0]["ranks_detail"])
        for ranks, result, point in zip(RANKS, results, points):
            useful_s = [rank["compute_s"] for rank in result["ranks_detail"]]
            wall_s = result["wall_s"]
            self.assertEqual((point.ranks, len(useful_s)), (ranks, ranks))
            by_hand = {
                "global": first_s / (ranks * wall_s),
                "parallel": statistics.mean(useful_s) / wall_s,
                "computation scaling": first_s / sum(useful_s),
                "load balance": statistics.mean(useful_s) / max(useful_s),
                "communication": max(useful_s) / wall_s,
                "serialisation": max(useful_s) / result["pop"]["ideal_s"],
                "transfer": result["pop"]["ideal_s"] / wall_s,
            }
            for name, value in by_hand.items():
                self.assertAlmostEqual(point.efficiency[name], value, delta=1e-3, msg=name)
            self.assertLessEqual(point.efficiency["serialisation"], 1 + 1e-9)
            self.assertLessEqual(point.efficiency["transfer"], 1 + 1e-9)


if __name__ == "__main__":
    unittest.main()

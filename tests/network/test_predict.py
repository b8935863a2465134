# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `plait predict`.

    test_predict.py PROGRAM
"""

import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
NETWORK = {
    "--latency-us": 20, "--overhead-us": 2, "--gap-us": 3, "--gap-per-byte-ns": 8,
}  # fmt: skip


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=20)


def with_network(*arguments, **changed):
    return (*arguments, *(word for pair in {**NETWORK, **changed}.items() for word in pair))


class Predict(unittest.TestCase):
    def result_of(self, *arguments):
        done = run(*arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def median(self, cell, figure):
        spread = cell[figure]
        self.assertEqual(spread["q1"], spread["median"])
        self.assertEqual(spread["q3"], spread["median"])
        return spread["median"]

    def test_a_broadcast_costs_what_the_formulas_say(self):
        result = self.result_of(*with_network("bcast", "--ranks", "2,8,9", "--sizes", "1,4KiB"))
        latency, overhead, gap, per_byte = 20, 2, 3, 0.008
        self.assertEqual(list(result["rows"]), ["linear", "binomial", "chain"])
        for ranks in (2, 8, 9):
            for size, label in ((1, "1B"), (4096, "4KiB")):
                rounds = math.ceil(math.log2(ranks))
                message = 2 * overhead + latency + (size - 1) * per_byte
                expected = {
                    "binomial": rounds * (2 * overhead + latency)
                    + rounds * (rounds + 1) / 2 * size * per_byte,
                    "linear": (ranks - 2) * max(overhead, gap + (size - 1) * per_byte) + message,
                    "chain": (ranks - 1) * message,
                }
                cells = {how: row[f"{ranks} ranks"][label] for how, row in result["rows"].items()}
                for how, total in expected.items():
                    cell = cells[how]
                    self.assertAlmostEqual(self.median(cell, "total_us"), total, places=6)
                    self.assertAlmostEqual(
                        self.median(cell, "processor_us") + self.median(cell, "network_us"),
                        self.median(cell, "total_us"),
                    )
                least = min(self.median(cell, "total_us") for cell in cells.values())
                (winner,) = (how for how, cell in cells.items() if cell["cheapest"])
                self.assertEqual(self.median(cells[winner], "total_us"), least)

    def test_every_operation_can_be_predicted(self):
        for what in ["barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter", "reduce_scatter", "scan", "exscan"]:
            with self.subTest(what):
                rows = self.result_of(*with_network(what, "--ranks", 6, "--sizes", 100))["rows"]
                marked = [row["6 ranks"]["100B"]["cheapest"] for row in rows.values()]
                self.assertEqual(marked.count(True), 1)
        rows = self.result_of(*with_network("neighbour_exchange", "--ranks", 6, "--degree", 4))
        self.assertEqual(list(rows["rows"]), ["linear"])

    def test_a_file_gives_the_network_and_options_change_it(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "network.json"
            file.write_text(json.dumps({"network": {
                "latency_s": 20e-6, "send_overhead_s": 2e-6, "receive_overhead_s": 2e-6,
                "gap_s": 3e-6, "gap_per_byte_s": 8e-9,
            }}))  # fmt: skip
            words = ("allreduce", "--ranks", "4,16", "--sizes", "64KiB")
            by_file = self.result_of(*words, "--network", file)
            by_options = self.result_of(*with_network(*words))
            for how, row in by_file["rows"].items():
                for ranks, cells in row.items():
                    for figure in ("total_us", "processor_us", "network_us"):
                        self.assertAlmostEqual(  # in the last bits, 20e-6 is not 20 * 1e-6
                            self.median(cells["64KiB"], figure),
                            self.median(by_options["rows"][how][ranks]["64KiB"], figure),
                        )
            self.assertEqual(by_file["parameters"]["network_file"], str(file))
            changed = self.result_of(*words, "--network", file, "--latency-us", 50)
            self.assertEqual(changed["parameters"]["latency_s"], 50e-6)
            self.assertEqual(changed["parameters"]["gap_s"], 3e-6)
            file.write_text('{"latency_s": 1}')
            done = run(*words, "--network", file)
            self.assertEqual(done.returncode, 2)
            self.assertIn("send_overhead_s is missing", done.stderr)

    def test_both_ways_at_once_and_copies_cost_what_is_said(self):
        words = with_network("alltoall", "--ranks", 2, "--sizes", "1001", "--algorithm", "linear",
                             **{"--both-ways-per-byte-ns": 10, "--copy-per-byte-ns": 2})
        result = self.result_of(*words)
        total = 2 * 2 + 20 + 1000 * 0.010 + 1001 * 0.002
        cell = result["rows"]["linear"]["2 ranks"]["1001B"]
        self.assertAlmostEqual(self.median(cell, "total_us"), total, places=6)
        self.assertEqual(result["parameters"]["both_ways_per_byte_s"], 10e-9)

    def test_one_algorithm_may_be_asked_for(self):
        words = with_network("bcast", "--ranks", 64, "--sizes", "1MiB", "--algorithm", "binomial")
        rows = self.result_of(*words)["rows"]
        self.assertEqual(list(rows), ["binomial"])
        self.assertIs(rows["binomial"]["64 ranks"]["1MiB"]["cheapest"], False)  # chain is

    def test_what_cannot_be_is_one_line(self):
        for arguments, named in (
            (("bcast",), "--ranks"),
            (with_network("sing", "--ranks", 2), "there is no operation 'sing'"),
            (with_network("bcast", "--ranks", 0), "'0' is no number from 1"),
            (with_network("bcast", "--ranks", "2,x"), "'x' is no number"),
            (with_network("bcast", "--ranks", "2,2"), "--ranks names 2 twice"),
            (with_network("bcast", "--ranks", 2, "--sizes", "4kb"), "--sizes: '4kb'"),
            (with_network("bcast", "--ranks", 2, "--algorithm", "ring"), "linear, binomial or"),
            (with_network("bcast", "--ranks", 2, "--degree", 3), "--degree"),
            (with_network("neighbour_exchange", "--ranks", 2), "--degree is missing"),
            (("bcast", "--ranks", 2), "--latency-us is missing"),
            (("bcast", "--ranks", 2, "--network", "/nowhere/a.json"), "/nowhere/a.json"),
            (with_network("bcast", "--ranks", 2, **{"--gap-us": -1}), "g (gap_s)"),
            (with_network("bcast", "--ranks", 2, "--json", "/nowhere/a.json"), "--json"),
        ):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("predict: "), done.stderr)
                self.assertIn(named, done.stderr)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""bench/exchange measures every contestant against base and bound, and refuses bad input."""

import json
import tempfile
from pathlib import Path

from mpi_bench import MpiBench, Refuses, main

SHORT = ("--repeat", "2", "--sample-ms", "0.05", "--pieces", "3")
TWO_ROWS = (*SHORT, "--sizes", "256KiB", "--work-ratio", "1", "--only", "blocking,nonblocking")
CONTESTANTS = {
    "blocking", "nonblocking", "nonblocking tested", "plait auto", "plait dedicated",
    "plait sleeping", "plait workers", "plait none", "plait sleeping 50us", "plait sleeping 200us",
    "plait sleeping 500us",
}


class Exchange(Refuses, MpiBench):
    bad_input = (
        (["--sizes", "4"], "'4'"),
        (["--work-ratio", "0"], "--work-ratio"),
        (["--work-ratio", "much"], "--work-ratio"),
        (["--only", "nobody"], "nobody"),
        (["--pieces", "0"], "--pieces"),
        (["--beside", "/no/such/file"], "/no/such/file"),
    )

    def test_the_result_has_every_contestant_at_every_size_and_ratio(self):
        result = self.result_of(*SHORT, "--sizes", "8,64KiB", "--work-ratio", "0.5,1")
        rows = result["rows"]
        columns = {"8B work 0.5", "8B work 1", "64KiB work 0.5", "64KiB work 1"}
        self.assertEqual(set(result["environment"]["peers"]) - {"starpu-mpi"}, CONTESTANTS)
        self.assertEqual(set(rows) - {"attainable", "starpu-mpi"}, CONTESTANTS | {"alone", "bound"})
        for name in CONTESTANTS:
            self.assertEqual(set(rows[name]), columns)
            for cell in rows[name].values():
                self.check_spread(cell["total_us"], 2)
                self.check_spread(cell["exposed_us"], 2)
        for column, cell in rows["alone"].items():
            larger = [max(pair) for pair in zip(cell["communication_us"]["samples"],
                                                cell["computation_us"]["samples"], strict=True)]
            self.assertEqual(rows["bound"][column]["total_us"]["samples"], larger)

    def test_the_transport_is_measured_where_exchanges_take_long_enough(self):
        column = "8MiB work 0.1"
        for _ in range(10):  # other programs may leave no processor to measure it
            rows = self.new_run_of("--repeat", "1", "--sample-ms", "1", "--sizes", "8MiB",
                                   "--work-ratio", "0.1", "--only", "blocking")[0]["rows"]
            if "attainable" in rows:
                break
        self.assertGreaterEqual(rows["alone"][column]["transport_cpu_us"]["median"], 0)
        self.assertIn(column, rows["attainable"])

    def test_hidden_fractions_are_relative_to_base_and_bound(self):
        result = self.result_of(*TWO_ROWS)
        rows, column = result["rows"], "256KiB work 1"
        base = rows["blocking"][column]["total_us"]["median"]
        bound = rows["bound"][column]["total_us"]["median"]
        cell = rows["nonblocking"][column]
        if base - bound > 0.01 * base:
            expected = (base - cell["total_us"]["samples"][0]) / (base - bound)
            self.assertAlmostEqual(cell["hidden_fraction"]["samples"][0], expected)
        else:
            self.assertNotIn("hidden_fraction", cell)

    def test_another_job_is_measured_beside_the_first(self):
        first = self.result_of(*TWO_ROWS)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "first.json"
            file.write_text(json.dumps(first))
            second = self.result_of(*SHORT, "--beside", str(file))
        self.assertEqual(list(second["rows"]), ["nonblocking, MPICH thread"])
        cell = second["rows"]["nonblocking, MPICH thread"]["256KiB work 1"]
        for remark in ("work_units", "steps", "pieces"):
            self.assertEqual(cell[remark], first["rows"]["blocking"]["256KiB work 1"][remark])

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*TWO_ROWS)


if __name__ == "__main__":
    main()

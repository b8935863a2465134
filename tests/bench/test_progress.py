# SPDX-License-Identifier: BSD-3-Clause
"""bench/progress measures every row in every cell, and refuses bad input."""

from mpi_bench import MpiBench, Refuses, main

SHORT = ("--repeat", "2", "--run-ms", "2", "--least-step-ms", "0.2")
CELLS = (*SHORT, "--tasks", "10us,whole", "--sizes", "8,64KiB", "--flights", "1,3",
         "--rows", "hand,plait auto")
ROWS = {
    "blocking", "hand", "plait auto", "plait sleeping", "plait workers", "plait none",
    "plait every 50us", "plait every 200us", "plait every 750us", "plait every 1500us",
    "plait every 3000us", "plait every 6000us", "plait auto submitted",
}
DEDICATED = "plait dedicated"


class Progress(Refuses, MpiBench):
    bad_input = (
        (["--tasks", "10"], "'10'"),
        (["--tasks", "1ms,1000us"], "twice"),
        (["--tasks", "-1ms"], "'-1ms'"),
        (["--sizes", "12"], "multiple of 8"),
        (["--flights", "0"], "--flights"),
        (["--rows", "nobody"], "nobody"),
        (["--work", "0"], "--work"),
        (["--run-ms", "0"], "--run-ms"),
        (["--longest-step-ms", "1"], "every cell is left out"),
    )

    def check_rows(self, rows, names, columns):
        self.assertEqual(set(rows) - {"alone", "bound", "attainable"}, set(names))
        for name in names:
            self.assertEqual(set(rows[name]), columns)
            for cell in rows[name].values():
                self.check_spread(cell["total_us"], 2)
                self.assertEqual(cell["steps"] % 2, 0)

    def test_every_row_is_measured_with_one_message_and_with_several(self):
        for task, size, flights in (("10us", "8B", "1"), ("whole", "64KiB", "3")):
            result = self.result_of(*SHORT, "--tasks", task, "--sizes", size, "--flights", flights)
            left_out = result["environment"]["rows_left_out"]
            names = set(result["environment"]["peers"])
            self.assertEqual(names | set(left_out), ROWS | {DEDICATED})
            self.check_rows(result["rows"], names, {f"{size} x{flights} {task}"})

    def test_the_result_has_every_cell(self):
        rows = self.result_of(*CELLS)["rows"]
        columns = {f"{size} x{flights} {task}" for size in ("8B", "64KiB") for flights in (1, 3)
                   for task in ("10us", "whole")}
        self.check_rows(rows, {"hand", "plait auto"}, columns)
        self.assertEqual(rows["hand"]["8B x3 10us"]["task_s"], 1e-5)
        self.assertGreater(rows["hand"]["8B x3 10us"]["pieces"], 1)
        self.assertEqual(rows["bound"]["8B x3 whole"]["task_s"], 0)
        self.assertEqual(rows["hand"]["64KiB x3 whole"]["pieces"], 1)

    def test_a_step_is_no_shorter_than_a_task(self):
        cells = self.result_of(*SHORT, "--tasks", "5ms,whole", "--sizes", "8", "--flights", "1",
                               "--work", "1e-6", "--rows", "hand")["rows"]["hand"]
        self.assertEqual(cells["8B x1 5ms"]["pieces"], 1)
        self.assertGreater(cells["8B x1 5ms"]["work_units"],
                           20 * cells["8B x1 whole"]["work_units"])

    def test_cells_with_long_steps_are_left_out(self):
        result = self.result_of(*SHORT, "--tasks", "whole,100ms", "--longest-step-ms", "90",
                                "--sizes", "8", "--flights", "1", "--rows", "blocking")
        self.assertEqual(set(result["rows"]["blocking"]), {"8B x1 whole"})
        self.assertIn("--longest-step-ms", result["environment"]["cells_left_out"]["8B x1 100ms"])

    def test_progress_is_told_while_it_runs(self):
        self.check_progress(*CELLS)


if __name__ == "__main__":
    main()

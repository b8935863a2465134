# SPDX-License-Identifier: BSD-3-Clause
"""Runs ft-probe on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "stencil"))
from run_jacobi3d import check, launch, main, read_result

PIECES = ("computation_s", "comm_init_s", "comm_sync_s", "barrier_s")


def check_cell(name: str, cell: dict, ranks: int) -> None:
    check(cell["verified"] is True, f"{name} is not verified")
    check(cell["max_error"] <= cell["error_bound"], f"{name}: {cell['max_error']}")
    for sample, total in enumerate(cell["total_s"]["samples"]):
        pieces = [cell[piece]["samples"][sample] for piece in PIECES]
        # Of pieces the mean over ranks, of the whole the longest.
        check(min(pieces) >= 0 and sum(pieces) <= total * 1.001, f"{name}: {pieces} of {total}")
    if cell["scale"] == 0:
        check(cell["transformed"] == 0, f"{name} transforms {cell['transformed']}")
    check(("model" in cell) == (cell["way"] != "none"), f"{name}: a model")
    if "model" in cell:
        model = cell["model"]
        parts = model["computation_s"] + model["comm_init_s"] + model["wait_s"]
        check(abs(parts - model["total_s"]) <= 1e-9 * parts, f"{name}: pieces of the model")
        check(model["wait_s"] >= 0, f"{name}: the model waits {model['wait_s']} s")
        check((model["transfer_s"] > 0) == (ranks > 1), f"{name}: transfer {model['transfer_s']}")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "result.json"
        done = launch(options, ["--repeat", "1", "--json", str(result_file), *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
    parameters = result["parameters"]
    rows = [f"{w} {a}" for w in parameters["ways"] for a in parameters["algorithms"]]
    check(list(result["rows"]) == rows, f"rows are {list(result['rows'])}")
    columns = {column for cells in result["rows"].values() for column in cells}
    for row, cells in result["rows"].items():
        check(set(cells) == columns, f"{row} has {list(cells)}")
        for column, cell in cells.items():
            check_cell(f"{row}, {column}", cell, options.ranks)
    bars = sum(len(g["bars"]) for f in result["figures"] for g in f["groups"])
    check(bars >= len(rows) * len(columns), f"{bars} bars")
    check(any("model's total" in said for said in result["sentences"]), "a sentence of the model")


if __name__ == "__main__":
    main(check_result)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs ft on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_ledger, check_timeline, launch, main, read_result

VARIANTS = ["base", "library", "olap", "plait", "ideal"]


def check_rate(name: str, variant: dict, parameters: dict) -> None:
    """Gflop/s are NPB's formula over the median."""
    n = math.prod(parameters["size"])
    an_iteration = 5.23518 + 7.21113 * math.log(n)
    operations = n * (14.8157 + 7.19641 * math.log(n) + an_iteration * parameters["steps"])
    expected = operations / variant["total_s"]["median"] / 1e9
    check(abs(variant["gflops"] / expected - 1) < 1e-9, f"{name}: {variant['gflops']} Gflop/s")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "result.json"
        outputs = ["--json", str(result_file), "--trace", str(Path(folder) / "trace.json")]
        done = launch(options, ["--repeat", "1", *outputs, *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
    parameters = result["parameters"]
    expected = VARIANTS
    if "--variants" in arguments:
        expected = arguments[arguments.index("--variants") + 1].split(",")
    check(list(result["variants"]) == expected, f"variants are {list(result['variants'])}")
    check(len(result["checksums"]) == parameters["steps"], "a checksum for each iteration")
    rows, columns = parameters["grid"]
    check(rows * columns == options.ranks, f"a grid of {rows}x{columns} ranks")
    check(parameters["geometry"] == ("slabs" if rows == 1 else "pencils"), parameters["geometry"])
    wanted = "published" if parameters["class"] != "U" else "serial run"
    check(result["checksums_known_by"] == wanted, f"by {result['checksums_known_by']}")
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        check_ledger(name, variant, range(options.ranks))
        check_rate(name, variant, parameters)
        if name in ("olap", "plait", "ideal"):  # what a collective sends is not known
            check_timeline(name, result["timeline"][name], range(options.ranks))


if __name__ == "__main__":
    main(check_result)

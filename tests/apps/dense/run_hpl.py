# SPDX-License-Identifier: BSD-3-Clause
"""Runs hpl on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_ledger, launch, main, read_result

VARIANTS = ["base", "olap", "plait", "ideal"]


def check_singular(options: argparse.Namespace, arguments: list[str]) -> None:
    """One line, exit code 1."""
    done = launch(options, arguments)
    own = [line for line in done.stderr.splitlines() if line.startswith("hpl: ")]
    check(len(own) == 1, f"expected one line on standard error, got:\n{done.stderr}")
    check("has no pivot but 0" in own[0], own[0])
    check(done.returncode == 1, f"exit code {done.returncode}, expected 1")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    if "--zero-column" in arguments:
        check_singular(options, arguments)
        return
    with tempfile.TemporaryDirectory() as folder:
        result_file, trace_file = Path(folder) / "result.json", Path(folder) / "trace.json"
        outputs = ["--json", str(result_file), "--trace", str(trace_file)]
        done = launch(options, ["--repeat", "1", *outputs, *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
        check(trace_file.stat().st_size > 0, "the trace is empty")
    check(result["app"] == "hpl", "the application's name")
    check(list(result["variants"]) == VARIANTS, f"variants are {list(result['variants'])}")
    check("Gflops" in done.stdout, "netlib's columns")
    check(done.stdout.count("PASSED") == len(VARIANTS) - 1, f"not all passed:\n{done.stdout}")
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["residual"] < variant["error_bound"], f"{name}: {variant['residual']}")
        check_ledger(name, variant, range(options.ranks))


if __name__ == "__main__":
    main(check_result)

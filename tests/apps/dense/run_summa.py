# SPDX-License-Identifier: BSD-3-Clause
"""Runs summa on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import KINDS, check, check_ledger, launch, main, read_result

VARIANTS = ["base", "olap", "split", "plait", "ideal"]


def check_timeline(name: str, events: list[dict], ranks: int) -> None:
    """Everyone computes; messages are those of tasks, for MPI does not tell those of collectives."""
    check({e["kind"] for e in events} <= KINDS, f"{name}: unknown kinds in the timeline")
    computing = {e["rank"] for e in events if e["kind"] == "compute"}
    check(computing == set(range(ranks)), f"{name}: only ranks {computing} compute")
    messages = any(e["kind"] == "message" for e in events)
    check(messages == (name == "plait"), f"{name}: messages in the timeline: {messages}")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file, trace_file = Path(folder) / "result.json", Path(folder) / "trace.json"
        outputs = ["--json", str(result_file), "--trace", str(trace_file)]
        done = launch(options, ["--repeat", "1", "--variants", ",".join(VARIANTS), *outputs, *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
        check(trace_file.stat().st_size > 0, "the trace is empty")
    check(result["app"] == "summa", "the application's name")
    check(list(result["variants"]) == VARIANTS, f"variants are {list(result['variants'])}")
    check(isinstance(result["environment"]["blas_kernel"], str), "the kernel of the BLAS")
    check(isinstance(result["limiter"], str), "the limiter")
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        check(variant["gflops"] > 0, f"{name}: {variant['gflops']} Gflop/s")
        check_ledger(name, variant, range(options.ranks))
        check_timeline(name, result["timeline"][name], options.ranks)


if __name__ == "__main__":
    main(check_result)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs jacobi3d on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_ledger, check_timeline, launch, main, read_result


def check_comparison(name: str, variant: dict, result: dict) -> None:
    """Checks hidden fractions: variants that compute as base have one; tiles have an own ideal."""
    as_base = name not in ("tiles", "tiles_ideal") and variant["workers"] == 1
    check(variant["computes_as_base"] == as_base, f"{name} computes as base: {not as_base}")
    hidden = result["hidden_fraction"].get(name)
    check(hidden is None or (as_base and name != "ideal"), f"{name} hides {hidden}")
    check(("own_limits" in variant) == (name == "tiles"), f"{name}: limits of its own")
    slower = variant["slower_computation"]
    knows = (as_base or name == "tiles") and name != "ideal"
    check((slower is not None) == knows, f"{name}: slower computation {slower}")
    if slower is not None:
        most = max(slower["total_s"], 0)
        parts = [slower[part] or 0 for part in ("transport_s", "proxy_s")]
        check(min(parts) >= 0 and max(parts) <= most, f"{name}: slower computation {slower}")
    if name == "tiles":
        own = variant["own_limits"]
        ratio = variant["total_s"]["median"] / own["computation_s"]["median"]
        check(abs(own["ratio_to_ideal"] - ratio) < 1e-9, f"tiles: {own['ratio_to_ideal']}")
        processor = own["computation_s"]["median"] + (result["transport_cpu_s"]["median"] or 0)
        attainable = max(result["communication_s"]["median"], processor)
        check(own["attainable_s"] == attainable, f"tiles: attainable {own['attainable_s']}")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    variants = ["base", "olap", "plait", "ideal"]
    if "--variants" in arguments:
        variants = arguments[arguments.index("--variants") + 1].split(",")
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "result.json"
        trace_file = Path(folder) / "trace.json"
        outputs = ["--json", str(result_file), "--trace", str(trace_file)]
        done = launch(options, ["--repeat", "2", *outputs, *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
        trace = json.loads(trace_file.read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    check(len(events) > 0, "the trace is empty")
    check(result["schema"] == "plait-result/1", "the schema's name")
    check(result["environment"]["ranks"] == options.ranks, "the number of ranks")
    check(list(result["variants"]) == variants, f"variants are {list(result['variants'])}")
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        check(len(variant["total_s"]["samples"]) == result["parameters"]["repeat"], "samples")
        check_ledger(name, variant, range(options.ranks))
        check_timeline(name, result["timeline"][name], range(options.ranks))
    bound = max(result["computation_s"]["median"], result["communication_s"]["median"])
    check(result["bound_s"] == bound, "bound_s is not the larger of the two")
    # The transport's time is unknown where exchanges are too short for it.
    processor = result["computation_s"]["median"] + (result["transport_cpu_s"]["median"] or 0)
    attainable = max(result["communication_s"]["median"], processor)
    check(result["attainable_s"] == attainable, "attainable_s")
    check(set(result["hidden_fraction"]) == set(variants) - {"base"}, "hidden fractions")
    for name, variant in result["variants"].items():
        check_comparison(name, variant, result)
    chosen = result["environment"]["time_tile_chosen"]
    check((chosen is not None) == ("tiles" in variants), f"tiles of {chosen} steps")
    check(isinstance(result["limiter"], str), "the limiter")


if __name__ == "__main__":
    main(check_result)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs poisson on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_device_bound, check_ledger, check_timeline, launch, main, value_of
from result_files import read_result

VARIANTS = "base,olap,plait,pipelined,ideal"
NETWORK = {
    "network": {
        "latency_s": 4e-5,
        "send_overhead_s": 1e-6,
        "receive_overhead_s": 1e-6,
        "gap_s": 2e-6,
        "gap_per_byte_s": 8e-9,
    }
}


def check_iterations(result: dict) -> None:
    """As many as a serial run, to one, and the same for all; pipelined to one."""
    variants = result["variants"]
    base = result["parameters"]["steps"]
    if "base" in variants:
        check(variants["base"]["iterations"] == base, f"base: {variants['base']['iterations']}")
    serial = result["environment"]["serial_iterations"]
    check(serial is not None, "small grids have a serial reference")
    check(abs(base - serial) <= 1, f"{base} iterations, a serial run {serial}")
    for name, variant in variants.items():
        off = abs(variant["iterations"] - base)
        check(off <= (1 if name == "pipelined" else 0), f"{name}: {variant['iterations']}, {base}")
        if result["converged"] and not name.endswith("ideal"):
            tolerance = result["parameters"]["tolerance"]
            check(variant["residual"] <= tolerance, f"{name}: residual {variant['residual']}")


def check_prediction(predicted: dict, ranks: int) -> None:
    """No overlap makes an iteration slower, nor faster than its parts."""
    check(predicted["ranks"] == ranks, "ranks of the prediction")
    over_ranks = [one["ranks"] for one in predicted["over_ranks"]]
    check(over_ranks[:2] == [1, 2] and over_ranks == sorted(over_ranks), f"{over_ranks}")
    for one in [predicted, *predicted["over_ranks"]]:
        parts = one["computation_s"] + one["exchange_s"] + 2 * one["reduction_s"]
        check(abs(one["base_s"] - parts) <= 1e-12, f"base is not the sum of its parts: {one}")
        least = max(one["computation_s"], one["exchange_s"]) + 2 * one["reduction_s"]
        check(least <= one["overlapped_s"] * (1 + 1e-12), f"too much is hidden: {one}")
        check(one["overlapped_s"] <= one["base_s"] * (1 + 1e-12), f"overlap costs time: {one}")
        check(one["pipelined_s"] > one["computation_s"], f"pipelined computes more: {one}")


def check_device(result: dict) -> None:
    """Sums pass through the host in every row, and ghosts go to the device where there are any."""
    for name, variant in result["variants"].items():
        account = variant["device"]
        check(account["to_host_s"] > 0, f"{name} copies nothing to the host")
        messages = name != "device_ideal" and result["environment"]["ranks"] > 1
        check((account["to_device_s"] > 0) == messages, f"{name}: {account}")
    check_device_bound(result)


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file, trace_file, network_file = (
            Path(folder) / name for name in ("result.json", "trace.json", "network.json")
        )
        network_file.write_text(json.dumps(NETWORK))
        outputs = ["--json", result_file, "--trace", trace_file, "--network", network_file]
        done = launch(options, ["--repeat", "1", *map(str, outputs), *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
        trace = json.loads(trace_file.read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    check(len(events) > 0, "the trace is empty")
    check(result["app"] == "poisson", "the application's name")
    variants = value_of("--variants", arguments, VARIANTS).split(",")
    on_device = variants[0].startswith("device_")
    check(list(result["variants"]) == variants, f"variants are {list(result['variants'])}")
    bases = {"base", "device_base"} & set(variants)  # what is hidden is said of base's time
    others = set(variants) - bases if bases else set()
    check(set(result["hidden_fraction"]) == others, "hidden fractions")
    for name in ("pipelined", "ideal", "device_ideal"):  # another algorithm, and no messages
        check(result["hidden_fraction"].get(name) is None, f"{name} hides something")
    if on_device:
        check_device(result)
    else:
        check(not result["variants"]["pipelined"]["computes_as_base"], "another algorithm")
    check(isinstance(result["limiter"], str), "the limiter")
    check_iterations(result)
    check_prediction(result["prediction"], options.ranks)
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        waits, sums = variant["exposed_s"], variant["reduction_s"]
        check(sums >= 0, f"{name}: sums take {sums} s")
        check(name != "ideal" or waits == sums == 0, f"{name} waits {waits} s")
        check(name != "device_ideal" or sums == 0, f"{name} waits {sums} s for sums")
        check_ledger(name, variant, range(options.ranks))
        # A rank that is its own neighbour may send messages, or copy.
        if options.ranks > 1 or "periodic" not in arguments:
            check_timeline(name, result["timeline"][name], range(options.ranks))


if __name__ == "__main__":
    main(check_result)

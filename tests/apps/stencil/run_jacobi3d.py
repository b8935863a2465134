# SPDX-License-Identifier: BSD-3-Clause
"""Runs jacobi3d on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_device_bound, check_ledger, check_timeline, launch, main, value_of
from result_files import read_result

OPERATIONS_PER_CELL = 7


def check_rate(name: str, variant: dict, parameters: dict) -> None:
    """A step is seven operations a cell."""
    operations = OPERATIONS_PER_CELL * math.prod(parameters["size"]) * parameters["steps"]
    rate = 1e-9 * operations / variant["total_s"]["median"]
    check(abs(variant["gflops"] / rate - 1) < 1e-9, f"{name}: {variant['gflops']} Gflop/s")


def check_node_row(name: str, variant: dict, per_node: int, service: str) -> None:
    """A row with one process a node: equal processors, and an ideal of as many workers."""
    workers = variant["workers"]
    gave_up = name == "service" or service == "always"
    if service != "auto":
        check(workers == per_node - gave_up, f"{name} has {workers} workers")
    ideal = "plait_ideal" if workers == per_node else "service_ideal"
    check(variant["own_limits"]["ideal"] == ideal, f"{name}: {variant['own_limits']}")
    check(variant["computes_as_base"] is False, f"{name} computes as base")
    check("proxy_cpu_s" in variant, f"{name} has no proxy")


def check_model(result: dict, per_node: int) -> None:
    """The model's answer: for this node, and for usual ones."""
    said = result["service_core"]
    check([node["cores"] for node in said["nodes"]] == [per_node, 8, 64], f"{said['nodes']}")
    step, here = said["step"], said["nodes"][0]
    workers = max(step["network_s"], step["computation_s"] + step["taken_s"] / per_node)
    service = max(step["network_s"], step["one_less_s"], step["transport_s"])
    check(math.isclose(here["workers_s"], workers), f"{here}, {step}")
    check(math.isclose(here["service_s"], service), f"{here}, {step}")
    check(here["pays"] == (service < workers), f"{here}")
    reason = result["environment"]["policy_reason"]
    check("by the model a step takes" in reason, f"the policy's reason: {reason}")


def check_nodes(result: dict, arguments: list[str], ranks: int) -> None:
    """What a result of several processes a node has that others have not."""
    per_node = result["parameters"]["processes_per_node"]
    check(per_node == int(value_of("--per-node", arguments, "1")), f"{per_node} a node")
    if "--cells-per-node" in arguments:
        own = [int(n) for n in value_of("--cells-per-node", arguments, "").split("x")]
        parameters = result["parameters"]
        places = parameters["node_grid" if per_node > 1 else "grid"]
        whole = [n * p for n, p in zip(own, places, strict=True)]
        check(parameters["cells_per_node"] == own and parameters["size"] == whole, f"{parameters}")
    service = value_of("--service-core", arguments, "both")
    # Without a run of all workers it is not known what messages take from them.
    has_step = per_node > 1 and "plait" in result["variants"] and service != "always"
    check(("service_core" in result) == has_step, "the model's answer")
    if per_node == 1:
        return
    check(result["parameters"]["service_core"] == service, "the service core that was asked for")
    for name, variant in result["variants"].items():
        leads = name in ("plait", "service")
        check(variant["processes"] == (ranks // per_node if leads else ranks), f"{name}: processes")
        if leads:
            check_node_row(name, variant, per_node, service)
    if has_step:
        check_model(result, per_node)
    if "plait" in result["variants"]:
        check(result["limiter"].split()[0] in ("plait", "service"), result["limiter"])


def check_comparison(name: str, variant: dict, result: dict) -> None:
    """Checks hidden fractions: variants that compute as base have one; tiles have an own ideal."""
    if result["parameters"]["processes_per_node"] > 1 and name in ("plait", "service"):
        check(result["hidden_fraction"][name] is None, f"{name} hides")
        return
    as_base = name not in ("tiles", "tiles_ideal") and variant["workers"] == 1
    check(variant["computes_as_base"] == as_base, f"{name} computes as base: {not as_base}")
    hidden = result["hidden_fraction"].get(name)
    ideals = ("ideal", "device_ideal")
    check(hidden is None or (as_base and name not in ideals), f"{name} hides {hidden}")
    check(("own_limits" in variant) == (name == "tiles"), f"{name}: limits of its own")
    slower = variant["slower_computation"]
    knows = (as_base or name == "tiles") and name not in ideals
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


def check_device(result: dict, variants: list[str]) -> None:
    """What a result of rows on a device has that others have not."""
    on_device = variants[0].startswith("device_")
    check(("device" in result) == on_device, "the bound of device, bus and link")
    check(("kernel" in result) != on_device, "the memory's bandwidth")
    if not on_device:
        return
    for name, variant in result["variants"].items():
        copies = [variant["device"][way] for way in ("to_host_s", "to_device_s")]
        alone = name == "device_ideal" or result["environment"]["ranks"] == 1
        check((min(copies) > 0) != alone, f"{name} copies {copies}")
    check_device_bound(result)


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    variants = value_of("--variants", arguments, "base,olap,plait,ideal").split(",")
    per_node = int(value_of("--per-node", arguments, "1"))
    if per_node > 1 and "plait" in variants and "--service-core" not in arguments:
        variants.insert(variants.index("plait") + 1, "service")
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
        ranks = range(0, options.ranks, per_node if name in ("plait", "service") else 1)
        check_ledger(name, variant, ranks)
        check_timeline(name, result["timeline"][name], ranks)
        check_rate(name, variant, result["parameters"])
    bound = max(result["computation_s"]["median"], result["communication_s"]["median"])
    check(result["bound_s"] == bound, "bound_s is not the larger of the two")
    # The transport's time is unknown where exchanges are too short for it.
    processor = result["computation_s"]["median"] + (result["transport_cpu_s"]["median"] or 0)
    attainable = max(result["communication_s"]["median"], processor)
    check(result["attainable_s"] == attainable, "attainable_s")
    bases = {"base", "device_base"}
    others = set(variants) - bases if bases & set(variants) else set()
    check(set(result["hidden_fraction"]) == others, "hidden fractions")
    check_device(result, variants)
    for name, variant in result["variants"].items():
        check_comparison(name, variant, result)
    check_nodes(result, arguments, options.ranks)
    chosen = result["environment"]["time_tile_chosen"]
    check((chosen is not None) == ("tiles" in variants), f"tiles of {chosen} steps")
    check(isinstance(result["limiter"], str), "the limiter")


if __name__ == "__main__":
    main(check_result)

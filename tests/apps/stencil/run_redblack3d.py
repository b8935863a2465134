# SPDX-License-Identifier: BSD-3-Clause
"""Runs redblack3d on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_ledger, check_timeline, launch, main, read_result

POLICIES = (
    "HAND,MT(1)+!OLAP,MT(1)+OLAP+XTRA,MT(3)+!OLAP+IRR(3:1),MT(2)+OLAP,MT(2)+OLAP+XTRA+IRR(44:50),"
    "MT(2)+!OLAP+DYN,MT(2)+OLAP+XTRA+DYN,TASK+MT(1),TASK+MT(2)+XTRA,IDEAL"
)

SLOW_FACTOR = 200


def ranks_of(name: str, ranks: int, per_node: int) -> range:
    """Those that take part in a policy: the paper's single tier has a process for each processor."""
    single_tier = name in ("HAND", "IDEAL", "MT(1)+!OLAP", "MT(1)+OLAP")
    return range(0, ranks, 1 if single_tier else per_node)


def check_table(name: str, variant: dict, steps: int, ranks: int) -> None:
    """The paper's columns: the maximum over nodes, so that wait and comp may exceed the total."""
    columns = variant["per_iteration_s"]
    total, wait, comp = (columns[key]["median"] for key in ("total", "wait", "comp"))
    check(abs(total * steps - variant["total_s"]["median"]) <= 1e-9, f"{name}: total per iteration")
    check(0 <= wait <= 1.01 * total and 0 < comp <= 1.01 * total, f"{name}: wait or comp")
    if ranks > 1:
        check((wait == 0) == (name == "IDEAL"), f"{name}: waits {wait} s")
    kept = len(columns["total"]["samples"]) - variant["outliers"]
    # Threads that sweep look after no messages: the proxy must not rely on them.
    if name.startswith("MT") and "XTRA" in name:
        check(variant["progress"] in ("dedicated", "sleeping"), f"{name}: {variant['progress']}")
    check(variant["gflops"] > 0, f"{name}: {variant['gflops']} Gflop/s")
    check(kept >= 1 and columns["total"]["mean"] > 0, f"{name}: {kept} runs are no outliers")


def check_rest(name: str, variant: dict) -> None:
    """Of a policy that goes phase by phase: parts of the time, which are accounted for."""
    rest = variant["rest"]
    noted = name == "HAND" or name.startswith("MT")
    check((rest is not None) == noted, f"{name}: rest {rest}")
    if rest is None:
        return
    parts = ("computation", "threads", "annulus", "posting", "nodes", "lag", "transfer", "polling")
    check(all(rest[f"{part}_s"] >= -1e-9 for part in parts), f"{name}: {rest}")
    check(0 < rest["sum_share"] <= 1.001, f"{name}: the parts are {rest['sum_share']} of the time")
    check((rest["proxy_utilisation"] is not None) == ("XTRA" in name), f"{name}: proxy, {rest}")


def check_slowness(result: dict, ranks: int) -> None:
    """Worker 0 is held up under every policy: nobody computes a cell in less than 0.1 ns."""
    cells = math.prod(result["parameters"]["size"]) / ranks
    least_s = SLOW_FACTOR * 1e-10 * cells
    for name, variant in result["variants"].items():
        comp = variant["per_iteration_s"]["comp"]["median"]
        check(comp >= least_s, f"{name}: {comp} s of computation, worker 0 needs {least_s} s")
    computation_s = result["computation_s"]["median"]
    check(computation_s >= least_s * result["parameters"]["steps"], "computation alone is not slow")


def check_bound(result: dict, ranks: int) -> None:
    """The bound is that of all ranks, a thread each: no figures where others compute."""
    variants = result["variants"]
    fastest = min(
        (name for name in variants if name != "IDEAL"),
        key=lambda name: variants[name]["total_s"]["median"],
    )
    as_hand = {name: v["workers"] == 1 and v["processes"] == ranks for name, v in variants.items()}
    unknown = "its limit is not known" in result["limiter"]
    known = as_hand[fastest] or "own_limits" in variants[fastest]
    check(known != unknown, f"{fastest}: {result['limiter']}")
    for name, fraction in result["hidden_fraction"].items():
        hides = as_hand[name] and name != "IDEAL"
        check(hides or fraction is None, f"{name} hides {fraction}")
        check(variants[name]["computes_as_base"] == as_hand[name], f"{name} computes as HAND")


def check_model(result: dict, per_node: int) -> None:
    """The model's answer is there where a policy of tasks has a worker for each core of a node."""
    workers = f"TASK+MT({per_node})"
    is_known = per_node > 1 and workers in result["variants"]
    check(("service_core" in result) == is_known, "the model's answer")
    if not is_known:
        return
    said = result["service_core"]
    check([node["cores"] for node in said["nodes"]] == [per_node, 8, 64], f"{said['nodes']}")
    for name, variant in result["variants"].items():
        if name.startswith("TASK") and variant["workers"] in (per_node, per_node - 1):
            ideal = "plait_ideal" if variant["workers"] == per_node else "service_ideal"
            check(variant["own_limits"]["ideal"] == ideal, f"{name}: {variant['own_limits']}")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "result.json"
        outputs = ["--json", str(result_file), "--trace", str(Path(folder) / "trace.json")]
        if "--policies" not in arguments:
            arguments = ["--policies", POLICIES, *arguments]
        done = launch(options, ["--repeat", "1", *outputs, *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
        trace = json.loads((Path(folder) / "trace.json").read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    check(len(events) > 0, "the trace is empty")
    check(result["app"] == "redblack3d", "the application's name")
    check(result["environment"]["reference"] == "a serial run", "small grids have a serial reference")
    if arguments[1] == POLICIES:
        check(list(result["variants"]) == POLICIES.split(","), f"variants: {list(result['variants'])}")
        check(set(result["hidden_fraction"]) == set(POLICIES.split(",")[1:]), "hidden fractions")
    if f"0:{SLOW_FACTOR}" in arguments:
        check_slowness(result, options.ranks)
    check_bound(result, options.ranks)
    steps = result["parameters"]["steps"]
    per_node = result["parameters"]["processes_per_node"]
    wanted = int(arguments[arguments.index("--per-node") + 1]) if "--per-node" in arguments else 1
    check(per_node == wanted, f"{per_node} processes a node, not {wanted}")
    if per_node > 1 and "--grid" not in arguments:
        grid, nodes = result["parameters"]["grid"], result["parameters"]["node_grid"]
        whole = all(many % few == 0 for many, few in zip(grid, nodes, strict=True))
        check(whole, f"the processes' grid {grid} has no whole blocks for nodes {nodes}")
    check_model(result, per_node)
    if "--cells-per-node" in arguments:
        own = [int(n) for n in arguments[arguments.index("--cells-per-node") + 1].split("x")]
        parameters = result["parameters"]
        places = parameters["node_grid"] if per_node > 1 else parameters["grid"]
        whole = [n * p for n, p in zip(own, places, strict=True)]
        check(parameters["cells_per_node"] == own and parameters["size"] == whole, f"{parameters}")
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        ranks = ranks_of(name, options.ranks, per_node)
        check(variant["processes"] == len(ranks), f"{name} runs with {variant['processes']}")
        check_ledger(name, variant, ranks)
        # A rank that is its own neighbour may send messages, or copy.
        if len(ranks) > 1 or "periodic" not in arguments:
            check_timeline(name, result["timeline"][name], ranks)
        check_table(name, variant, steps, len(ranks))
        check_rest(name, variant)


if __name__ == "__main__":
    main(check_result)

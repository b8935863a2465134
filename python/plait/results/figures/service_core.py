# SPDX-License-Identifier: BSD-3-Clause
"""Says whether a node gains by giving a processor to communication: measured, and by the model."""

from typing import Any

from plait.results.base import Result
from plait.results.schema import count, fields, flag, number, sequence
from plait.units import seconds_text

_DIGITS = 4
_NODE = fields(
    {"cores": count, "blocking_s": number, "workers_s": number, "service_s": number, "pays": flag,
     "pays_beside_blocking": flag}
)  # fmt: skip
_STEP = fields(
    dict.fromkeys(
        ("computation_s", "one_less_s", "exchange_s", "network_s", "transport_s", "taken_s"), number
    )
)
SERVICE_CORE = fields({"step": _STEP, "nodes": sequence(_NODE, least=1)})


def of_nodes(result: Result) -> dict[str, dict[str, Any]]:
    """Returns the variants with one process of each node, where others run with several."""
    if result["parameters"].get("processes_per_node", 1) == 1:
        return {}
    most = max(variant.get("processes", 1) for variant in result["variants"].values())
    return {
        name: variant
        for name, variant in result["variants"].items()
        if variant.get("processes", most) < most
    }


def service_core_sentences(result: Result) -> list[str]:
    """Returns what each row has of a node's processors, what a service thread gains, and when."""
    rows = of_nodes(result)
    if not rows:
        return []
    per_node = result["parameters"]["processes_per_node"]
    return [
        _equal_processors(rows, per_node),
        *_shared_cores(result),
        *_own_bounds(rows),
        *_gains(result, rows),
        *model_sentences(result),
    ]


def _equal_processors(rows: dict[str, dict[str, Any]], per_node: int) -> str:
    each = ", ".join(f"{name} {_crew(row, per_node)}" for name, row in rows.items())
    return (
        f"{per_node} processors a node in every row: one process each, or one process for all:"
        f" {each}; bound and hidden are those of one process each"
    )


def _crew(row: dict[str, Any], per_node: int) -> str:
    workers = row["workers"]
    count_text = f"{workers} worker" + ("" if workers == 1 else "s")
    return f"{count_text} and a service thread" if workers < per_node else count_text


def _shared_cores(result: Result) -> list[str]:
    """That nodes of an emulated cluster take turns on the machine's cores, if they do."""
    lab = result["environment"].get("lab") or {}
    dealt = [core for node in lab.get("cores", []) for core in node]
    if len(dealt) == len(set(dealt)):
        return []
    line = (
        f"{len(dealt)} processors of the nodes share {len(set(dealt))} cores of this machine:"
        " a service thread there polls only while no worker wants its core, and a worker less"
        " costs a node nothing"
    )
    model = ", which the model takes for a busy memory" if "service_core" in result else ""
    return [line + model]


def _own_bounds(rows: dict[str, dict[str, Any]]) -> list[str]:
    said = [
        f"{name} {seconds_text(own['bound_s'], _DIGITS)},"
        f" {seconds_text(own['attainable_s'], _DIGITS)}"
        for name, row in rows.items()
        if (own := row.get("own_limits"))
    ]
    return [f"bound and attainable of their own: {'; '.join(said)}"] if said else []


def _gains(result: Result, rows: dict[str, dict[str, Any]]) -> list[str]:
    service, workers = rows.get("service"), rows.get("plait")
    base = result["variants"].get("base")
    if service is None or base is None:
        return []
    taken = service["total_s"]["median"]
    to_base = taken / base["total_s"]["median"]
    gain = "a net gain" if to_base < 1 else "no gain"
    line = f"a processor given to services is {gain} beside base: {to_base:.3f} of its time"
    if workers is not None:
        line += f", and {taken / workers['total_s']['median']:.3f} of plait's"
    return [line]


def model_sentences(result: Result) -> list[str]:
    """Returns what the model says of this node and of larger ones."""
    said = result.get("service_core")
    if said is None:
        return []
    lines = [
        "model, a step of as many cells a core (as base; a worker a core; one less and a service"
        " thread):"
    ]
    for node in said["nodes"]:
        times = ", ".join(
            seconds_text(node[part], _DIGITS) for part in ("blocking_s", "workers_s", "service_s")
        )
        worth = "worth a worker" if node["pays"] else "not worth a worker"
        beside = "gain" if node["pays_beside_blocking"] else "no gain"
        lines.append(f"  {node['cores']} cores: {times}: {worth}, {beside} beside base")
    return lines

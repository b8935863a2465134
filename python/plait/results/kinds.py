# SPDX-License-Identifier: BSD-3-Clause
"""The register of kinds, and the one place that says of which kind a result is."""

from __future__ import annotations

from plait.results.application import Application
from plait.results.attach import Attach
from plait.results.base import Kind, Result
from plait.results.loggp import Loggp
from plait.results.policies import Policies
from plait.results.probe import Probe
from plait.results.program import Program
from plait.results.reconstruction import Reconstruction
from plait.results.rows import Benchmark, Collective, Nbc, Overlap, Prediction, Progress
from plait.results.simulation import Simulation
from plait.results.tolerance import Tolerance

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Application(), Policies(), Program(), Benchmark(), Progress(), Loggp(), Nbc(), Overlap(),
        Collective(), Prediction(), Probe(), Reconstruction(), Attach(), Tolerance(),
        Simulation(),
    )
}  # fmt: skip
# Benchmarks that have tables of their own, by the member `bench`.
_OF_BENCH = {"predict": "prediction", "simulate": "simulation"} | {
    name: name for name in ("collective", "nbc", "overlap", "progress", "tolerance")
}


def kind_of(result: Result) -> Kind:
    """Returns the kind of a result that has been checked."""
    return KINDS[kind_name(result)]  # type: ignore[index]


def kind_name(result: Result) -> str | None:
    """Returns the kind that a result names, else the kind that its shape tells; None: unknown."""
    if "kind" in result:
        return result["kind"] if result["kind"] in tuple(KINDS) else None
    return _told_by_shape(result)


def _told_by_shape(result: Result) -> str | None:
    """Returns the kind of a file that was written before files named theirs."""
    if "bench" in result:
        return _OF_BENCH.get(str(result["bench"]), Benchmark.name)
    if "probe" in result:
        return Loggp.name if result["probe"] == "loggp" else None
    if "reconstruction" in result:
        return Reconstruction.name
    if "app" in result:
        return Policies.name if _has_columns_of_policies(result) else Application.name
    return None


def _has_columns_of_policies(result: Result) -> bool:
    variants = result.get("variants")
    return isinstance(variants, dict) and all(
        isinstance(one, dict) and "per_iteration_s" in one for one in variants.values()
    )

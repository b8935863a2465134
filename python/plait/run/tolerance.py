# SPDX-License-Identifier: BSD-3-Clause
"""An application on slower links and beside noise: a job for each, one result of all.

The variants take turns within a job. Several rounds let the jobs take turns as well.
"""

from __future__ import annotations

import copy
import dataclasses
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

from plait.errors import BadInput
from plait.lab import LabSpec
from plait.plain import tell
from plait.programs import is_foreign
from plait.results import Result
from plait.results.figures.tolerance import spread_of_samples, times_as_slow
from plait.run.noise_maker import Noise, find_noise
from plait.run.runner import Request, prepare, run_program
from plait.units import parse_rate, rate_text

_RATES = "1gbit,700mbit,500mbit,350mbit"
_NOISES = "25us/1ms,2.5ms/100ms,10ms/100ms"


@dataclasses.dataclass(frozen=True)
class Condition:
    """Holds what one job runs under."""

    rate_bps: int
    noise: Noise | None = None

    @property
    def name(self) -> str:
        """Returns the noise where there is one, else the rate."""
        return self.noise.name if self.noise else rate_text(self.rate_bps)


@dataclasses.dataclass(frozen=True)
class ToleranceRun:
    """Holds what `plait bench tolerance` was asked for."""

    app: str
    options: Sequence[str]  # of the application
    mpi: str
    ranks: int
    lab: str  # without a rate
    conditions: Sequence[Condition]  # the first one is what the others are held against
    rounds: int
    verbose: bool

    @property
    def name(self) -> str:
        """Returns what the application is called."""
        return pathlib.Path(self.app).name

    @classmethod
    def of_words(
        cls,
        words: Sequence[str],
        mpi: str,
        ranks: int | None,
        lab: str | None,
        verbose: bool,
        rates: str | None,
        noises: str | None,
        rounds: int | None,
    ) -> ToleranceRun:
        """Reads words of the command line: the application, its options; None is a default."""
        if not words or words[0].startswith("-"):
            raise BadInput("tolerance: name an application, such as hpl")
        app, *options = words
        ranks = 2 if ranks is None else ranks
        lab = f"nodes={ranks}" if lab is None else lab
        if "rate=" in lab:
            raise BadInput("tolerance: --lab names a rate; --rates does that")
        LabSpec.parse(lab)
        if is_foreign(app, mpi):
            raise BadInput(f"tolerance: {app} is none of plait's applications")
        conditions = list(_conditions(rates or _RATES, noises or _NOISES))
        return cls(app, options, mpi, ranks, lab, conditions, rounds or 1, verbose)


def _conditions(rates: str, noises: str) -> Iterator[Condition]:
    at_rates = [Condition(parse_rate(word)) for word in rates.split(",")]
    words = [] if noises == "none" else noises.split(",")
    beside_noise = [Condition(at_rates[0].rate_bps, Noise.parse(word)) for word in words]
    for option, found, given in (
        ("--rates", at_rates, rates),
        ("--noise", beside_noise, noises),
    ):
        if len(set(found)) < len(found):
            raise BadInput(f"{option} {given}: names one twice")
        yield from found


def run_tolerance(asked: ToleranceRun) -> tuple[Result | None, int]:
    """Runs a job a condition and round; returns the result of all and the largest exit code.

    There is no result where the application only had something to say, such as its help.
    """
    prepare(_request(asked, asked.conditions[-1]))  # which has noise, if any has
    if asked.conditions[-1].noise:
        find_noise()
    found: list[list[Result]] = [[] for _ in asked.conditions]
    exit_code, count = 0, asked.rounds * len(asked.conditions)
    for job in range(count):
        place = job % len(asked.conditions)
        condition = asked.conditions[place]
        tell(f"{asked.name}, {condition.name} ({job + 1} of {count})")
        result, code = run_program(_request(asked, condition))
        if result is None:
            return None, code
        if "variants" not in result:
            raise BadInput(f"tolerance: a result of {asked.name} has no variants")
        found[place].append(result)
        exit_code = max(exit_code, code)
    return _of_conditions(asked, found), exit_code


def _request(asked: ToleranceRun, condition: Condition) -> Request:
    lab = f"{asked.lab},rate={rate_text(condition.rate_bps)}"
    return Request(
        "apps", asked.app, asked.mpi, asked.ranks, lab, asked.options, asked.verbose,
        noise=condition.noise,
    )  # fmt: skip


def _of_conditions(asked: ToleranceRun, found: Sequence[Sequence[Result]]) -> Result:
    """One result of all jobs."""
    first = found[0][0]
    environment = copy.deepcopy(first["environment"])
    del environment["lab"]
    environment["labs"] = [
        results[0]["environment"]["lab"]
        for condition, results in zip(asked.conditions, found)
        if condition.noise is None
    ]
    shown = [_shown(*each) for each in zip(asked.conditions, found)]
    for condition in shown:
        for name, variant in condition["variants"].items():
            if reference := shown[0]["variants"].get(name):
                variant["slowdown"] = times_as_slow(variant["total_s"], reference["total_s"])
    return {
        "schema": first["schema"],
        "kind": "tolerance",
        "bench": "tolerance",
        "parameters": {
            **first["parameters"], "app": first["app"], "rounds": asked.rounds,
            "options": list(asked.options),
        },
        "environment": environment,
        "conditions": shown,
    }  # fmt: skip


def _shown(condition: Condition, results: Sequence[Result]) -> dict[str, Any]:
    """The outcome of the jobs under one condition."""
    shown: dict[str, Any] = {
        "name": condition.name, "rate_bps": condition.rate_bps, "noise": None,
        "bound_s": results[0].get("bound_s"), "attainable_s": results[0].get("attainable_s"),
        "variants": {},
    }  # fmt: skip
    if condition.noise:
        shown["noise"] = results[0]["environment"]["noise"]
        shown["noise"]["of_rounds"] = [result["environment"]["noise"] for result in results[1:]]
    for name in results[0]["variants"]:
        runs = [result["variants"][name] for result in results if name in result["variants"]]
        samples = [sample for run in runs for sample in run["total_s"]["samples"]]
        shown["variants"][name] = {
            "total_s": spread_of_samples(samples),
            "verified": all(run["verified"] for run in runs),
        }
    return shown

# SPDX-License-Identifier: BSD-3-Clause
"""Says how an unmodified MPI program scales over ranks, by POP's efficiencies.

A program's efficiency on more ranks is a product.  Each factor says what it loses by one thing
[POP: standard metrics for performance audits; TALP has the same].
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

from plait.errors import BadInput
from plait.results.base import Result
from plait.results.figures.attach import tells_of_messages
from plait.results.figures.curves import Curves, Place, rounded_text
from plait.results.kinds import kind_of
from plait.units import seconds_text

# What limits a run: the factor that is smallest, in a word.
_LIMITS = {
    "computation scaling": "computation",
    "load balance": "load balance",
    "serialisation": "serialisation",
    "transfer": "transfer",
}
_WELL = 0.95  # a factor from here on limits nothing
READING = """global = parallel × computation scaling, parallel = load balance × communication,
communication = serialisation × transfer. Computation scaling is the useful time of all ranks in the
smallest run / the useful time of all ranks in this one; in weak scaling it is that of a rank. The
others are those of each run."""


@dataclasses.dataclass(frozen=True)
class Scaled:
    """A run's efficiencies by name; None: not known, as where a rank has several threads."""

    ranks: int
    wall_s: float
    useful_s: float  # time outside MPI, of all ranks
    efficiency: Mapping[str, float | None]
    limit: str  # a word


def scaling_of(results: Sequence[Result], weak: bool = False) -> list[Scaled]:
    """Returns the efficiencies of runs of one program, by rising ranks; the first is the reference.

    `weak`: a rank has as much to do in each run.  Else all ranks together have.  Errors: BadInput
    of results that are none of `plait attach`, or whose runs ended before they could be known.
    """
    for result in results:
        if result.get("kind") != "attach":
            raise BadInput(
                f"{kind_of(result).program(result)}: efficiencies over ranks take results of"
                " plait attach"
            )
        if not _has_efficiencies(result):
            raise BadInput(
                f"{kind_of(result).heading(result)}: there are no efficiencies; the run ended"
                " before they could be known"
            )
    ordered = sorted(results, key=lambda result: result["ranks"])
    first = ordered[0]
    return [_scaled(result, _computation(first, weak) / max(_computation(result, weak), 1e-30))
            for result in ordered]  # fmt: skip


def _has_efficiencies(result: Result) -> bool:
    return bool((result.get("pop") or {}).get("parallel_efficiency"))


def are_of_scaling(results: Sequence[Result]) -> bool:
    """Returns whether these are runs of one program under `plait attach`, each on other ranks."""
    return (
        len(results) > 1
        and all(each.get("kind") == "attach" and _has_efficiencies(each) for each in results)
        and len({kind_of(each).program(each) for each in results}) == 1
        and len({each["ranks"] for each in results}) == len(results)
    )


def _computation(result: Result, weak: bool) -> float:
    return result["totals"]["compute_s"] / (result["ranks"] if weak else 1)


def _scaled(result: Result, computation: float) -> Scaled:
    pop = result["pop"]
    parallel = pop["parallel_efficiency"]
    efficiency = {
        "global": parallel * computation,
        "parallel": parallel,
        "computation scaling": computation,
        "load balance": pop.get("load_balance"),
        "communication": pop.get("communication_efficiency"),
        "serialisation": pop.get("serialisation"),
        "transfer": pop.get("transfer"),
    }
    return Scaled(result["ranks"], result["wall_s"], result["totals"]["compute_s"], efficiency,
                  _limit(result, efficiency))  # fmt: skip


def _limit(result: Result, efficiency: Mapping[str, float | None]) -> str:
    if not tells_of_messages(result):
        return "shared cores"
    words = _LIMITS
    if efficiency["serialisation"] is None or efficiency["transfer"] is None:
        words = {**_LIMITS, "communication": "communication"}
    known = {name: value for name in words if (value := efficiency[name]) is not None}
    least = min(known, key=lambda name: known[name])
    return words[least] if known[least] < _WELL else "nothing"


def scaling_curves(results: Sequence[Result], weak: bool = False) -> Curves:
    """Returns the efficiencies over ranks as curves; time, speed-up and limit stand beside them."""
    points = scaling_of(results, weak)
    first = points[0]
    names = [name for name in first.efficiency if any(p.efficiency[name] for p in points)]
    speedups = [p.ranks / first.ranks if weak else 1.0 for p in points]
    return Curves(
        kind_of(results[0]).program(results[0]) + (", weak scaling" if weak else ""),
        "Efficiency",
        "ranks",
        [Place(math.log2(point.ranks), str(point.ranks)) for point in points],
        {name: [_spread(point.efficiency[name]) for point in points] for name in names},
        [],
        lambda value: f"{value:.3f}",
        " ".join(READING.split()),
        {"time": [seconds_text(point.wall_s) for point in points],
         "speed-up": [rounded_text(more * first.wall_s / max(point.wall_s, 1e-30))
                      for more, point in zip(speedups, points)],
         "limit": [point.limit for point in points]},
    )  # fmt: skip


def _spread(value: float | None) -> dict[str, float] | None:
    return None if value is None else dict.fromkeys(("median", "q1", "q3"), value)


def weak_sentence(results: Sequence[Result]) -> list[str]:
    """Says that scaling looks weak, where the useful time of all ranks grows as the ranks do."""
    first, *_, last = scaling_of(results)
    grown, more = last.useful_s / max(first.useful_s, 1e-30), last.ranks / first.ranks
    if grown <= math.sqrt(more):
        return []
    return [
        f"All ranks together compute {rounded_text(grown)} times as long on {last.ranks} ranks as"
        f" on {first.ranks}. If each rank was given as much to do in each run, add --weak."
    ]

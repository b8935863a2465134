# SPDX-License-Identifier: BSD-3-Clause
"""Curves over several results of one application: what differs between them, and a figure over it.

The figure is the one that the texts draw: Gflop/s over sizes, the gain over base over rates of the
link, and over ranks the rate, the overhead of communication or the speed-up, by the application.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional

from plait.errors import BadInput
from plait.results.base import Result, Spread
from plait.results.figures.speedup import iteration_s
from plait.results.kinds import kind_of
from plait.units import number_text, rate_text, seconds_text

# Members of the parameters that say nothing about what was run, or that another one decides.
_NO_SETTINGS = {"variants", "repeat", "code"}
_FOLLOWS = {
    "size": {"class", "steps", "iterations", "tile", "tiles", "views", "rays", "slabs", "grid"},
    "ranks": {"grid", "node_grid", "tile", "tiles", "slabs", "pieces"},
    "file": {"bytes", "pieces"},
}
_BASES = ("base", "blocking", "HAND")
_NAMES = {"rate": "the link's rate", "mpi": "MPI library"}
_OVERHEAD, _SPEEDUP = ("fft3d", "compress", "osem"), ("poisson",)


@dataclasses.dataclass(frozen=True)
class Place:
    """A result's place on the horizontal axis."""

    x: float
    label: str


@dataclasses.dataclass(frozen=True)
class Curves:
    """Holds a figure of each variant in each result."""

    heading: str  # what the results have in common
    figure: str  # what is drawn
    axis: str  # over what
    places: list[Place]  # in order
    rows: dict[str, list[Spread | None]]  # by variant, at each place; None: not measured
    unverified: list[str]  # sentences
    text_of: Callable[[float], str]  # writes the figure
    reading: str = ""  # how to read it, where the figure's name does not tell
    # What else is said of each place, by name.
    remarks: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)

    @property
    def title(self) -> str:
        """Returns what is drawn over what."""
        return f"{self.figure} over {self.axis}"

    @property
    def has_quartiles(self) -> bool:
        """Returns whether a figure was measured more than once."""
        return any(one and one["q1"] != one["q3"] for row in self.rows.values() for one in row)

    def text(self, spread: Spread | None) -> str:
        """Returns a median with its quartiles, their unit once; empty where there is none."""
        if spread is None:
            return ""
        if not self.has_quartiles:
            return self.text_of(spread["median"])
        texts = [self.text_of(spread[quartile]) for quartile in ("median", "q1", "q3")]
        numbers, units = zip(*(text.split(" ") if " " in text else (text, "") for text in texts))
        if len(set(units)) > 1:
            return "{} ({}–{})".format(*texts)
        return "{} ({}–{}) {}".format(*numbers, units[0]).rstrip()


def curves_of(results: Sequence[Result]) -> Curves | None:
    """Returns the curves of at least two results of one application; None of other results.

    Errors: BadInput where not exactly one thing differs between them, or where a result lacks what
    the figure takes.
    """
    apps = {result.get("app") for result in results}
    if len(results) < 2 or len(apps) > 1 or any("variants" not in result for result in results):
        return None
    axis = _axis_of(results)
    ordered = sorted(results, key=lambda result: _key(settings_of(result).get(axis)))
    values = [settings_of(result).get(axis) for result in ordered]
    name, values = _named(axis, values, ordered[0]["app"])
    labels = [_label(axis, value) for value in values]
    for label, following in zip(labels, labels[1:]):
        if label == following:
            raise BadInput(f"two of the results are of {name} {label}")
    figure, text_of, spread_of = _figure(axis, ordered)
    rows = {
        variant: [spread_of(r, variant) if variant in r["variants"] else None for r in ordered]
        for variant in dict.fromkeys(each for result in ordered for each in result["variants"])
    }
    return Curves(
        _heading(ordered),
        figure,
        name,
        [Place(*each) for each in zip(_xs(values), labels)],
        {variant: row for variant, row in rows.items() if any(row)},
        list(_unverified(ordered, labels)),
        text_of,
    )


def _heading(results: Sequence[Result]) -> str:
    """Returns what the headings of all results have in common."""
    headings = [kind_of(result).heading(result) for result in results]
    parts = [heading.replace(" nodes at ", " nodes, at ").split(", ") for heading in headings]
    shared = ", ".join(part for part in parts[0] if all(part in each for each in parts))
    return shared.replace(" nodes, at ", " nodes at ")


# --- what differs -------------------------------------------------------------------------------


def settings_of(result: Result) -> dict[str, Any]:
    """Returns what a result was asked for, and what of its surroundings may be an axis."""
    environment = result["environment"]
    settings = {k: v for k, v in result["parameters"].items() if k not in _NO_SETTINGS}
    return settings | {
        "ranks": environment.get("ranks"),
        "rate": (environment.get("lab") or {}).get("rate_bps"),
        "mpi": environment.get("mpi"),
    }


def _axis_of(results: Sequence[Result]) -> str:
    """Returns the one thing that differs, other than what follows from it."""
    all_settings = [settings_of(result) for result in results]
    names = dict.fromkeys(name for settings in all_settings for name in settings)
    differ = [
        name for name in names if len({hashable(each.get(name)) for each in all_settings}) > 1
    ]
    for name, followers in _FOLLOWS.items():
        if name in differ:
            differ = [other for other in differ if other not in followers]
    if "ranks" in differ and all("cells_per_node" in settings for settings in all_settings):
        differ = [name for name in differ if name != "size"]
    app = results[0]["app"]
    if not differ:
        raise BadInput(f"nothing that could be an axis differs between these results of {app}")
    if len(differ) > 1:
        raise BadInput(
            f"{', '.join(differ[:-1])} and {differ[-1]} differ between these results of {app};"
            " curves are drawn over one of them"
        )
    return differ[0]


def hashable(value: object) -> object:
    """Returns a setting as a member of sets: a list becomes a tuple."""
    return tuple(value) if isinstance(value, list) else value


def _key(value: object) -> tuple[bool, float, str]:
    """Orders numbers by value, sizes by their cells, and words by the alphabet; null is last."""
    number = math.prod(value) if isinstance(value, list) else value
    if isinstance(number, (int, float)):
        return False, float(number), str(value)
    return value is None, 0.0, str(value)


def _named(axis: str, values: Sequence[Any], app: str) -> tuple[str, Sequence[Any]]:
    """Returns the axis by its name; sizes of square matrices become their order."""
    if axis == "size" and all(len(value) == 1 for value in values):
        return "N", [value[0] for value in values]
    if axis == "size" and app == "summa" and all(len(set(value)) == 1 for value in values):
        return "n", [value[0] for value in values]
    return _NAMES.get(axis, axis.replace("_", " ")), values


def _label(axis: str, value: object) -> str:
    if isinstance(value, list):
        return "×".join(map(str, value))
    if axis == "rate":
        return rate_text(value) if value is not None else "no lab"
    return str(value)


def _xs(values: Sequence[Any]) -> list[float]:
    """Returns places on a logarithmic axis; of what is no number above 0, one after the other."""
    numbers = [_key(value)[1] if value is not None else 0.0 for value in values]
    if min(numbers) > 0:
        return [math.log2(number) for number in numbers]
    return [float(index) for index in range(len(values))]


# --- what is drawn ------------------------------------------------------------------------------

_Text = Callable[[float], str]
_SpreadOf = Callable[[Result, str], Optional[Spread]]


def _figure(axis: str, results: Sequence[Result]) -> tuple[str, _Text, _SpreadOf]:
    """Returns the figure's name, how it is written, and how it follows from a variant's time."""
    app = results[0]["app"]
    rates = any("gflops" in one for result in results for one in result["variants"].values())
    if axis == "ranks" and app in _SPEEDUP:
        return _speedup(results[0])
    if axis == "ranks" and (app in _OVERHEAD or not rates):
        return "Communication overhead", seconds_text, _overhead
    if rates and axis != "rate":
        return "Gflop/s", rounded_text, _gflops
    return f"Gain over {_base_of(results[0])}", rounded_text, _gain


def rounded_text(value: float) -> str:
    """Returns a ratio or a rate with three digits."""
    return number_text(float(f"{value:.3g}"))


def _spread(total: Spread, figure: Callable[[float], float]) -> Spread:
    """Returns the figure of the median and of both quartiles of a time."""
    low, high = sorted(figure(total[quartile]) for quartile in ("q1", "q3"))
    return {"median": figure(total["median"]), "q1": low, "q3": high}


def _gflops(result: Result, name: str) -> Spread | None:
    variant = result["variants"][name]
    if "gflops" not in variant:
        return None
    total = variant["total_s"]
    operations = variant["gflops"] * total["median"]
    return _spread(total, lambda seconds: operations / seconds)


def _overhead(result: Result, name: str) -> Spread | None:
    """Returns the time beyond computation alone, as LibNBC's slides draw it; none of `ideal`."""
    alone: Mapping[str, Any] = result.get("computation_s") or {}
    if name == "ideal":
        return None
    if alone.get("median") is None:
        raise BadInput("the overhead of communication takes computation alone: run `ideal`, too")
    return _spread(result["variants"][name]["total_s"], lambda seconds: seconds - alone["median"])


def _gain(result: Result, name: str) -> Spread | None:
    """Returns base's time by the variant's; none of `ideal`, beside which all others look flat."""
    if name == "ideal":
        return None
    base_s = result["variants"][_base_of(result)]["total_s"]["median"]
    return _spread(result["variants"][name]["total_s"], lambda seconds: base_s / seconds)


def _speedup(first: Result) -> tuple[str, _Text, _SpreadOf]:
    base = _base_of(first)
    reference_s = iteration_s(first, base)
    ranks = first["environment"]["ranks"]

    def of(result: Result, name: str) -> Spread:
        total = result["variants"][name]["total_s"]
        iterations = total["median"] / iteration_s(result, name)
        return _spread(total, lambda seconds: reference_s * iterations / seconds)

    return f"Speed-up over {base} on {ranks} rank{'s' if ranks != 1 else ''}", rounded_text, of


def _base_of(result: Result) -> str:
    for name in _BASES:
        if name in result["variants"]:
            return name
    raise BadInput(f"a gain is over base, and a result of {result['app']} has none: run it, too")


def _unverified(results: Sequence[Result], labels: Sequence[str]) -> Iterator[str]:
    for result, label in zip(results, labels):
        for name, variant in result["variants"].items():
            if not variant["verified"]:
                yield f"NOT VERIFIED: {name} at {label}"

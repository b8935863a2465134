# SPDX-License-Identifier: BSD-3-Clause
"""Finds the quantities that the page names, in results and in what a command has printed.

A quantity is one of a table of forms, such as `plait / base` or `hidden of plait`; else it is words
of the output, and the number that follows them.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Union

from plait.results import Result

_Spread = Union[dict[str, Any], float]
# Times of a row of a benchmark, the first that it has.
_TIMES = ("total_us", "latency_us", "ns_per_task", "measured_us")


class Value(NamedTuple):
    """A median and quartiles; without a spread these are the median."""

    median: float
    q1: float
    q3: float

    def text(self) -> str:
        """Returns it to three figures, with its quartiles if they differ."""
        median, q1, q3 = (f"{x:.0f}" if abs(x) >= 1000 else f"{x:.3g}" for x in self)
        return median if q1 == q3 else f"{median} [{q1}, {q3}]"


def figures_of(quantity: str, result: Result | None, output: str) -> list[str]:
    """The figures of a quantity, in the order of the result; none where it is not there.

    A fraction hidden of what had nothing to hide is `nothing`.
    """
    for form, find in _FORMS:
        if result is not None and (match := re.fullmatch(form, quantity)):
            try:
                values = find(result, *match.groups())
                return [value.text() if value else "nothing" for value in values]
            except (KeyError, TypeError, IndexError):  # what is null or not there
                return []
    number = re.search(re.escape(quantity) + r"\s*(-?[0-9]+(?:\.[0-9]+)?)", output)
    return [number[1]] if number else []


def _single(value: float) -> Value:
    return Value(*3 * (float(value),))


def _of(samples: Iterable[float]) -> Value:
    found = sorted(samples)
    if len(found) < 2:
        return _single(found[0])
    q1, median, q3 = statistics.quantiles(found, n=4, method="inclusive")
    return Value(median, q1, q3)


def _samples(spread: _Spread) -> list[float]:
    """The samples of a spread, or the one value that a number is."""
    if isinstance(spread, dict):
        return [sample for sample in spread["samples"] if sample is not None]
    return [float(spread)]


def _quotient(one: _Spread, other: _Spread) -> Value:
    """By turns where both took part in them, else of the medians."""
    a, b = _samples(one), _samples(other)
    if len(a) == len(b):
        return _of(x / y for x, y in zip(a, b))
    return _single(statistics.median(a) / statistics.median(b))


def _cases(result: Result) -> Iterator[dict[str, Any]]:
    """Times by name: of an application, else of each case of a benchmark or group of bars."""
    if "variants" in result:
        times = {name: variant["total_s"] for name, variant in result["variants"].items()}
        limits = {"attainable": "attainable_by_round_s", "bound": "bound_by_round_s",
                  "wire": "wire_bound_s", "communication": "communication_s",
                  "computation": "computation_s"}  # fmt: skip
        yield times | {name: result[key] for name, key in limits.items() if result.get(key)}
    elif "figures" in result:
        for figure in result["figures"]:
            for group in figure["groups"]:
                if all(bar["verified"] is not None for bar in group["bars"]):
                    yield {bar["name"]: bar["total_s"] for bar in group["bars"]}
    else:
        rows = result["rows"]
        for case in dict.fromkeys(case for cells in rows.values() for case in cells):
            cells = {name: row[case] for name, row in rows.items() if case in row}
            yield {name: cell[time] for name, cell in cells.items()
                   for time in _TIMES if time in cell}  # fmt: skip


def _ratio(result: Result, one: str, other: str) -> Iterator[Value]:
    for case in _cases(result):
        if one in case and other in case:
            yield _quotient(case[one], case[other])


def _of_variant(key: str) -> Callable[[Result, str], Iterator[Value]]:
    def find(result: Result, name: str) -> Iterator[Value]:
        yield _single(result["variants"][name][key])

    return find


def _hidden(result: Result, name: str) -> Iterator[Value | None]:
    fraction = result["hidden_fraction"][name]
    yield None if fraction is None else _single(fraction)


def _exposed(result: Result, name: str) -> Iterator[Value]:
    variant = result["variants"][name]
    yield _single(100 * variant["exposed_s"] / variant["total_s"]["median"])


def _column(result: Result, column: str, name: str) -> _Spread:
    return result["variants"][name]["per_iteration_s"][column.lower()]


def _columns(result: Result, column: str, one: str, other: str) -> Iterator[Value]:
    yield _quotient(_column(result, column, one), _column(result, column, other))


def _milliseconds(result: Result, column: str, name: str) -> Iterator[Value]:
    quoted = "mean" if result["parameters"].get("outliers") == "kelp" else "median"
    yield _single(1e3 * _column(result, column, name)[quoted])


def _wait_share(result: Result, name: str) -> Iterator[Value]:
    share = _quotient(_column(result, "wait", name), _column(result, "total", name))
    yield Value(*(100 * value for value in share))


def _rest(result: Result, key: str, name: str) -> Iterator[Value]:
    keys = {"proxy": "proxy_utilisation", "drift": "drift_share", "parts": "sum_share"}
    yield _single(100 * result["variants"][name]["rest"][keys[key]])


def _overhead(result: Result, one: str, other: str) -> Iterator[Value]:
    yield _quotient(*(result["variants"][name]["communication_overhead_s"]
                      for name in (one, other)))  # fmt: skip


def _cell(result: Result, figure: str, row: str) -> Iterator[Value]:
    keys = {"overhead": "overhead_percent", "wall": "confirmed_overlap_percent",
            "OSU": "osu_overlap_percent",
            "latency": "latency_us", "task": "ns_per_task",
            "busy get": "get_while_target_computes_us"}  # fmt: skip
    for cell in result["rows"][row].values():
        if keys[figure] in cell:
            yield _of(_samples(cell[keys[figure]]))


def _needed(result: Result) -> Iterator[Value]:
    *_, largest = (row for row in result["rows"] if row.startswith("processor, "))
    for cell in result["rows"][largest].values():
        yield _of(_samples(cell["transport_percent"]))


def _fit(result: Result, which: str) -> dict[str, Any]:
    fit: dict[str, Any] = result["fit"] if which == "MPI" else result["raw_tcp"]["fit"]
    return fit


def _overhead_of_send(result: Result, which: str) -> Iterator[Value]:
    yield _single(1e6 * _fit(result, which)["send_overhead_s"])


def _gap_per_byte(result: Result, which: str) -> Iterator[Value]:
    """Of the largest messages."""
    yield _single(1e9 * _fit(result, which)["segments"][-1]["gap_per_byte_s"])


def _slowdown(result: Result, name: str) -> Iterator[Value]:
    """In each condition after the first."""
    for condition in result["conditions"][1:]:
        slowdown = condition["variants"][name]["slowdown"]
        yield Value(slowdown["median"], slowdown["q1"], slowdown["q3"])


def _bars(result: Result, name: str) -> list[dict[str, Any]]:
    return [bar for figure in result["figures"] for group in figure["groups"]
            for bar in group["bars"] if bar["name"] == name]  # fmt: skip


def _times_of_bars(result: Result, name: str) -> Iterator[Value]:
    for bar in _bars(result, name):
        yield _of(1e3 * sample for sample in _samples(bar["total_s"]))


def _model_error(result: Result, which: str) -> Iterator[Value]:
    yield _of(100 * abs(bar["error"]) for bar in _bars(result, which) if "error" in bar)


def _parameter(result: Result, which: str, name: str) -> Iterator[Value]:
    key = {"o": "overhead_s", "g": "gap_s"}[which]
    yield _of(1e6 * bar["network"][key] for bar in _bars(result, name) if "network" in bar)


def _part(result: Result, part: str, name: str) -> Iterator[Value]:
    key = f"{part.replace(' ', '_')}_s"
    for bar in _bars(result, name):
        if key in bar["parts_s"]:
            yield _single(100 * bar["parts_s"][key] / bar["total_s"]["median"])


def _model_error_of_prediction(result: Result) -> Iterator[Value]:
    yield _single(result["median_error_percent"]["all"])


def _communication_share(result: Result) -> Iterator[Value]:
    yield _quotient(result["communication_s"], result["computation_s"])


# The first form that a quantity has is how it is found.
_FORMS: Sequence[tuple[str, Callable[..., Iterable[Value | None]]]] = (
    (r"hidden of (.+)", _hidden),
    (r"Gflop/s of (.+)", _of_variant("gflops")),
    (r"waits of (.+), %", _exposed),
    (r"(Total|Wait|Comp) of (.+), ms", _milliseconds),
    (r"Wait / Total of (.+), %", _wait_share),
    (r"(Total|Wait|Comp) of (.+) / (.+)", _columns),
    (r"(proxy|drift|parts) of (.+), %", _rest),
    (r"overhead of (.+) / (.+)", _overhead),
    (r"(overhead|wall|OSU) of (.+), %", _cell),
    (r"processor that a call needs, %", _needed),
    (r"(latency|task|busy get) of (.+), [µn]s", _cell),
    (r"o of (MPI|raw TCP), µs", _overhead_of_send),
    (r"G of (MPI|raw TCP), ns", _gap_per_byte),
    (r"slowdown of (.+)", _slowdown),
    (r"error of (M|E), %", _model_error),
    (r"error of the model, %", _model_error_of_prediction),
    (r"(o|g) of (\w+), µs", _parameter),
    (r"times of (.+), ms", _times_of_bars),
    (r"(comm init|comm sync|local computation) of (\w+), %", _part),
    (r"communication / computation", _communication_share),
    (r"(.+) / (.+)", _ratio),
)

# SPDX-License-Identifier: BSD-3-Clause
"""Says what overlap can reach, as formulas with the figures that went into them.

Where the link's rate is known, communication counts as its bytes at that rate, which is computed;
computation, the transport's processor time and communication alone are measured.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from plait.results.base import Result
from plait.units import seconds_text

_DIGITS = 4


class Alone(NamedTuple):
    """Holds what bound and attainable are made of, in seconds; None is not known."""

    communication_s: float | None  # measured
    wire_s: float | None  # computed: the bytes of a link at its rate
    computation_s: float | None
    transport_s: float | None  # processor time

    @property
    def messages(self) -> tuple[str, float | None]:
        """Returns what stands for communication in the formulas, by its name."""
        if self.wire_s is not None:
            return "wire", self.wire_s
        return "communication", self.communication_s


def measured_alone(result: Result) -> Alone:
    """The medians of what was measured alone, and the wire's time."""
    keys = ("communication_s", "wire_bound_s", "computation_s", "transport_cpu_s")
    return Alone(*(_median(result.get(key)) for key in keys))


def bound_sentences(result: Result) -> list[str]:
    """Bound and attainable, each with what it is the maximum of, and where the terms come from."""
    alone = measured_alone(result)
    word, messages_s = alone.messages
    lines = []
    for name, transport_s in (("bound", None), ("attainable", alone.transport_s)):
        value = result.get(f"{name}_s")
        if value is not None:
            spread = _of_rounds(result.get(f"{name}_by_round_s"))
            lines.append(f"{name} {_text(value)}{_formula(value, alone, transport_s)}{spread}")
    if not lines or messages_s is None or alone.computation_s is None:
        return lines
    if word == "wire":
        lines.append(_where_from_wire(alone))
    else:
        lines.append("each term was measured alone in this session")
    lines += _cheaper_runs(result)
    if "device" in result:
        return [*lines, _of_device(result)]
    if result.get("attainable_s") is not None and alone.transport_s is None:
        lines.append("the transport's processor time is not known and counts as 0")
    return lines


def _of_device(result: Result) -> str:
    """Returns the bound that counts copies, and each variant's ratio to it."""
    device = result["device"]
    ratios = ", ".join(
        f"{name} {variant['total_s']['median'] / device['bound_s']:.3f}"
        for name, variant in result["variants"].items()
    )
    return (
        f"with copies each way, {_text(device['bus_s'])}, the bound of device, bus and link is"
        f" {_text(device['bound_s'])}; times of it: {ratios}"
    )


def _formula(value: float, alone: Alone, transport_s: float | None) -> str:
    """` = max(…)`; nothing where that is not what the value is."""
    word, messages_s = alone.messages
    if messages_s is None or alone.computation_s is None:
        return ""
    processor_s = alone.computation_s + (transport_s or 0.0)
    if not math.isclose(value, max(messages_s, processor_s), rel_tol=1e-6, abs_tol=1e-12):
        return ""
    processor = f"computation {_text(alone.computation_s)}"
    if transport_s is not None:
        processor += f" + transport {_text(transport_s)}"
    return f" = max({word} {_text(messages_s)}, {processor})"


def _of_rounds(spread: dict[str, Any] | None) -> str:
    """Returns the quartiles of the bounds of single rounds, if they differ."""
    if not spread or spread["q1"] is None or _text(spread["q1"]) == _text(spread["q3"]):
        return ""
    return f", by rounds {_text(spread['q1'])} to {_text(spread['q3'])}"


def _cheaper_runs(result: Result) -> list[str]:
    """Says whose runs needed less for computation than computation alone beside them."""
    found = result.get("computation_from") or {}
    by = ", ".join(f"{name} in {count}" for name, count in found.items())
    if not by:
        return []
    return [
        f"computation alone was disturbed: of {result['parameters']['repeat']} rounds less was"
        f" needed beside messages, and counts, by {by}"
    ]


def _where_from_wire(alone: Alone) -> str:
    line = "wire: computed, the bytes of a link at its rate; the other terms are measured"
    if alone.communication_s is not None:
        line += f", as is communication alone, which takes {_text(alone.communication_s)}"
    return line


def overlapped_text(summary: dict[str, Any]) -> str:
    """Returns what perfect overlap would leave of a traced run, and what that is the maximum of."""
    left_s, whole_s = summary["overlapped_s"], summary["span_s"]
    left = seconds_text(left_s, _DIGITS)
    busy_s, wire_s = summary.get("busy_s"), summary.get("wire_s")
    if busy_s is not None and wire_s is not None and math.isclose(
        left_s, max(busy_s, wire_s), rel_tol=1e-6
    ):  # fmt: skip
        left += f" = max(busiest rank {_text(busy_s)}, wire {_text(wire_s)})"
    if left_s >= whole_s:
        return f"perfect overlap would gain nothing: it takes {left}, the run {_text(whole_s)}"
    return f"of {_text(whole_s)}, perfect overlap would leave {left}"


def _text(seconds: float) -> str:
    return seconds_text(seconds, _DIGITS)


def _median(value: object) -> float | None:
    if isinstance(value, dict):
        value = value.get("median")
    return float(value) if isinstance(value, (int, float)) else None

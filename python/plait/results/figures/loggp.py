# SPDX-License-Identifier: BSD-3-Clause
"""Says what was measured of a network, as cells of tables, and what it means."""

from __future__ import annotations

from typing import Any

from plait.results.base import Result
from plait.units import bytes_per_s_text, seconds_text, size_text


def parameters_text(fit: dict[str, Any]) -> list[tuple[str, str]]:
    """L, o_s and o_r with what they are."""
    names = {
        "latency_s": "L, on the way",
        "send_overhead_s": "o_s, processor time of a send",
        "receive_overhead_s": "o_r, processor time of a receive",
    }
    return [(name, seconds_text(fit[key])) for key, name in names.items()]


def segment_cells(segment: dict[str, Any]) -> list[str]:
    """A segment's sizes, g, G of a KiB, 1/G and the residual of its line."""
    return [
        f"{size_text(segment['first_bytes'])} – {size_text(segment['last_bytes'])}",
        seconds_text(segment["gap_s"]),
        seconds_text(1024 * segment["gap_per_byte_s"]),
        bandwidth_text(segment.get("bandwidth_Bps")),
        seconds_text(segment["line"]["residual_s"]),
    ]


def flood_cells(flood: dict[str, Any]) -> list[str]:
    """Size, messages, the bandwidth of a direction alone, that of both at once, and G by G."""
    rates = (
        bandwidth_text(1 / flood[name]["median"])
        for name in ("one_way_gap_per_byte_s", "both_ways_gap_per_byte_s")
    )
    return [
        size_text(flood["size_bytes"]),
        str(flood["messages"]),
        *rates,
        f"{flood['ratio']:.2f}",
    ]


FLOOD_COLUMNS = ("flood of", "messages", "1/G one way", "1/G both ways", "G both / one")


def bandwidth_text(bytes_per_s: float | None) -> str:
    """A bandwidth, or a dash where there is none."""
    return bytes_per_s_text(bytes_per_s) if bytes_per_s else "–"


def loggp_sentences(result: Result) -> list[str]:
    """Returns what the figures mean."""
    said = [
        f"A message of 1 byte takes {_of_one_byte(result['fit'])} In a row, messages follow each"
        " other after g, and G more for each further byte."
    ]
    if limits := _limits(result):
        said.append(f"Another line begins {', '.join(limits)}.")
    if eager := result["fit"].get("eager_limit_bytes"):
        said.append(
            f"Beyond {size_text(eager)} (S) the sender asks first, and waits for the answer."
        )
    said += _of_the_link(result.get("link"))
    return said + list(result["fit"].get("remarks") or [])


def _of_one_byte(fit: dict[str, Any]) -> str:
    processor_s = fit["send_overhead_s"] + fit["receive_overhead_s"]
    whole, processor = (seconds_text(s) for s in (fit["latency_s"] + processor_s, processor_s))
    if fit["latency_s"] < 0:
        return f"{whole}; sender and receiver work {processor} for it, partly at the same time."
    return (
        f"{whole}: {processor} of processor time, which nothing can hide, and L, which"
        " computation can fill."
    )


def _limits(result: Result) -> list[str]:
    """Says where each segment but the first begins, and why, as far as that is known."""
    burst = (result.get("link") or {}).get("burst_bytes") or 0
    messages = result["parameters"].get("bursts") or 1
    found, before_bytes = [], 0.0
    for segment in result["fit"]["segments"]:
        first_bytes, why = segment["first_bytes"], ""
        if before_bytes < burst <= first_bytes:
            why = " (beyond what the link lets through at once)"
        elif 0.5 * burst <= first_bytes * messages <= 2 * burst:
            why = f" (where {messages} messages no longer pass at once, as one does)"
        if before_bytes:
            found.append(f"at {size_text(first_bytes)}{why}")
        before_bytes = segment["last_bytes"]
    return found


def _of_the_link(link: dict[str, Any] | None) -> list[str]:
    """1/G against what the link is known to carry."""
    if not link:
        return []
    payload = f"{bandwidth_text(link['payload_Bps'])} that the link carries of a program's bytes"
    if link.get("ratio") is None:
        return [f"No size tells 1/G, to hold it against the {payload}."]
    burst = link["burst_bytes"]
    where = f"Beyond {size_text(burst)}, which the link lets through at once, " if burst else ""
    found = f"1/G is {bandwidth_text(link['bandwidth_Bps'])}: {link['ratio']:.3f} of the {payload}."
    return [where + found]

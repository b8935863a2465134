# SPDX-License-Identifier: BSD-3-Clause
"""Rates and durations as people write them, and figures as people read them."""

from __future__ import annotations

import re

from plait.errors import BadInput

_RATE = {"": 1, "bit": 1, "k": 1e3, "kbit": 1e3, "m": 1e6, "mbit": 1e6, "g": 1e9, "gbit": 1e9}
_TIME = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def parse_rate(text: str) -> int:
    """`1gbit`, `500mbit` in bits per second."""
    match = re.fullmatch(r"([0-9.]+)\s*([a-zA-Z]*)", text.strip())
    try:
        bits = float(match[1]) * _RATE[match[2].lower()]  # type: ignore[index]
    except (TypeError, ValueError, KeyError):
        raise BadInput(f"rate '{text}' is not a rate; write 1gbit or 500mbit") from None
    if not 1e6 <= bits <= 1e12:
        raise BadInput(f"rate '{text}' is out of range; links run at 1mbit to 1000gbit")
    return round(bits)


def parse_duration(text: str) -> float | None:
    """`50us`, `2ms` in seconds; None of what is no duration."""
    match = re.fullmatch(r"([0-9.]+)\s*([a-zµ]+)", text.strip())
    try:
        return float(match[1]) * _TIME[match[2]]  # type: ignore[index]
    except (TypeError, ValueError, KeyError):
        return None


def parse_delay(text: str) -> float:
    """`50us`, `2ms` in seconds."""
    seconds = parse_duration(text)
    if seconds is None:
        raise BadInput(f"delay '{text}' is not a delay; write 50us or 2ms")
    if not 0 <= seconds <= 10:
        raise BadInput(f"delay '{text}' is out of range; give at most 10s")
    return seconds


def rate_text(bits_per_s: float) -> str:
    """Bits per second as `tc` and people write them."""
    for unit, factor in (("gbit", 1e9), ("mbit", 1e6), ("kbit", 1e3)):
        if bits_per_s >= factor:
            return f"{bits_per_s / factor:.6g}{unit}"
    return f"{bits_per_s:.0f}bit"


def size_text(size_bytes: float) -> str:
    """Bytes, from 1 KiB on in KiB, MiB and so on."""
    for unit, factor in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(size_bytes) >= factor:
            return f"{size_bytes / factor:.4g} {unit}"
    return f"{size_bytes:g} B"


def seconds_text(seconds: float, digits: int = 3) -> str:
    """Seconds with a unit that keeps the figure readable."""
    if not seconds:
        return "0 s"
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9), ("ps", 1e-12)):
        least = 0.0995 if unit == "ns" else 0.9995  # a byte may take some tenths
        if abs(seconds) >= factor * least or unit == "ps":
            value = seconds / factor
            whole = len(str(int(abs(value))))
            return f"{value:.{max(0, digits - whole)}f} {unit}"
    raise AssertionError("unreachable")


def tick_text(seconds: float) -> str:
    """A round figure on an axis."""
    number, _, unit = seconds_text(seconds, 6).partition(" ")
    return f"{float(number):g} {unit}"


def number_text(value: float) -> str:
    """A number of four digits or more, written out where that is readable."""
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:.4g}"  # nobody counts so many zeros
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    text = f"{value:.{max(0, 4 - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def bytes_per_s_text(bytes_per_s: float) -> str:
    """A bandwidth."""
    return _scaled(bytes_per_s, "B/s")


def _scaled(value: float, unit: str) -> str:
    for prefix, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= factor * 0.9995:
            return f"{number_text(value / factor)} {prefix}{unit}"
    return f"{number_text(value)} {unit}"


def figure_text(name: str, value: float) -> str:
    """A figure whose name ends in its unit, such as `total_us` or `ns_per_task`, as people read it.

    What the figure is per stays in the name; a rate per second gets its unit.
    """
    words = name.split("_")
    if words[-2:] == ["per", "s"]:
        factor = _BYTES_PER_S.get(words[-3] if len(words) > 2 else "")
        return bytes_per_s_text(factor * value) if factor else _scaled(value, "/s")
    unit = _unit_of(words)
    if unit in _SECONDS:
        return seconds_text(_SECONDS[unit] * value)
    if unit in _BYTES:
        return size_text(_BYTES[unit] * value)
    return f"{value:.1f} %" if unit == "percent" else number_text(value)


def sense_of(name: str) -> int:
    """Returns -1 of a time, of which less is better, 1 of a rate, and 0 of what is neither."""
    words = name.split("_")
    if words[-2:] == ["per", "s"] or words[-1] in _RATES:
        return 1
    return -1 if _unit_of(words) in _SECONDS else 0


def _unit_of(words: list[str]) -> str:
    """Returns the unit that a figure's name ends in, or has before what it is per."""
    if words[-1] not in (*_SECONDS, *_BYTES) and "per" in words[1:]:
        return words[words.index("per") - 1]
    return words[-1]


def part_text(part: str) -> str:
    """Returns the words of a part: `comm sync` of `comm_sync_s`."""
    return part.removesuffix("_s").replace("_", " ")


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_BYTES = {"bytes": 1, "kib": 1 << 10, "mib": 1 << 20}
_RATES = ("gflops", "bps")
_BYTES_PER_S = {"B": 1.0, "bytes": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9}

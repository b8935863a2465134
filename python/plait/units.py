# SPDX-License-Identifier: BSD-3-Clause
"""Rates and durations as people write them, and figures as people read them."""

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


def parse_delay(text: str) -> float:
    """`50us`, `2ms` in seconds."""
    match = re.fullmatch(r"([0-9.]+)\s*([a-zµ]+)", text.strip())
    try:
        seconds = float(match[1]) * _TIME[match[2]]  # type: ignore[index]
    except (TypeError, ValueError, KeyError):
        raise BadInput(f"delay '{text}' is not a delay; write 50us or 2ms") from None
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
    """Bytes, from 1 KiB on in KiB or MiB."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.4g} {unit}"
    return f"{size_bytes:g} B"


def seconds_text(seconds: float, digits: int = 3) -> str:
    """Seconds with a unit that keeps the figure readable."""
    if not seconds:
        return "0 s"
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if abs(seconds) >= factor * 0.9995 or unit == "ns":
            value = seconds / factor
            whole = len(str(int(abs(value))))
            return f"{value:.{max(0, digits - whole)}f} {unit}"
    raise AssertionError("unreachable")


def tick_text(seconds: float) -> str:
    """A round figure on an axis."""
    number, _, unit = seconds_text(seconds, 6).partition(" ")
    return f"{float(number):g} {unit}"

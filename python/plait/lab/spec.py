# SPDX-License-Identifier: BSD-3-Clause
"""Says what a cluster is to look like: the text of `--lab`, and who gets which core."""

from __future__ import annotations

import dataclasses
import re

from plait.errors import BadInput
from plait.units import parse_delay, parse_rate, rate_text

MAX_NODES = 200
# Of a full Ethernet frame of 1514 bytes, as tbf counts it, TCP over IPv4 with time stamps
# carries 1448 bytes of payload: 14 Ethernet, 20 IP, 20 TCP, 12 time stamp.
PAYLOAD_FRACTION = 1448 / 1514
# A link lets so much through at once after a rest: tbf's bucket. Measured at 1 Gbit/s: a bucket of
# 32 kb loses rate, and this one does not.
LINK_BURST_BYTES = 128 * 1024


@dataclasses.dataclass(frozen=True)
class LabSpec:
    """An emulated cluster: nodes, link rate and delay, cores of a node."""

    nodes: int = 2
    rate_bps: int = 1_000_000_000
    delay_s: float = 0.0
    cores: str = "auto"
    name: str | None = None
    subnet: str | None = None

    @property
    def payload_bytes_per_s(self) -> float:
        """Returns what a link can carry of a program's own bytes, each way."""
        return self.rate_bps / 8 * PAYLOAD_FRACTION

    @classmethod
    def parse(cls, text: str) -> LabSpec:
        """`nodes=4,rate=1gbit,delay=50us,cores=1,name=x`; what is left out keeps its default."""
        values: dict[str, object] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            key, equals, value = item.partition("=")
            if not equals or not value:
                raise BadInput(f"--lab: '{item}' is not key=value; {_EXAMPLE}")
            if key in values or (key + "_bps") in values or (key + "_s") in values:
                raise BadInput(f"--lab: '{key}' is given twice")
            values.update(_field(key, value))
        return cls(**values)  # type: ignore[arg-type]

    @classmethod
    def of_options(cls, **options: str | None) -> LabSpec:
        """Reads a cluster from options. Those left out or empty have no effect."""
        return cls.parse(",".join(f"{key}={value}" for key, value in options.items() if value))

    def describe(self) -> str:
        """One phrase for headings."""
        delay = f", {self.delay_s * 1e6:g} µs delay" if self.delay_s else ""
        return f"{self.nodes} nodes at {rate_text(self.rate_bps)}{delay}"


_EXAMPLE = "write for example nodes=2,rate=1gbit"


def _field(key: str, value: str) -> dict[str, object]:
    if key == "nodes":
        if not value.isdigit() or not 1 <= int(value) <= MAX_NODES:
            raise BadInput(f"--lab: nodes={value}: give a number from 1 to {MAX_NODES}")
        return {"nodes": int(value)}
    if key == "rate":
        return {"rate_bps": parse_rate(value)}
    if key == "delay":
        return {"delay_s": parse_delay(value)}
    if key == "cores":
        if value not in ("auto", "shared") and not (value.isdigit() and int(value) > 0):
            raise BadInput(f"--lab: cores={value}: give a number of cores per node, auto or shared")
        return {"cores": value}
    if key == "name":
        return {"name": check_name(value)}
    if key == "subnet":
        if not re.fullmatch(r"10\.87\.(25[0-5]|2[0-4]\d|1?\d?\d)\.0/24", value):
            raise BadInput(f"--lab: subnet={value}: give one of 10.87.0.0/24 to 10.87.255.0/24")
        return {"subnet": value}
    raise BadInput(f"--lab: unknown key '{key}'; known: nodes, rate, delay, cores, name, subnet")


def check_name(name: str) -> str:
    """A lab's name becomes part of namespace and file names."""
    if not re.fullmatch(r"[a-z0-9]{1,16}", name):
        raise BadInput(f"lab name '{name}': use 1 to 16 small letters and digits")
    return name


def deal_cores(allowed: list[int], nodes: int, cores: str) -> list[list[int]]:
    """Cores of each node; an empty list means that the node is not pinned.

    Every node gets the same number of cores: neighbours where there are enough, else taken in turn.
    """
    if cores == "shared":
        return [[] for _ in range(nodes)]
    each = max(1, len(allowed) // nodes) if cores == "auto" else int(cores)
    if each > len(allowed):
        raise BadInput(f"--lab: cores={cores}: this machine allows {len(allowed)}")
    dealt = [
        [allowed[(node * each + k) % len(allowed)] for k in range(each)] for node in range(nodes)
    ]
    return [sorted(share) for share in dealt]

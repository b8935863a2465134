# SPDX-License-Identifier: BSD-3-Clause
"""Several networks in one plot: G·s + g and o over sizes."""

from collections.abc import Sequence

from plait.results.figures.loggp import bandwidth_text
from plait.results.figures.networks import Network
from plait.units import seconds_text
from plait.views.html.drawn.curves import COLOURS, Curve, Point, curves
from plait.views.html.drawn.svg import element, table, text

_READING = """One network a colour. Left of a bend another protocol holds. TCP: the same bursts on a
connection of their own, without the MPI library; o is then the time of send(2)."""
_PLOTS = (("gap_s", "(s − 1)G + g"), ("send_overhead_s", "o_s"), ("receive_overhead_s", "o_r"))


def networks_side_by_side(networks: Sequence[Network]) -> str:
    """Returns a plot of each time, then the parameters of each network."""
    parts = []
    for key, title in _PLOTS:
        drawn = [
            Curve(network.name, _points(network, key), str(index % COLOURS))
            for index, network in enumerate(networks)
        ]
        parts.append(curves(title, "µs", drawn))
    reading = element("p", text(" ".join(_READING.split())), class_="reading")
    return "".join(parts) + reading + _parameters(networks)


def _points(network: Network, key: str) -> list[Point]:
    return [
        Point(size["size_bytes"], *(1e6 * size[key][q] for q in ("median", "q1", "q3")))
        for size in network.sizes
    ]


def _parameters(networks: Sequence[Network]) -> str:
    rows = []
    for network in networks:
        last = network.fit["segments"][-1]
        keys = ("latency_s", "send_overhead_s", "receive_overhead_s")
        rows.append(
            [
                element("b", text(network.name)),
                *(text(seconds_text(network.fit[key])) for key in keys),
                text(seconds_text(network.fit["segments"][0]["gap_s"])),
                text(bandwidth_text(last.get("bandwidth_Bps"))),
            ]
        )
    return table(["network", "L", "o_s", "o_r", "g", "1/G"], rows)

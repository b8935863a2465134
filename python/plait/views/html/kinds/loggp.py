# SPDX-License-Identifier: BSD-3-Clause
"""A measured network: G·s + g and the overheads over sizes, with the lines that were fitted."""

from collections.abc import Sequence
from typing import Any

from plait.results.base import Result
from plait.results.figures.loggp import (
    FLOOD_COLUMNS,
    bandwidth_text,
    flood_cells,
    loggp_sentences,
    parameters_text,
    segment_cells,
)
from plait.results.figures.networks import Network, networks_of, raw_tcp_sentence
from plait.units import seconds_text, size_text
from plait.views.html.article import article, card, cards, facts
from plait.views.html.drawn.curves import COLOURS, Curve, Point, curves
from plait.views.html.drawn.plot import plot
from plait.views.html.drawn.svg import element, legend, table, text

# Key of a size in the result, what it is called, and its colour.
_SERIES = (
    ("gap_s", "(s − 1)G + g", "compute"),
    ("send_overhead_s", "o_s", "message"),
    ("receive_overhead_s", "o_r", "exposed"),
)
_READING = """Each point follows from medians over the rounds; its whisker spans the quartiles of
what single rounds give. <b>(s − 1)G + g</b>: the time from one message of a burst to the next, with
the line that was fitted to it. <b>o<sub>s</sub>, o<sub>r</sub></b>: processor time of a send and of
a receive. Where messages are handed over by rendezvous, the call lasts until the other side has
taken part, and so does o. A dashed line: from this size on another line was fitted."""
_SIDE_BY_SIDE = """One network a colour. Left of a bend another protocol holds. TCP: the same
bursts on a connection of their own, without the MPI library; o is then the time of send(2)."""


def loggp(heading: str, result: Result, beside: Sequence[Result] = ()) -> str:
    """The parameters and what they mean, the drawings, then every segment and size."""
    found = (
        card(element("b", text(value)), element("span", text(name)))
        for name, value in parameters_text(result["fit"])
    )
    sections = [("The network", _network(result)), ("Figures", _tables(result))]
    networks = networks_of(beside or [result])
    is_first = next((one for one in beside if one.get("kind") == "loggp"), result) is result
    if len(networks) > 1 and is_first:
        sections.insert(0, ("Networks side by side", _side_by_side(networks)))
    said = [*loggp_sentences(result), *filter(None, [raw_tcp_sentence(result)])]
    return article(heading, result, sections, cards(*found), facts(said))


def _network(result: Result) -> str:
    parts = [legend((f"k-{kind}", name) for _, name, kind in _SERIES)]
    burst = (result.get("link") or {}).get("burst_bytes") or 0
    small = [size for size in result["sizes"] if size["size_bytes"] < burst]
    if small and len(small) < len(result["sizes"]):
        parts += [element("h3", text(f"Up to {size_text(small[-1]['size_bytes'])}"))]
        parts += [_drawing(result, small), element("h3", text("All sizes"))]
    parts += [_drawing(result, result["sizes"]), element("p", _READING, class_="reading")]
    return "".join(parts)


def _drawing(result: Result, sizes: list[dict[str, Any]]) -> str:
    largest = sizes[-1]["size_bytes"]
    shown = [s for s in result["fit"]["segments"] if s["first_bytes"] <= largest]
    return plot("Time over size", _SERIES, sizes, shown)


def _tables(result: Result) -> str:
    """Segments, then every size."""
    segments = [[text(cell) for cell in segment_cells(s)] for s in result["fit"]["segments"]]
    keys = ("prtt_1_0_s", "prtt_n_0_s", *(key for key, _, _ in _SERIES))
    rows = [
        [text(size_text(size["size_bytes"])), *(text(_quartiles(size[key])) for key in keys)]
        for size in result["sizes"]
    ]
    header = ["size", "PRTT(1, 0, s)", "PRTT(n, 0, s)", *(name for _, name, _ in _SERIES)]
    floods = [[text(cell) for cell in flood_cells(f)] for f in result.get("floods") or []]
    return (
        table(["sizes", "g", "G per KiB", "1/G", "residual"], segments)
        + (table([text(name) for name in FLOOD_COLUMNS], floods) if floods else "")
        + element("h3", text("Medians and quartiles"))
        + table([text(name) for name in header], rows)
    )


def _quartiles(spread: dict[str, Any]) -> str:
    middle, low, high = (seconds_text(spread[key]) for key in ("median", "q1", "q3"))
    return f"{middle} ({low} – {high})"


def _side_by_side(networks: Sequence[Network]) -> str:
    """Returns a plot of each time, then the parameters of each network."""
    parts = []
    for key, title, _ in _SERIES:
        drawn = [
            Curve(network.name, _points_of(network, key), str(index % COLOURS))
            for index, network in enumerate(networks)
        ]
        parts.append(curves(title, "µs", drawn))
    reading = element("p", text(" ".join(_SIDE_BY_SIDE.split())), class_="reading")
    return "".join(parts) + reading + _parameters(networks)


def _points_of(network: Network, key: str) -> list[Point]:
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

# SPDX-License-Identifier: BSD-3-Clause
"""Several measured networks side by side, with raw TCP among them: LibNBC's slides 9 to 11."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from plait.results.base import Result, place_of

_LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH"}


class Network(NamedTuple):
    """Name of one network, its sizes with their times, and its fit."""

    name: str
    sizes: Sequence[dict[str, Any]]
    fit: dict[str, Any]


def networks_of(results: Sequence[Result]) -> list[Network]:
    """Returns the networks of all results of `measure loggp`, and raw TCP where it was measured.

    Names of one kind are numbered where they are equal.
    """
    found = []
    for result in results:
        if result.get("kind") != "loggp":
            continue
        place = place_of(result["environment"])
        library = str(result["environment"].get("mpi", "MPI"))
        name = next((v for k, v in _LIBRARIES.items() if library.startswith(k)), library)
        found.append(Network(f"{name}, {place}", result["sizes"], result["fit"]))
        if raw := result.get("raw_tcp"):
            found.append(Network(f"TCP, {place}", raw["sizes"], raw["fit"]))
    return _numbered(found)


def _numbered(networks: list[Network]) -> list[Network]:
    names = [network.name for network in networks]
    seen: dict[str, int] = {}
    told = []
    for network in networks:
        seen[network.name] = seen.get(network.name, 0) + 1
        number = f" ({seen[network.name]})" if names.count(network.name) > 1 else ""
        told.append(network._replace(name=network.name + number))
    return told


def raw_tcp_sentence(result: Result) -> str | None:
    """Says what the MPI library adds to TCP, by one byte's time and by the last segment's G."""
    if not (raw := result.get("raw_tcp")):
        return None
    keys = ("latency_s", "send_overhead_s", "receive_overhead_s")
    mpi_s, tcp_s = (sum(fit[key] for key in keys) for fit in (result["fit"], raw["fit"]))
    mpi_gap, tcp_gap = (
        fit["segments"][-1]["gap_per_byte_s"] for fit in (result["fit"], raw["fit"])
    )
    said = f"Raw TCP takes {1e6 * tcp_s:.3g} µs for a message of 1 byte, where MPI takes"
    said += f" {1e6 * mpi_s:.3g} µs"
    if tcp_gap > 0:
        said += f"; beyond that MPI's G is {mpi_gap / tcp_gap:.2f} of TCP's"
    return said + "."

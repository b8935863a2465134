# SPDX-License-Identifier: BSD-3-Clause
"""Regions of an unmodified MPI program, as people read them.

Times are sums over ranks, those of the regions inside a region included. People read the mean of a
rank.
"""

from __future__ import annotations

from typing import Any

from plait.results.base import Result

Region = dict[str, Any]


def regions_of(result: Result) -> list[Region]:
    """Returns the regions, each before those inside it."""
    return result.get("regions") or []


def depth_of(result: Result, region: Region) -> int:
    """Returns how many regions are around one."""
    depth, around = 0, region.get("around")
    while around is not None:
        depth, around = depth + 1, regions_of(result)[int(around)].get("around")
    return depth


def longest_regions(result: Result, most: int) -> list[Region]:
    """Returns those with the longest times, in the order of all."""
    found = regions_of(result)
    longest = sorted(range(len(found)), key=lambda place: -found[place]["time_s"])[:most]
    return [found[place] for place in sorted(longest)]


def efficiency_of(region: Region, metric: str = "parallel_efficiency") -> float | None:
    """Returns a metric of POP's of a region alone; None where it is not known."""
    return (region.get("pop") or {}).get(metric)

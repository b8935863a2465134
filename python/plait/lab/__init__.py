# SPDX-License-Identifier: BSD-3-Clause
"""The emulated cluster: network namespaces joined by rate-limited links."""

from plait.lab.cluster import bring_up, find, list_labs, remove_stale, take_down
from plait.lab.spec import LabSpec
from plait.lab.state import Lab

__all__ = ["Lab", "LabSpec", "bring_up", "find", "list_labs", "remove_stale", "take_down"]

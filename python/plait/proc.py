# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the kernel says of a process: bytes, for a process names itself as it likes."""

from __future__ import annotations

import pathlib


def stat_fields(pid: int) -> list[bytes] | None:
    """Returns the fields behind the name, the state first; None: there is no such process."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return fields or None


def runs(fields: list[bytes] | None) -> bool:
    """Returns whether a process with these fields has not ended."""
    return fields is not None and fields[0] not in b"ZX"

# SPDX-License-Identifier: BSD-3-Clause
"""Rank and number of ranks, as a launcher tells them to the process that it started."""

import os


def _first(names: tuple[str, ...], otherwise: int) -> int:
    return next((int(os.environ[name]) for name in names if name in os.environ), otherwise)


def rank() -> int:
    return _first(("OMPI_COMM_WORLD_RANK", "PMI_RANK"), 0)


def ranks() -> int:
    """0 without a launcher."""
    return _first(("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"), 0)

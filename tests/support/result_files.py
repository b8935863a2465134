# SPDX-License-Identifier: BSD-3-Clause
"""Reads a result as the plait command does, which refuses what it could not show."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from plait.errors import BadInput  # noqa: E402
from plait.results import load  # noqa: E402


def read_result(file: Path) -> dict:
    """The result in a file; the test fails where it is none."""
    try:
        return load(file)
    except BadInput as error:
        sys.exit(f"failed: {error}")

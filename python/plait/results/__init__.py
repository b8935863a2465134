# SPDX-License-Identifier: BSD-3-Clause
"""Results: a file a kind, the register of kinds, the result files."""

from plait.results.base import Figure, Kind, Result
from plait.results.files import (
    SCHEMA,
    check,
    check_writable,
    default_folder,
    load,
    save,
    short,
    write_file,
)
from plait.results.kinds import KINDS, kind_of

__all__ = [
    "KINDS",
    "SCHEMA",
    "Figure",
    "Kind",
    "Result",
    "check",
    "check_writable",
    "default_folder",
    "kind_of",
    "load",
    "save",
    "short",
    "write_file",
]

# SPDX-License-Identifier: BSD-3-Clause
"""Where tables go: 80 columns unless it is a terminal; what a result says is never markup."""

import sys
from typing import IO

from rich.console import Console


def console(stream: IO[str] | None = None) -> Console:
    """A console on a stream, standard output when left out."""
    stream = stream or sys.stdout
    width = None if stream.isatty() else 80
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)

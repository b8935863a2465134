# SPDX-License-Identifier: BSD-3-Clause
"""The console of tables: 80 columns unless it is a terminal.  Text of a result is never markup."""

import sys
from typing import IO

from rich.console import Console


def console(stream: IO[str] | None = None) -> Console:
    """A console on a stream, standard output when left out."""
    stream = stream or sys.stdout
    width = None if stream.isatty() else 80
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)

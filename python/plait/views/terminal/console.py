# SPDX-License-Identifier: BSD-3-Clause
"""The console of tables: 80 columns unless it is a terminal.

Text of a result is never markup, and never commands the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from plait.plain import plain


class _PlainConsole(Console):
    """Adds its own colours to text that has none."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yields all that is printed."""
        for part in super().render(renderable, options):
            yield part if part.control else part._replace(text=plain(part.text))


def console(stream: IO[str] | None = None) -> Console:
    """A console on a stream, standard output when left out."""
    stream = stream or sys.stdout
    width = None if stream.isatty() else 80
    return _PlainConsole(file=stream, width=width, markup=False, emoji=False, highlight=False)

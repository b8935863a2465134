# SPDX-License-Identifier: BSD-3-Clause
"""Says what the trace of each variant says, on a terminal."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from plait.results.base import Result
from plait.results.figures.traces import trace_sentences


def show_traces(result: Result, console: Console) -> None:
    """Prints what the trace of each variant says."""
    for name, summary in (result.get("trace_summary") or {}).items():
        first, *more = trace_sentences(name, summary)
        console.print(first)
        console.print(Padding(Text("\n".join(more)), (0, 0, 0, 2), expand=False))

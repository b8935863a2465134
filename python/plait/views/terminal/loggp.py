# SPDX-License-Identifier: BSD-3-Clause
"""Says what was measured of a network, as tables."""

from rich.console import Console

from plait.results.base import Result
from plait.results.figures.loggp import (
    FLOOD_COLUMNS,
    flood_cells,
    loggp_sentences,
    parameters_text,
    segment_cells,
)
from plait.results.figures.networks import raw_tcp_sentence
from plait.views.terminal.layout import new_table, say, title

_GAP = 3


def show_loggp(heading: str, result: Result, console: Console) -> None:
    """The parameters, the segments and the sentences."""
    title(console, heading)
    parameters = new_table(["at 1 byte"], ["time"], _GAP)
    for name, value in parameters_text(result["fit"]):
        parameters.add_row(name, value)
    console.print(parameters)
    console.print()
    segments = new_table(["sizes"], ["g", "G per KiB", "1/G", "residual"], _GAP)
    for segment in result["fit"]["segments"]:
        segments.add_row(*segment_cells(segment))
    console.print(segments)
    if result.get("floods"):
        console.print()
        floods = new_table([FLOOD_COLUMNS[0]], FLOOD_COLUMNS[1:], _GAP)
        for flood in result["floods"]:
            floods.add_row(*flood_cells(flood))
        console.print(floods)
    say(console, [*loggp_sentences(result), *filter(None, [raw_tcp_sentence(result)])])

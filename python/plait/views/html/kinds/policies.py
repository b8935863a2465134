# SPDX-License-Identifier: BSD-3-Clause
"""The multi-tier KeLP paper's table on the page, and what the rest of each policy's time is."""

from plait.results.base import Result
from plait.results.figures.policies import (
    COLUMNS,
    milliseconds,
    policy_sentences,
    quoted,
    ratio_to_hand,
)
from plait.results.figures.rest import PARTS, lost_after
from plait.units import seconds_text
from plait.views.html.drawn.svg import element, table, text

_REST_READING = """Means over nodes, and over threads for computation. Imbalance between threads and
annulus: at the barrier of the sweep before and after the wait. Of the wait, the part that a later
neighbour explains is imbalance between nodes as far as their sweeps differ, and phase lag beyond.
Messages on their way could not be there yet, by the time of an exchange alone. Polling is what is
left: looks that came late, and the processor time of looking. The last column takes the drift to
add up, as the text does."""


def policies(result: Result) -> str:
    """Total, Wait and Comp of each policy, and how they are to be read."""
    figure = quoted(result)
    rows = [
        [
            element("b", text(name)),
            *(text(milliseconds(variant, column, figure)) for column in COLUMNS),
            text(ratio_to_hand(result, variant)),
        ]
        for name, variant in result["variants"].items()
    ]
    note = element("p", text("; ".join(policy_sentences(result))), class_="quiet")
    return table(["ms per iteration", *COLUMNS.values(), "/ HAND"], rows) + note


def rest(result: Result) -> str:
    """Returns the parts of an iteration of each policy that goes phase by phase; else nothing."""
    rows = []
    for name, variant in result["variants"].items():
        if not (parts := variant.get("rest")):
            continue
        busy, iterations = parts["proxy_utilisation"], lost_after(parts)
        rows.append(
            [
                element("b", text(name)),
                *(text(seconds_text(parts[key], 3)) for key in PARTS),
                text(f"{parts['sum_share']:.1%}"),
                text(f"{parts['drift_share']:.1%}"),
                text("" if busy is None else f"{busy:.0%}"),
                text("" if iterations is None else f"{iterations:.0f}"),
            ]
        )
    if not rows:
        return ""
    columns = ["sum / total", "drift an iteration", "proxy busy", "iterations until nothing hides"]
    note = element("p", text(" ".join(_REST_READING.split())), class_="quiet")
    return table(["an iteration", *PARTS.values(), *columns], rows) + note

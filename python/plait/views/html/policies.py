# SPDX-License-Identifier: BSD-3-Clause
"""The multi-tier KeLP paper's table on the page."""

from plait.results.base import Result
from plait.results.figures.policies import (
    COLUMNS,
    milliseconds,
    policy_sentences,
    quoted,
    ratio_to_hand,
)
from plait.views.html.svg import element, table, text


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

# SPDX-License-Identifier: BSD-3-Clause
"""Says what dealing the rows of a matrix in another way would save."""

from plait.results.base import Result
from plait.units import size_text

_WORTH_SAYING = 0.99  # what is sent otherwise, of what is sent now


def reordering_sentences(result: Result) -> list[str]:
    """Returns a line where ways of dealing rows differ in what a product sends."""
    traffic = result.get("traffic")
    if not traffic:
        return []
    sent = {name: one["sent_bytes"] for name, one in traffic["dealings"].items()}
    used, least = traffic["dealing"], min(sent, key=lambda name: sent[name])
    line = f"a product sends {size_text(sent[used])} with rows dealt {used}"
    if sent[least] < _WORTH_SAYING * sent[used]:
        return [f"{line}; dealt {least} it would send {size_text(sent[least])},"
                f" {sent[least] / sent[used]:.0%} of that"]  # fmt: skip
    most = max(sent, key=lambda name: sent[name])
    if sent[used] < _WORTH_SAYING * sent[most]:
        return [f"{line}, {sent[used] / sent[most]:.0%} of what {most} would send"]
    return []

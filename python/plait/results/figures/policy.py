# SPDX-License-Identifier: BSD-3-Clause
"""Which policy of progress the library chose."""

from plait.results.base import Result


def policy_sentence(result: Result) -> list[str]:
    """Says which one was chosen and why, where a result tells."""
    environment = result["environment"]
    chosen, reason = environment.get("policy_chosen"), environment.get("policy_reason")
    if not chosen:
        return []
    return [f"progress: {chosen}" + (f" ({reason})" if reason else "")]

# SPDX-License-Identifier: BSD-3-Clause
"""Names the policy of progress that the library chose."""

from plait.results.base import Result


def policy_sentence(result: Result) -> list[str]:
    """Returns a sentence with the chosen policy and the reason, where a result tells."""
    environment = result["environment"]
    chosen, reason = environment.get("policy_chosen"), environment.get("policy_reason")
    if not chosen:
        return []
    return [f"progress: {chosen}" + (f" ({reason})" if reason else "")]

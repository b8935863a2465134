# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations as measured, beside what the model predicts."""

import dataclasses
import statistics

from plait.results.base import Result


@dataclasses.dataclass(frozen=True)
class Held:
    """One operation by one algorithm at one size."""

    operation: str
    algorithm: str
    size_bytes: int
    size: str  # "4KiB"
    measured_s: float
    q1_s: float
    q3_s: float
    predicted_s: float

    @property
    def error_percent(self) -> float:
        """Of the prediction, by the measured median."""
        return 100 * (self.predicted_s - self.measured_s) / self.measured_s


def held_of(result: Result) -> list[Held]:
    """Every case, by operation and size."""
    found = [
        Held(
            cell["op"], cell["algorithm"], cell["size_bytes"], size,
            *(cell["measured_us"][name] / 1e6 for name in ("median", "q1", "q3")),
            cell["predicted_us"]["median"] / 1e6,
        )
        for by_size in result["rows"].values()
        for size, cell in by_size.items()
    ]  # fmt: skip
    operations = list(dict.fromkeys(each.operation for each in found))
    return sorted(found, key=lambda each: (operations.index(each.operation), each.size_bytes))


def error_sentences(result: Result) -> list[str]:
    """Says how far the model is off: the median of the errors' magnitudes, and the worst."""
    held = held_of(result)
    said = []
    for name in dict.fromkeys(each.operation for each in held):
        said.append(_error_sentence(name, [each for each in held if each.operation == name]))
    if len(said) > 1:
        said.append(_error_sentence("all", held))
    return said


def _error_sentence(name: str, held: list[Held]) -> str:
    median = statistics.median(abs(each.error_percent) for each in held)
    within = sum(abs(each.error_percent) <= 10 for each in held)
    return f"{name}: median error {median:.1f} %; {within} of {len(held)} within 10 %"

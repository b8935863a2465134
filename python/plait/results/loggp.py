# SPDX-License-Identifier: BSD-3-Clause
"""A measured network: the parameters of LogGP, and the times they were fitted to."""

from collections.abc import Sequence

from plait.results.base import Figure, Kind, Result
from plait.results.schema import (
    at_least_0,
    count,
    count_from_1,
    fields,
    number,
    or_null,
    positive,
    sequence,
    text,
)
from plait.results.shapes import SPREAD, result_shape

# The spreads of each size.
_TIMES = ("prtt_1_0_s", "prtt_n_0_s", "prtt_n_d_s", "receiving_s",
          "gap_s", "send_overhead_s", "receive_overhead_s")  # fmt: skip
_SEGMENT = fields(
    {"first_bytes": positive, "last_bytes": positive, "gap_s": number, "gap_per_byte_s": number,
     "line": fields(dict.fromkeys(("at_zero_s", "per_byte_s", "residual_s"), number))},
    {"bandwidth_Bps": or_null(number)},
)  # fmt: skip
# One direction alone, and both at once.
_FLOODS = ("one_way_gap_per_byte_s", "both_ways_gap_per_byte_s")
_FLOOD = fields(
    {"size_bytes": count_from_1, "messages": count_from_1, "ratio": positive,
     **dict.fromkeys(_FLOODS, SPREAD)}
)  # fmt: skip
_MEASURED_SIZE = fields({"size_bytes": count_from_1, **dict.fromkeys(_TIMES, SPREAD)})
_FIT = fields(
    {"latency_s": number, "send_overhead_s": number, "receive_overhead_s": number,
     "segments": sequence(_SEGMENT, least=1)},
    {"remarks": or_null(sequence(text)), "eager_limit_bytes": or_null(positive)},
)  # fmt: skip
_SIZES = sequence(_MEASURED_SIZE, least=1)
_LINK = or_null(fields({"payload_Bps": positive, "burst_bytes": at_least_0,
                        "bandwidth_Bps": or_null(number), "ratio": or_null(number)}))  # fmt: skip


class Loggp(Kind):
    """A result of `plait measure loggp`."""

    name = "loggp"
    names_program_in = "probe"
    shape = staticmethod(
        result_shape(
            {"probe": text,
             "fit": _FIT, "sizes": _SIZES},
            {"link": _LINK, "floods": or_null(sequence(_FLOOD)),
             "raw_tcp": or_null(fields({"fit": _FIT, "sizes": _SIZES}, {"link": _LINK}))},
            parameters=fields({}, {"bursts": or_null(count)}),
        )
    )  # fmt: skip

    def figures(self, result: Result) -> list[Figure]:
        """Returns the times of every size, then those of floods."""
        found = [(name, size) for name in _TIMES for size in result["sizes"]]
        raw = result.get("raw_tcp") or {"sizes": []}
        found += [(f"raw TCP {name}", size) for name in _TIMES for size in raw["sizes"]]
        found += [(name, flood) for name in _FLOODS for flood in result.get("floods") or []]
        return [Figure(f"{of['size_bytes']} bytes {name}", of[name], name) for name, of in found]

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns the drawings, all networks beside each other among them, then every figure."""
        return self._view("html.kinds", self.name)(self.heading(result), result, beside)

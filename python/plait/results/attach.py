# SPDX-License-Identifier: BSD-3-Clause
"""An unmodified MPI program: how much it waited, where, and how much of that could be hidden."""

from collections.abc import Iterator
from typing import Any

from plait.results.base import Figure, Kind, Result, place_of
from plait.results.figures.attach import attach_figures, site_figures
from plait.results.figures.threads import EFFICIENCIES, THREAD_PARTS
from plait.results.schema import (
    anything,
    at_least_0,
    both,
    count,
    count_from_1,
    fields,
    flag,
    number,
    or_null,
    sequence,
    text,
)
from plait.results.shapes import TIMELINE

_TOTALS = dict.fromkeys(
    ("compute_s", "mpi_s", "waiting_s", "late_sender_s", "late_receiver_s", "transfer_s",
     "collective_wait_s", "other_wait_s", "could_hide_by_progress_s", "could_hide_by_moving_s",
     "bound_s"),
    or_null(at_least_0),
) | {"stolen_s": or_null(number), "threads": or_null(count_from_1),
     "instructions_per_cycle": or_null(at_least_0)}  # fmt: skip
_POP = dict.fromkeys(
    ("load_balance", "serialisation", "transfer", "communication_efficiency",
     "parallel_efficiency"), or_null(at_least_0),
)  # fmt: skip
_PLACE = {"function": or_null(text), "file": or_null(text), "line": or_null(count),
          "symbol": or_null(text), "module": or_null(text), "offset": or_null(count)}  # fmt: skip
_SITE = fields(
    {"call": text, "count": count, "exposed_s": at_least_0, "time_s": at_least_0},
    {**_PLACE, "callers": sequence(fields({}, _PLACE)), "bytes": at_least_0,
     "late_sender_s": or_null(at_least_0), "late_receiver_s": or_null(at_least_0),
     "transfer_s": or_null(at_least_0), "could_hide_s": or_null(at_least_0),
     "advice": or_null(text), "pattern": or_null(text), "gain_s": or_null(at_least_0),
     "gain_error_s": or_null(at_least_0), "rewrite": sequence(text)},
)  # fmt: skip
_SQUARE = sequence(sequence(at_least_0))


def _is_square(value: dict[str, list[list[float]]], where: str) -> Iterator[str]:
    ranks = len(value["bytes"])
    for name in ("bytes", "messages"):
        if len(value[name]) != ranks or any(len(row) != ranks for row in value[name]):
            yield f"{where}.{name} is not of {ranks} x {ranks} numbers"


def _is_tree(regions: list[dict[str, Any]], where: str) -> Iterator[str]:
    for place, region in enumerate(regions):
        if region.get("around") is not None and region["around"] >= place:
            yield f"{where}[{place}].around is none of the regions before it"


_MATRIX = both(
    fields({"bytes": _SQUARE, "messages": _SQUARE}, {"ranks_a_row": count_from_1}), _is_square
)
_PAIR = fields({"from": count, "to": count, "late_sender_s": at_least_0},
               {"late_receiver_s": or_null(at_least_0), "messages": count})  # fmt: skip
_SIZE = fields({"call": text, "log2_bytes": number, "count": count})
_PROGRESS = or_null(
    fields({"looks": count}, {"look_s": or_null(at_least_0), "hidden_s": or_null(number)})
)
_CORES = or_null(fields({"says": text, "spoils_waits": flag}, {"queued_s": or_null(at_least_0)}))
_REGION = fields(
    {"name": text, "path": text, "count": count, "time_s": at_least_0, "own_s": at_least_0,
     "mpi_s": at_least_0},
    {"around": or_null(count), "ranks": count, "calls": count, "bytes": at_least_0,
     "own_mpi_s": at_least_0, **_TOTALS, "pop": or_null(fields({}, _POP))},
)  # fmt: skip
_THREADS = {"threads": count_from_1, "teams": count,
            **dict.fromkeys(THREAD_PARTS, at_least_0)}  # fmt: skip
_OPENMP = fields(_THREADS, dict.fromkeys(EFFICIENCIES, at_least_0))
_RANK = fields({"rank": count}, {"host": or_null(text), "wall_s": or_null(at_least_0),
                                 **_TOTALS, "openmp": fields(_THREADS)})  # fmt: skip
_CLASS = fields({"ranks": text, "count": count_from_1, "compute_s": number, "mpi_s": number},
                {"is_rest": flag})  # fmt: skip


_LEAST_SHARE = 0.005  # of the wall time: a site that is exposed for less is minor


def _figure(name: str, unit_of: str, value: float, minor: bool = False) -> Figure:
    """Returns a figure of one run; what is judged is the run's time, and POP's metrics."""
    spread = dict.fromkeys(("median", "q1", "q3"), value)
    better = {"wall": "less"}.get(name, "more" if unit_of == "ratio" else "")
    return Figure(name, spread, unit_of, single=True, minor=minor, better=better)


class Attach(Kind):
    """A result of `plait attach`."""

    name = "attach"
    names_program_in = "program"
    shape = staticmethod(
        fields(
            {"program": text, "ranks": count_from_1, "wall_s": at_least_0,
             "totals": fields({"compute_s": at_least_0, "mpi_s": at_least_0}, _TOTALS)},
            {"mpi": or_null(text), "hosts": sequence(text), "switches": anything,
             "pop": or_null(fields({}, _POP)), "openmp": _OPENMP, "sites": sequence(_SITE),
             "regions": both(sequence(_REGION), _is_tree),
             "cores": _CORES, "matrix": or_null(_MATRIX), "late_pairs": sequence(_PAIR),
             "message_sizes": sequence(_SIZE), "progress": _PROGRESS,
             "ranks_detail": sequence(_RANK), "rank_classes": sequence(_CLASS),
             "warnings": sequence(text),
             "timeline": TIMELINE, "parameters": fields({}), "environment": fields({})},
        )
    )  # fmt: skip

    def program(self, result: Result) -> str:
        """Returns the program's file name."""
        return result["program"].rsplit("/", 1)[-1]

    def program_on_any_ranks(self, result: Result) -> str:
        """Returns the name with `*` for a number at its end that is the run's ranks: `mg.S.*`."""
        name, ranks = self.program(result), str(result["ranks"])
        stem = name.removesuffix(ranks)
        return f"{stem}*" if stem != name and stem.endswith((".", "-", "_")) else name

    def heading(self, result: Result) -> str:
        """Says in a phrase what was run, and where."""
        ranks = result["ranks"]
        about = result.get("environment") or {"hosts": result.get("hosts")}
        parts = [self.program(result), f"{ranks} rank{'s' if ranks != 1 else ''}", place_of(about)]
        return ", ".join([*parts, *filter(None, [_short_mpi(result)])])

    def figures(self, result: Result) -> list[Figure]:
        """Returns the wall time, where it went on average over ranks, POP's metrics, the sites."""
        least_s = _LEAST_SHARE * result["wall_s"]
        return [
            *(_figure(name, unit_of, value) for name, unit_of, value in attach_figures(result)),
            *(_figure(name, "exposed_s", value, value < least_s)
              for name, value in site_figures(result).items()),
        ]  # fmt: skip


def _short_mpi(result: Result) -> str:
    """The library's name and version, of all that it says of itself."""
    return (result.get("mpi") or "").partition(",")[0].partition("\n")[0][:40].strip()

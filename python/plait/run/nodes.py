# SPDX-License-Identifier: BSD-3-Clause
"""Equal processors: a node's P processors as P processes, as one, and beside a service thread.

Each of the three is a job of its own, since an application has the same ranks in all its variants.
The jobs take turns in one cluster, a repetition each, and make one result.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plait.errors import BadInput
from plait.lab import Lab, LabSpec
from plait.launch.job import signals_as_exceptions
from plait.launch.scratch import scratch_folder
from plait.plain import tell
from plait.programs import resolve
from plait.results import Result
from plait.results.figures.tolerance import spread_of_samples
from plait.run.jobs import describe_lab, lab_of
from plait.run.recipes import Part
from plait.run.runner import Request, run_part
from plait.run.words import take_options

# A hidden fraction says nothing where base is this near to the bound; as comparisons have it.
_NEAR = 0.05
# Others bring nodes into one job themselves, or know none.
_APPS = ("hpl", "summa", "ft")
_OPTIONS = (
    "--per-node", "--variants", "--repeat", "--workers", "--policy", "--grid", "--node-grid"
)  # fmt: skip
_VARIANTS = "base,olap,plait,service,ideal"
_ALONE = ("communication_s", "computation_s", "transport_cpu_s")


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to use the processors of every node, and the variants that are run so."""

    what: str  # in words
    ranks: int
    rows: Mapping[str, str]  # by the name in the joined result, the application's name of it
    words: Sequence[str]

    @property
    def part(self) -> Part:
        """Returns the job's start."""
        return Part(self.ranks)


@dataclasses.dataclass(frozen=True)
class _Wanted:
    per_node: int
    rounds: int
    names: list[str]  # of the rows, in order
    settings: list[Setting]


def is_of_nodes(asked: Request) -> bool:
    """Returns whether `--per-node` is for plait to do, not for the application."""
    return asked.name in _APPS and "--per-node" in take_options(asked.options, _OPTIONS)[0]


def run_of_nodes(asked: Request) -> tuple[Result | None, int]:
    """Runs the settings in turns; returns one result of all and the largest exit code.

    There is no result where the application only had something to say, such as its help.
    """
    wanted = wanted_of(asked)
    program = resolve(asked.kind, asked.program, asked.mpi).path
    spec = LabSpec.parse(asked.lab) if asked.lab is not None else None
    found: dict[str, list[Result]] = {setting.what: [] for setting in wanted.settings}
    exit_code = 0
    with signals_as_exceptions(), scratch_folder() as folder, lab_of(spec) as lab:
        _check_nodes(asked, wanted, lab)
        for setting, said in _turns(wanted):
            tell(f"{asked.name}, {said}")
            result, code = run_part(
                asked, program, setting.part, folder / "result.json", lab,
                [*setting.words, "--repeat", "1"],
            )  # fmt: skip
            if result is None:
                return None, code
            (folder / "result.json").unlink()
            found[setting.what].append(result)
            exit_code = max(exit_code, code)
        return joined(wanted, found, lab), exit_code


def wanted_of(asked: Request) -> _Wanted:
    """Reads what is to be run. Errors: BadInput that names the option."""
    values, words = take_options(asked.options, _OPTIONS)
    per_node, rounds = _whole("--per-node", values), _whole("--repeat", {"--repeat": "5"} | values)
    ranks = asked.ranks or 2
    if ranks % per_node:
        raise BadInput(
            f"--per-node {per_node} does not divide {ranks} ranks; start nodes x {per_node} of them"
        )
    if "--workers" in values:
        raise BadInput("--workers: --per-node says how many workers each row has")
    if asked.trace is not None:
        raise BadInput("--trace: a trace is of one job, and --per-node starts several")
    names = list(dict.fromkeys(values.get("--variants", _VARIANTS).split(",")))
    if per_node == 1 and "service" in names:
        if "--variants" in values:
            raise BadInput("--variants service: a node of 1 processor has no worker to give up")
        names.remove("service")
    if not set(names) - {"ideal"}:
        raise BadInput(f"--variants {values['--variants']}: names nothing to compare")
    settings = list(_settings(per_node, ranks, names, values, words))
    return _Wanted(per_node, rounds, names, settings)


def _settings(
    per_node: int, ranks: int, names: Sequence[str], values: Mapping[str, str], words: list[str]
) -> Iterator[Setting]:
    processes = [name for name in names if name not in ("plait", "service")]
    if processes:
        own = [*words, *_given("--grid", values.get("--grid")), "--variants", ",".join(processes)]
        yield Setting(
            f"{per_node} processes a node", ranks, {name: name for name in processes}, own
        )
    nodes = ranks // per_node
    own = [*words, *_given("--grid", values.get("--node-grid")), "--variants", "plait"]
    if "plait" in names:
        policy = _given("--policy", values.get("--policy"))
        yield Setting(f"one process a node, {_workers(per_node)}", nodes, {"plait": "plait"},
                      [*own, "--workers", str(per_node), *policy])  # fmt: skip
    if "service" in names:
        yield Setting(
            f"one process a node, {_workers(per_node - 1)} and a service thread", nodes,
            {"service": "plait"}, [*own, "--workers", str(per_node - 1), "--policy", "dedicated"],
        )  # fmt: skip


def _workers(count: int) -> str:
    return f"{count} worker{'s' if count != 1 else ''}"


def _given(option: str, value: str | None) -> list[str]:
    return [] if value is None else [option, value]


def _whole(option: str, values: Mapping[str, str]) -> int:
    value = values[option]
    if not value.isdecimal() or int(value) < 1:
        raise BadInput(f"{option} {value}: give a whole number, at least 1")
    return int(value)


def _check_nodes(asked: Request, wanted: _Wanted, lab: Lab | None) -> None:
    nodes = (asked.ranks or 2) // wanted.per_node
    if lab is not None and nodes % lab.spec.nodes:
        raise BadInput(
            f"--per-node {wanted.per_node} makes {nodes} nodes of {asked.ranks} ranks, and --lab"
            f" has {lab.spec.nodes}; start {lab.spec.nodes * wanted.per_node}"
        )


def _turns(wanted: _Wanted) -> Iterator[tuple[Setting, str]]:
    """Yields each setting once a round; the first one of a round is the second one of the next."""
    settings = wanted.settings
    for index in range(wanted.rounds):
        first = index % len(settings)
        for setting in [*settings[first:], *settings[:first]]:
            yield setting, f"{setting.what} (round {index + 1} of {wanted.rounds})"


# --- one result ---------------------------------------------------------------------------------


def joined(wanted: _Wanted, found: Mapping[str, Sequence[Result]], lab: Lab | None) -> Result:
    """Returns one comparison: of every row the times of all rounds, and the rest of a middle one.

    Bound and attainable are those of the first setting.
    """
    first = found[wanted.settings[0].what]
    whole = copy.deepcopy(first[0])
    for member in ("limiter", "computation_from", "bound_by_round_s", "attainable_by_round_s",
                   "trace_summary"):  # fmt: skip
        whole.pop(member, None)
    rows, timeline = {}, {}
    for setting in wanted.settings:
        for row, name in setting.rows.items():
            rows[row], events = _row(found[setting.what], name)
            rows[row]["setting"] = setting.what
            if events:
                timeline[row] = events
        if "plait" in setting.rows:
            ran = found[setting.what][0]["environment"]
            whole["environment"] |= {k: v for k, v in ran.items() if k.startswith("policy_")}
    whole["variants"] = {name: rows[name] for name in wanted.names}
    whole["timeline"] = {name: timeline[name] for name in wanted.names if name in timeline}
    base_s = rows["base"]["total_s"]["median"] if "base" in rows else None
    for row in rows.values():
        row["ratio_to_base"] = row["total_s"]["median"] / base_s if base_s else None
    whole |= _limits(first)
    whole["hidden_fraction"] = _hidden(whole, wanted.settings[0].rows)
    whole["parameters"] |= {
        "repeat": wanted.rounds, "variants": wanted.names, "processes_per_node": wanted.per_node
    }  # fmt: skip
    whole["environment"]["jobs"] = [
        f"{', '.join(setting.rows)}: {setting.part.describe()}, {setting.what}"
        for setting in wanted.settings
    ]
    if lab:
        whole["environment"]["lab"] = describe_lab(lab)
    return whole


def _row(results: Sequence[Result], name: str) -> tuple[dict[str, Any], list[Any] | None]:
    """Returns a variant of several jobs, and the timeline of the job whose time is the median's."""
    times = [result["variants"][name]["total_s"]["median"] for result in results]
    spread = spread_of_samples(times)
    middle = min(results, key=lambda result: abs(
        result["variants"][name]["total_s"]["median"] - spread["median"]))  # fmt: skip
    row = copy.deepcopy(middle["variants"][name])
    if "gflops" in row:
        row["gflops"] *= row["total_s"]["median"] / spread["median"]
    row["total_s"] = spread
    row["verified"] = all(result["variants"][name]["verified"] for result in results)
    return row, (middle.get("timeline") or {}).get(name)


def _limits(results: Sequence[Result]) -> dict[str, Any]:
    """Returns what was measured alone over all rounds, and the bounds that follow."""
    alone = {}
    for key in _ALONE:
        values = [result[key]["median"] for result in results]
        known = all(value is not None for value in values)
        nothing = dict.fromkeys(("median", "q1", "q3")) | {"samples": values}
        alone[key] = spread_of_samples(values) if known else nothing
    communication, computation, transport = (alone[key]["median"] for key in _ALONE)
    wire = results[0].get("wire_bound_s")
    messages = wire if wire is not None else communication
    limits = {"bound_s": None, "attainable_s": None}
    if messages is not None and computation is not None:
        limits = {"bound_s": max(messages, computation),
                  "attainable_s": max(messages, computation + (transport or 0.0))}  # fmt: skip
    return alone | limits


def _hidden(whole: Result, rows: Mapping[str, str]) -> dict[str, float | None]:
    """Returns the hidden fraction of rows that have base's processes and compute as base does."""
    variants, bound_s = whole["variants"], whole["bound_s"]
    if "base" not in variants or bound_s is None:
        return {}
    base_s = variants["base"]["total_s"]["median"]
    gap_s = base_s - bound_s

    def fraction(one: Mapping[str, Any]) -> float | None:
        return (base_s - one["total_s"]["median"]) / gap_s if gap_s > _NEAR * bound_s else None

    return {
        name: fraction(variants[name])
        for name in rows
        if name not in ("base", "ideal") and variants[name].get("computes_as_base")
    }

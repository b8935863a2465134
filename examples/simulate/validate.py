#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds what `plait simulate` predicts of programs against runs in emulated clusters.

    validate.py FOLDER [--programs jacobi3d,ft] [--attach "lammps=./lmp -in in.melt"]
                       [--rates 250mbit,2gbit] [--rounds 5] [--minutes 5] [--ranks 2,4,8]

A round begins with a job at 1 Gbit/s that records each program: plait's applications as tasks, and
programs of --attach as they are.  Predictions for all rates are then written, with the date, to
predictions.json in the folder of the round.  Only then do the runs begin that test them: a job of
each program at each rate.  So a machine that is slower from one round to the next is so on both
sides.

With --ranks 2,4,8 programs are recorded on 2 and 4 ranks, with a node a rank, and predicted and
tested on 8, at the first of --rates: two cores carry no more than some Gbit/s of all nodes
together.  The problem of an application grows with its ranks, so that each rank has
as many tasks.  In the words of --attach {ranks} is the number of ranks.  halo.c beside this file is
a program whose work does not grow, and takes no core.

--minutes ends the command early, and a second call goes on.  FOLDER/result.json has all figures.
docs/measured/simulate.md explains them.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any, Optional, Union

PLAIT = pathlib.Path(__file__).resolve().parents[2] / "plait"
RECORDED_AT = "1gbit"
APPLICATIONS = {
    "jacobi3d": "--size 512x512x80 --steps 40 --variants plait",
    "redblack3d": "--size 512x512x80 --steps 24 --policies TASK",
    "poisson": "--size 512x512x32 --steps 24 --variants plait",
    "ft": "--class 128x128x128 --steps 6 --variants plait",
}
GROWING = {  # of {ranks} ranks, with {z} planes
    "jacobi3d": "--size 512x512x{z} --grid 1x1x{ranks} --steps 40 --variants plait",
    "redblack3d": "--size 512x512x{z} --grid 1x1x{ranks} --steps 24 --policies TASK",
    "poisson": "--size 512x512x{z} --grid 1x1x{ranks} --steps 24 --variants plait",
}
PLANES = 8  # of a rank
REPEAT = 3  # runs of an application within a job
BUCKET_BYTES = 131072  # of the emulated cluster's links
PAYLOAD = 1448 / 1514  # of the bytes of a link
UNITS = {"mbit": 1e6, "gbit": 1e9}
PREDICTORS = ("predicted_s", "unchanged_s", "bytes_added_s")


def main() -> None:
    """Records, predicts, runs and prints a table, as far as the time allows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--programs", default=",".join(APPLICATIONS), help="of these")
    parser.add_argument("--attach", action="append", default=[], metavar="NAME=COMMAND",
                        help="an MPI program as it is; once for each")  # fmt: skip
    parser.add_argument("--rates", default="250mbit,500mbit,1gbit,2gbit")
    parser.add_argument("--policies", default="", help="to test at 1 Gbit/s: none,workers")
    parser.add_argument("--ranks", default="", help="to record, and last to test: 2,4,8")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after so many")
    parser.add_argument("--mpi", default="openmpi")
    told = parser.parse_args()
    names = list(filter(None, told.programs.split(",")))
    if unknown := set(names) - set(APPLICATIONS):
        parser.error(f"unknown program {', '.join(unknown)}; there are {', '.join(APPLICATIONS)}")
    if wrong := [one for one in told.attach if not re.match(r"\w+=.", one)]:
        parser.error(f"--attach {wrong[0]}: give NAME=COMMAND")
    words_of = GROWING if told.ranks else APPLICATIONS
    programs: list[Program] = [Application(name, words_of[name]) for name in names
                               if name in words_of]  # fmt: skip
    programs += [Unmodified(*one.split("=", 1)) for one in told.attach]
    every = [one.name for one in programs]
    if len(set(every)) < len(every) or set(every) & {"answer", "predictions"}:
        parser.error("each program needs a name of its own")
    if told.attach and set(filter(None, told.policies.split(","))) - {"sleeping"}:
        parser.error("--policies beside --attach: sleeping alone, which is plait attach --progress")
    told.folder.mkdir(parents=True, exist_ok=True)
    counts = [int(word) for word in re.findall(r"\d+", told.ranks)]
    if told.ranks and (len(counts) < 3 or sorted(set(counts)) != counts or told.policies):
        parser.error(
            "--ranks: give two numbers to record and a larger one to test, and no policies"
        )
    validation = OverRanks(told, programs, counts) if counts else Validation(told, programs)
    work_off(validation.steps(), told.minutes)
    validation.show()


@dataclasses.dataclass(frozen=True)
class Application:
    """One of plait's applications, as tasks: a job has several runs."""

    name: str
    words: str

    def command(self, kept: pathlib.Path, policy: str) -> list[object]:
        """Returns the words of a job behind those of its cluster."""
        more = ["--policy", policy] if policy else []
        return [self.name, *self.words.split(), "--repeat", REPEAT, "--json", kept, *more]

    @property
    def takes_policies(self) -> bool:
        """Whether the job may name one; RedBlack3D means its rows by the word."""
        return self.name != "redblack3d"

    def parts(self) -> list[list[object]]:
        """Returns the words by which simulations take each run of the recording."""
        return [["--runtime", runtime] for runtime in range(1, REPEAT + 1)]

    def times_s(self, kept: pathlib.Path) -> list[float]:
        """Returns how long each run took."""
        return self._tasks(kept)["total_s"]["samples"]

    def computed_s(self, kept: pathlib.Path) -> float:
        """Returns how long the ranks computed."""
        return self._tasks(kept)["compute_s"]

    @staticmethod
    def _tasks(kept: pathlib.Path) -> dict[str, Any]:
        (variant,) = json.loads(kept.read_text())["variants"].values()
        return variant


@dataclasses.dataclass(frozen=True)
class Unmodified:
    """An MPI program under `plait attach`: a job is a run."""

    name: str
    words: str
    takes_policies = True

    def command(self, kept: pathlib.Path, policy: str) -> list[object]:
        """Returns the words of a job behind those of its cluster."""
        program, *words = shlex.split(self.words)
        switches = "=progress" if policy == "sleeping" else ""
        return [f"--attach{switches}", "--json", kept, program, "--", *words]

    def parts(self) -> list[list[object]]:
        """Returns the words by which simulations take each run of the recording."""
        return [[]]

    def times_s(self, kept: pathlib.Path) -> list[float]:
        """Returns how long the run took."""
        return [json.loads(kept.read_text())["wall_s"]]

    def computed_s(self, kept: pathlib.Path) -> float:
        """Returns how long the ranks computed."""
        return json.loads(kept.read_text())["totals"]["compute_s"]


Program = Union[Application, Unmodified]


class Validation:
    """Holds what is asked for, and the folder that keeps what has been done."""

    def __init__(self, told: argparse.Namespace, programs: list[Program]) -> None:
        self.told = told
        self.folder: pathlib.Path = told.folder
        self.network = self.folder / "network.json"
        self.programs = programs
        self.rates: list[str] = told.rates.split(",")
        self.policies: list[str] = list(filter(None, told.policies.split(",")))

    def steps(self) -> Iterator[Callable[[], None]]:
        """Yields what is left to do, in order."""
        if not self.network.exists():
            yield lambda: plait("measure", "loggp", *self.job(RECORDED_AT), "--json", self.network)
        for turn in range(self.told.rounds):
            folder = self.folder / str(turn)
            folder.mkdir(exist_ok=True)
            for kept, job in self.to_record(folder):
                if not kept.exists():
                    yield job
            if not (folder / "predictions.json").exists():
                yield lambda at=folder: self.predict(at)
            for one, rate, policy in self.cases():
                kept = tested(folder, one.name, rate, policy)
                if not kept.exists():
                    yield lambda of=one, at=rate, p=policy, to=kept: self.test(of, at, p, to)

    def to_record(self, folder: pathlib.Path) -> Iterator[tuple[pathlib.Path, Callable[[], None]]]:
        """Yields the jobs that a round records, with the result of each."""
        for one in self.programs:
            kept, record = folder / f"{one.name}.json", ["--record", folder / one.name]
            yield kept, lambda of=one, to=kept, r=record: self.run(of, RECORDED_AT, "", to, r)

    def test(self, one: Program, rate: str, policy: str, kept: pathlib.Path) -> None:
        """Runs a program where it was predicted."""
        self.run(one, rate, policy, kept, [])

    def cases(self) -> Iterator[tuple[Program, str, str]]:
        """Yields what is tested: rates with the recorded policy, and policies at one rate."""
        yield from ((one, rate, "") for one in self.programs for rate in self.rates)
        yield from ((one, RECORDED_AT, policy) for one in self.programs if one.takes_policies
                    for policy in self.policies)  # fmt: skip

    def recordings(self, folder: pathlib.Path, one: Program) -> list[object]:
        """Returns what simulations of a program read."""
        return [folder / one.name]

    def recorded(self, folder: pathlib.Path, one: Program) -> pathlib.Path:
        """Returns the result of the job that recorded a program."""
        return folder / f"{one.name}.json"

    def job(self, rate: str) -> list[str]:
        """Returns the words of a cluster of two nodes of one core each."""
        return ["--ranks", "2", "--lab", f"nodes=2,rate={rate},cores=1", "--mpi", self.told.mpi]

    def run(
        self, one: Program, rate: str, policy: str, kept: pathlib.Path, more: list[object]
    ) -> None:
        """Runs a program, and keeps its result."""
        plait("run", *self.job(rate), *more, *one.command(kept, policy))

    def predict(self, folder: pathlib.Path) -> None:
        """Writes the predictions of all programs for the round."""
        rows = [row for one in self.programs for row in self.predicted(folder, one)]
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        text = json.dumps({"written": now, "rows": rows}, indent=1)
        (folder / "predictions.json").write_text(text + "\n")

    def predicted(self, folder: pathlib.Path, one: Program) -> Iterator[dict[str, Any]]:
        """Yields a row for each case: medians over the runs of the recording."""
        runs = [self.simulated(folder, one, part) for part in one.parts()]
        unchanged_s = statistics.median(one.times_s(self.recorded(folder, one)))
        cases = [case for case in self.cases() if case[0] is one]
        for (_, rate, policy), *rows in zip(cases, *(rows for rows, _ in runs)):
            per_byte_s = 8 / (bits_per_s(rate) * PAYLOAD)
            added = [max(calc_s + per_byte_s * bytes_sent for calc_s, bytes_sent in ranks)
                     for _, ranks in runs]  # fmt: skip
            yield {
                "program": one.name, "rate": rate, "policy": policy,
                "predicted_s": statistics.median(row["predicted_s"] for row in rows),
                "unchanged_s": unchanged_s,
                "bytes_added_s": statistics.median(added),
                "limiter": rows[0]["limiter"],
            }  # fmt: skip

    def simulated(
        self, folder: pathlib.Path, one: Program, part: list[object]
    ) -> tuple[list[Any], list[tuple[float, int]]]:
        """Returns rows of `plait simulate`, and seconds and bytes of each rank, of one run."""
        answer, goal = folder / "answer.json", folder / "program.goal"
        words = [*self.recordings(folder, one), *part, "--bucket", BUCKET_BYTES,
                 "--json", answer, "--write-goal", goal]  # fmt: skip
        plait("simulate", *words, "--network", ",".join([str(self.network), *self.rates]))
        rows = json.loads(answer.read_text())["rows"][1:]
        if self.policies and one.takes_policies:
            at = f"{self.network},{RECORDED_AT}"
            plait("simulate", *words, "--network", at, "--policy", ",".join(self.policies))
            rows += json.loads(answer.read_text())["rows"][len(self.policies) :]
        ranks = goal.read_text().split("\nrank ")[1:]
        return rows, [(1e-9 * sum_of("calc", text), sum_of("send", text)) for text in ranks]

    def show(self) -> None:
        """Prints each prediction beside its runs, keeps them, and says how far they are off."""
        rows = [row for case in self.cases() if (row := self.compared(*case)) is not None]
        print("errors in %: the middle one of the rounds; of what was simulated the range, too")
        heads = ("seconds", "simul.", "from", "to", "same", "+bytes", "comp.")
        print(f"{'':29}" + "".join(f"{head:>7}" for head in heads))
        for row in rows:
            where = f"{row['program']:10} {row['rate']:8}{row['policy']:8}{len(row['errors']):>2}"
            simulated, unchanged, added = (
                percent([errors[at] for errors in row["errors"]]) for at in range(len(PREDICTORS))
            )
            computes = percent([one - 1 for one in row["computation"]])
            figures = [simulated.middle, simulated.least, simulated.most,
                       unchanged.middle, added.middle, computes.middle]  # fmt: skip
            print(f"{where}{row['measured_s']:>7.3f}" + "".join(f"{one:+7.1f}" for one in figures))
        (self.folder / "result.json").write_text(json.dumps(rows, indent=1) + "\n")
        others = [row for row in rows if row["rate"] != RECORDED_AT or row["policy"]]
        for at, name in enumerate(PREDICTORS):
            errors = [abs(percent([errors[at] for errors in row["errors"]]).middle)
                      for row in others]  # fmt: skip
            if errors:
                middle, most = statistics.median(errors), max(errors)
                print(f"{name}, elsewhere: median error {middle:.1f} %, largest {most:.1f} %")

    def compared(self, one: Program, rate: str, policy: str) -> Optional[dict[str, Any]]:
        """Returns a prediction's errors by round, of rounds that have tested it."""
        found: dict[str, Any] = {"program": one.name, "rate": rate, "policy": policy,
                                 "runs_s": [], "errors": [], "computation": []}  # fmt: skip
        for turn in range(self.told.rounds):
            folder = self.folder / str(turn)
            kept = tested(folder, one.name, rate, policy)
            if not kept.exists():
                continue
            row = next((row for row in json.loads((folder / "predictions.json").read_text())["rows"]
                        if [row[key] for key in ("program", "rate", "policy")]
                        == [one.name, rate, policy]), None)  # fmt: skip
            if row is None:  # it was not asked for when the round was predicted
                continue
            times_s = one.times_s(kept)
            found["runs_s"] += times_s
            measured_s = statistics.median(times_s)
            found["errors"].append([row[name] / measured_s - 1 for name in PREDICTORS])
            recorded_s = one.computed_s(self.recorded(folder, one))
            found["computation"].append(one.computed_s(kept) / recorded_s)
            found["limiter"] = row["limiter"]
        if not found["runs_s"]:
            return None
        return {**found, "measured_s": statistics.median(found["runs_s"])}


class OverRanks(Validation):
    """Records programs on some numbers of ranks, and tests them on a larger one."""

    def __init__(
        self, told: argparse.Namespace, programs: list[Program], counts: list[int]
    ) -> None:
        super().__init__(told, programs)
        *self.smaller, self.largest = counts
        self.rates = self.rates[:1]
        # There may be more ranks than cores: one that waits must let others have its core.
        os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")

    def to_record(self, folder: pathlib.Path) -> Iterator[tuple[pathlib.Path, Callable[[], None]]]:
        """Yields the jobs that a round records, with the result of each."""
        for one in self.programs:
            for ranks in self.smaller:
                kept = folder / f"{one.name}-{ranks}.json"
                record = ["--record", folder / f"{one.name}-{ranks}"]
                yield kept, lambda n=ranks, of=one, to=kept, r=record: self.run_on(n, of, to, r)

    def test(self, one: Program, rate: str, policy: str, kept: pathlib.Path) -> None:
        """Runs a program on the ranks for which it was predicted."""
        self.run_on(self.largest, one, kept, [])

    def cases(self) -> Iterator[tuple[Program, str, str]]:
        """Yields what is tested; the number of ranks stands where policies do."""
        yield from ((one, self.rates[0], f"{self.largest}ranks") for one in self.programs)

    def run_on(self, ranks: int, one: Program, kept: pathlib.Path, more: list[object]) -> None:
        """Runs a program on so many ranks, each on a node of its own."""
        words = one.words.replace("{ranks}", str(ranks)).replace("{z}", str(PLANES * ranks))
        lab = f"nodes={ranks},rate={self.rates[0]},cores=1"
        job = ["--ranks", ranks, "--lab", lab, "--mpi", self.told.mpi]
        command = dataclasses.replace(one, words=words).command(kept, "")
        plait("run", *job, *more, *command)

    def recordings(self, folder: pathlib.Path, one: Program) -> list[object]:
        """Returns what simulations of a program read."""
        recorded = [folder / f"{one.name}-{ranks}" for ranks in self.smaller]
        return [*recorded, "--ranks", self.largest]

    def recorded(self, folder: pathlib.Path, one: Program) -> pathlib.Path:
        """Returns the result of the job with the most ranks that was recorded."""
        return folder / f"{one.name}-{self.smaller[-1]}.json"


@dataclasses.dataclass(frozen=True)
class Spread:
    """The middle one of some figures, the least and the largest."""

    middle: float
    least: float
    most: float


def percent(parts: list[float]) -> Spread:
    """Returns these as percent."""
    return Spread(100 * statistics.median(parts), 100 * min(parts), 100 * max(parts))


def tested(folder: pathlib.Path, program: str, rate: str, policy: str) -> pathlib.Path:
    """Returns the file of a job that tests a prediction."""
    return folder / f"{'-'.join(filter(None, (program, rate, policy)))}.json"


def work_off(steps: Iterator[Callable[[], None]], minutes: float) -> None:
    """Does what is left to do, and begins nothing after so many minutes."""
    end = time.monotonic() + 60 * minutes
    for step in steps:
        if time.monotonic() > end:
            print("there is more to do: give the same command again")
            break
        step()


class Failed(SystemExit):
    """A command of plait that failed.  It ends the script, with all that the command printed."""

    @property
    def reason(self) -> str:
        """Returns the last line."""
        lines = [line for line in str(self).splitlines() if line.strip()]
        return lines[-1] if lines else "it failed without a word"


def plait(*words: object, **variables: object) -> None:
    """Runs a command of plait; what it prints is shown where it fails."""
    print("plait", *words, flush=True)
    there = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    command = [PLAIT, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, env=there)
    if done.returncode != 0:
        raise Failed(f"{done.stdout}{done.stderr}")


def sum_of(kind: str, goal: str) -> int:
    """Returns the nanoseconds, or the bytes, of all operations of a kind in a rank's GOAL."""
    return sum(map(int, re.findall(rf": {kind} (\d+)", goal)))


def bits_per_s(rate: str) -> float:
    """Returns what 500mbit stands for."""
    return float(rate[:-4]) * UNITS[rate[-4:]]


if __name__ == "__main__":
    main()

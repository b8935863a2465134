#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds what `plait simulate` predicts of plait's applications against runs in emulated clusters.

    validate.py FOLDER [--programs jacobi3d,ft] [--rates 250mbit,2gbit] [--minutes 5]

One job at 1 Gbit/s records each program.  Predictions for all rates are then written, with the
date, to FOLDER/predictions.json.  Only then do the runs begin that test them, by turns: a job of
each program at each rate, then the next round.  --minutes ends the command early, and a second
call goes on.  FOLDER/result.json has all figures.  docs/measured/simulate.md explains them.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

PLAIT = pathlib.Path(__file__).resolve().parents[2] / "plait"
RECORDED_AT = "1gbit"
PROGRAMS = {
    "jacobi3d": "--size 512x512x80 --steps 40 --variants plait",
    "redblack3d": "--size 512x512x80 --steps 24 --policies TASK",
    "poisson": "--size 512x512x32 --steps 24 --variants plait",
    "ft": "--class 128x128x128 --steps 6 --variants plait",
}
REPEAT = 5  # runs within the job that records, and
TESTED = 3  # within each job that tests
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
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="of these")
    parser.add_argument("--rates", default="250mbit,500mbit,1gbit,2gbit")
    parser.add_argument("--policies", default="", help="to test at 1 Gbit/s: none,workers")
    parser.add_argument("--rounds", type=int, default=5, help="jobs for each prediction")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after so many")
    parser.add_argument("--mpi", default="openmpi")
    told = parser.parse_args()
    if unknown := set(told.programs.split(",")) - set(PROGRAMS):
        parser.error(f"unknown program {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    end = time.monotonic() + 60 * told.minutes
    told.folder.mkdir(parents=True, exist_ok=True)
    validation = Validation(told)
    for step in validation.steps():
        if time.monotonic() > end:
            print("there is more to do: give the same command again")
            break
        step()
    if validation.predictions.exists():
        validation.show()


class Validation:
    """Holds what is asked for, and the folder that keeps what has been done."""

    def __init__(self, told: argparse.Namespace) -> None:
        self.told = told
        self.folder: pathlib.Path = told.folder
        self.predictions = self.folder / "predictions.json"
        self.programs: list[str] = told.programs.split(",")

    def steps(self) -> Iterator[Callable[[], None]]:
        """Yields what is left to do, in order."""
        network = self.folder / "network.json"
        if not network.exists():
            yield lambda: plait("measure", "loggp", *self.job(RECORDED_AT), "--json", network)
        for program in self.programs:
            kept = self.folder / f"{program}.json"
            record = ["--record", self.folder / program]
            if not kept.exists():
                yield lambda to=kept, of=program, more=record: self.run(
                    of, RECORDED_AT, REPEAT, to, more
                )
        if not self.predictions.exists():
            yield self.predict
        cases = [(program, rate, "") for program in self.programs for rate in self.rates()]
        cases += [(program, RECORDED_AT, policy)
                  for program in self.programs for policy in self.policies()]  # fmt: skip
        for turn in range(self.told.rounds):
            for program, rate, policy in cases:
                kept = self.kept(program, rate, policy, turn)
                more = ["--policy", policy] if policy else []
                if not kept.exists():
                    yield lambda to=kept, of=program, at=rate, m=more: self.run(
                        of, at, TESTED, to, m
                    )

    def rates(self) -> list[str]:
        """Returns the rates for which the recorded policy is predicted."""
        return self.told.rates.split(",")

    def policies(self) -> list[str]:
        """Returns other policies, which are predicted for the rate of the recording."""
        return list(filter(None, self.told.policies.split(",")))

    def kept(self, program: str, rate: str, policy: str, turn: int) -> pathlib.Path:
        """Returns the file of a run that tests a prediction."""
        return self.folder / f"{'-'.join(filter(None, (program, rate, policy)))}-{turn}.json"

    def job(self, rate: str) -> list[str]:
        """Returns the words of a cluster of two nodes of one core each."""
        return ["--ranks", "2", "--lab", f"nodes=2,rate={rate},cores=1", "--mpi", self.told.mpi]

    def run(
        self, program: str, rate: str, repeat: int, kept: pathlib.Path, more: list[object]
    ) -> None:
        """Runs a program as tasks, and keeps its result."""
        words = [*PROGRAMS[program].split(), "--repeat", repeat, "--json", kept, *more]
        plait("run", program, *self.job(rate), *words)

    def predict(self) -> None:
        """Writes the predictions of all programs."""
        found = [row for program in self.programs for row in self.predicted(program)]
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        self.predictions.write_text(json.dumps({"written": now, "rows": found}, indent=1) + "\n")

    def predicted(self, program: str) -> Iterator[dict[str, Any]]:
        """Yields a row for each rate and policy: medians over the runs of the recording."""
        runs = [self.simulated(program, runtime) for runtime in range(1, REPEAT + 1)]
        unchanged = tasks_of(self.folder / f"{program}.json")["total_s"]["median"]
        for rows in zip(*(rows for rows, _ in runs)):
            per_byte_s = 8 / (bits_per_s(rows[0]["network"]) * PAYLOAD)
            added = [max(calc_s + per_byte_s * bytes_sent for calc_s, bytes_sent in ranks)
                     for _, ranks in runs]  # fmt: skip
            yield {
                "program": program, "rate": rows[0]["network"], "policy": rows[0]["policy"],
                "recorded_s": statistics.median(row["recorded_s"] for row in rows),
                "predicted_s": statistics.median(row["predicted_s"] for row in rows),
                "unchanged_s": unchanged,
                "bytes_added_s": statistics.median(added),
                "limiter": rows[0]["limiter"],
            }  # fmt: skip

    def simulated(self, program: str, runtime: int) -> tuple[list[Any], list[tuple[float, int]]]:
        """Returns rows of `plait simulate`, and seconds and bytes of each rank, of one runtime."""
        answer, goal = self.folder / "answer.json", self.folder / "program.goal"
        words = [self.folder / program, "--runtime", runtime, "--bucket", BUCKET_BYTES,
                 "--json", answer, "--write-goal", goal]  # fmt: skip
        network = self.folder / "network.json"
        plait("simulate", *words, "--network", ",".join([str(network), *self.rates()]))
        rows = json.loads(answer.read_text())["rows"][1:]
        if self.policies():
            at = f"{network},{RECORDED_AT}"
            plait("simulate", *words, "--network", at, "--policy", ",".join(self.policies()))
            rows += json.loads(answer.read_text())["rows"][len(self.policies()) :]
        ranks = goal.read_text().split("\nrank ")[1:]
        return rows, [(1e-9 * sum_of("calc", text), sum_of("send", text)) for text in ranks]

    def show(self) -> None:
        """Prints each prediction beside its runs, keeps them, and says how far they are off."""
        kept = json.loads(self.predictions.read_text())
        print(f"predictions of {kept['written']}; errors and more computation in %")
        heads = [f"{head:>10}" for head in ("measured", "simulated", "unchanged", "+ bytes")]
        print(f"{'':28}runs{''.join(heads)}computes")
        for row in kept["rows"]:
            self.compare(row, next(r for r in kept["rows"] if r["program"] == row["program"]))
            if "errors" not in row:
                continue
            where = f"{row['program']:11}{row['rate']:8}{row['policy']:9}{len(row['runs_s']):>4}"
            errors = "".join(f"{100 * error:+10.1f}" for error in row["errors"])
            more = f"{100 * (row['computation'] - 1):+8.1f}"
            print(f"{where}{row['measured_s']:>9.3f}s{errors}{more}")
        (self.folder / "result.json").write_text(json.dumps(kept, indent=1) + "\n")
        tested = [row for row in kept["rows"] if "errors" in row]
        for at, name in enumerate(PREDICTORS):
            errors = [100 * abs(row["errors"][at]) for row in tested]
            if errors:
                print(f"{name}: median error {statistics.median(errors):.1f} %,"
                      f" largest {max(errors):.1f} %")  # fmt: skip

    def compare(self, row: dict[str, Any], recorded: dict[str, Any]) -> None:
        """Adds to a prediction what was measured, if it was; `recorded` has the policy it had."""
        policy = "" if row["policy"] == recorded["policy"] else row["policy"]
        files = [self.kept(row["program"], row["rate"], policy, turn)
                 for turn in range(self.told.rounds)]  # fmt: skip
        jobs = [tasks_of(one) for one in files if one.exists()]
        if not jobs:
            return
        row["runs_s"] = [time_s for job in jobs for time_s in job["total_s"]["samples"]]
        row["measured_s"] = statistics.median(row["runs_s"])
        row["errors"] = [row[name] / row["measured_s"] - 1 for name in PREDICTORS]
        recording = tasks_of(self.folder / f"{row['program']}.json")
        row["computation"] = (
            statistics.median(job["compute_s"] for job in jobs) / recording["compute_s"]
        )


def plait(*words: object) -> None:
    """Runs a command of plait; what it prints is shown where it fails."""
    print("plait", *words, flush=True)
    done = subprocess.run([PLAIT, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}")


def tasks_of(result: pathlib.Path) -> dict[str, Any]:
    """Returns the only variant of a job."""
    (variant,) = json.loads(result.read_text())["variants"].values()
    return variant


def sum_of(kind: str, goal: str) -> int:
    """Returns the nanoseconds, or the bytes, of all operations of a kind in a rank's GOAL."""
    return sum(map(int, re.findall(rf": {kind} (\d+)", goal)))


def bits_per_s(rate: str) -> float:
    """Returns what 500mbit stands for."""
    return float(rate[:-4]) * UNITS[rate[-4:]]


if __name__ == "__main__":
    main()

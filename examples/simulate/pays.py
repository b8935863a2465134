#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds where dataflow pays: the ratios of communication to computation, and the numbers of ranks.

    pays.py FOLDER [--programs jacobi3d,hpl] [--rates 100mbit,1gbit,10gbit] [--ranks 4,64,1024]
                   [--minutes 8]

A job at 1 Gbit/s runs each of plait's applications on 2 ranks, a core each: as tasks, by hand, and
as plain MPI, in turns.  The tasks are recorded by plait's library, and the others by plait attach.
Then `plait simulate` predicts all of them at all rates.  What is compared is one step of the same
problem: the prediction for the tasks over that for the program by hand.  Beside it stands that
ratio as it was measured in the job, and as it is predicted there.

A second job, on 4 ranks, shows how messages and their peers go on, so that `plait simulate`
makes the programs of more ranks.  The problem grows with the ranks.  The work of a rank does not,
so durations are those of the first job, whose ranks did not share cores.

Only the jobs need a quiet machine, and they come first.  --minutes ends the command early, and a
second call goes on.  FOLDER/result.json has all figures, FOLDER/pays.md the tables for a page, and
FOLDER/pays.svg the picture.  docs/use/simulate.md says how to read them.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pays_tables
import validate

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 3  # runs that count, after one that does not
# On more ranks.  Applications note messages one by one in the middle run, which is not the first
# of two either: first runs make the same calls.
ROUNDS_OF_MORE = 2
FEWEST, MORE = 2, 4  # ranks that are recorded


@dataclasses.dataclass(frozen=True)
class Compared:
    """An application with its tasks and its opponents, which are regions of the same job."""

    name: str
    words: str  # {ranks} of them, {z} planes
    hand: str = "olap"
    plain: str = "base"
    planes: int = 0  # of a rank
    looks: str = "workers"  # how the program by hand looks: between two pieces of work
    grows: bool = False  # with the ranks, so that a rank has the same work
    runtimes: int = 1  # that a round makes, of which the first is that of the tasks; 0: it has one
    stays: int = 1  # in regions of the opponents' names
    other_words: str = ""  # of a job with the opponent's tasks, where it is no region of this one

    def command(self, ranks: int, kept: pathlib.Path, rounds: int) -> list[object]:
        """Returns the words of the job behind those of its cluster."""
        return self._command(self.words, ranks, kept, rounds)

    def other_command(self, kept: pathlib.Path, rounds: int) -> list[object]:
        """Returns those of the opponent's own job on the fewest ranks."""
        return self._command(self.other_words, FEWEST, kept, rounds)

    def _command(self, words: str, ranks: int, kept: pathlib.Path, rounds: int) -> list[object]:
        words = words.replace("{ranks}", str(ranks)).replace("{z}", str(self.planes * ranks))
        job = validate.Unmodified(self.name, f"{self.name} {words} --repeat {rounds}")
        return job.command(kept, "")


PROBE = "--rows 200000 --nnz-per-row 25 --eta 1 --no-model --piece 16384"


def _grows(name: str, words: str, planes: int, **more: str) -> Compared:
    return Compared(name, words, planes=planes, grows=True, **more)


PROGRAMS = [
    _grows("jacobi3d", "--size 256x256x{z} --grid 1x1x{ranks} --steps 16 "
           "--variants split,olap,plait", 64, plain="split"),
    _grows("redblack3d", "--size 256x256x{z} --grid 1x1x{ranks} --steps 10 "
           "--policies HAND,MT(1)+OLAP,TASK", 64, hand="MT(1)+OLAP", plain="HAND", looks="none"),
    _grows("poisson", "--size 256x256x{z} --grid 1x1x{ranks} --steps 10 "
           "--variants base,olap,plait", 32),
    _grows("spmv", "--points 96x96x{z} --steps 40 --variants base,olap,plait", 8),
    Compared("summa", "--size 1024x1024x1024 --grid 1x{ranks} --variants base,olap,plait"),
    Compared("hpl", "--n 1200 --nb 64 --grid 1x{ranks} --variants base,olap,plait"),
    Compared("ft", "--class 128x128x64 --steps 4 --variants base,olap,plait"),
    Compared("fft3d", "--size 128x128x64 --steps 2 --tile 8 --variants blocking,tested,plait",
             hand="tested", plain="blocking"),
    Compared("ft-probe", "--length 512 --rows 2048 --scales 1 --messages slabs "
             "--way isend,message", hand="isend", plain="", looks="none", runtimes=3, stays=2),
    Compared("osem", "--phantom 256 --subsets 8 --variants base,olap,plait"),
    Compared("compress", "{file} --codec zstd --level 1 --variants base,olap,plait"),
    Compared("spmv-probe", f"{PROBE} --algorithms G", other_words=f"{PROBE} --algorithms B",
             hand="Bulk", plain="", runtimes=0),
]  # fmt: skip


def main() -> None:
    """Records, predicts and prints tables, as far as the time allows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path)
    names = [one.name for one in PROGRAMS]
    parser.add_argument("--programs", default=",".join(names), help="of these")
    parser.add_argument("--rates", default="100mbit,300mbit,1gbit,3gbit,10gbit,30gbit,100gbit")
    parser.add_argument("--ranks", default="4,16,64,256,1024")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after so many")
    parser.add_argument("--mpi", default="openmpi")
    told = parser.parse_args()
    wanted = told.programs.split(",")
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"unknown program {', '.join(unknown)}; there are {', '.join(names)}")
    for rate in told.rates.split(","):
        if not re.fullmatch(r"[1-9]\d*[mg]bit", rate):
            parser.error(f"--rates: {rate} is no rate such as 500mbit or 10gbit")
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", told.ranks):
        parser.error(f"--ranks: {told.ranks} are no numbers such as 4,64,1024")
    told.folder.mkdir(parents=True, exist_ok=True)
    asked = Question(told, [one for one in PROGRAMS if one.name in wanted])
    validate.work_off(asked.steps(), told.minutes)
    pays_tables.write(asked.folder, asked.answers(), asked.rates)


class Question:
    """Holds what is asked for, and the folder that keeps what has been done."""

    def __init__(self, told: argparse.Namespace, programs: Sequence[Compared]) -> None:
        self.folder: pathlib.Path = told.folder.resolve()
        self.mpi: str = told.mpi
        self.network = self.folder / "network.json"
        self.programs = programs
        self.rates: list[str] = sorted(told.rates.split(","), key=validate.bits_per_s)
        self.ranks = sorted({int(word) for word in told.ranks.split(",")})

    def steps(self) -> Iterator[Callable[[], None]]:
        """Yields what is left to do, in order: all jobs first."""
        if not self.network.exists():
            job = self.job(FEWEST)
            yield lambda: validate.plait("measure", "loggp", *job, "--json", self.network)
        for one in self.programs:
            for ranks, rounds in ((FEWEST, ROUNDS), (MORE, ROUNDS_OF_MORE)):
                if not self.kept(one, ranks).exists():
                    yield lambda of=one, n=ranks, each=rounds: self.record(of, n, each)
        for one in self.programs:
            if not self.answered(one).exists():
                yield lambda of=one: self.answer(of)

    def job(self, ranks: int) -> list[object]:
        """Returns the words of a cluster with a node of one core for each rank."""
        lab = f"nodes={ranks},rate={validate.RECORDED_AT},cores=1"
        return ["--ranks", ranks, "--lab", lab, "--mpi", self.mpi]

    def recorded(self, one: Compared, ranks: int) -> pathlib.Path:
        """Returns the folder of both recordings of a job: `tasks` and `calls`."""
        return self.folder / f"{one.name}-{ranks}"

    def kept(self, one: Compared, ranks: int) -> pathlib.Path:
        """Returns the result of a job, or the reason why there is none."""
        return self.folder / f"{one.name}-{ranks}.json"

    def answered(self, one: Compared) -> pathlib.Path:
        """Returns the file of a program's answer."""
        return self.folder / f"{one.name}.answer.json"

    def answers(self) -> list[dict[str, Any]]:
        """Returns the answers that there are."""
        files = [self.answered(one) for one in self.programs]
        return [json.loads(file.read_text()) for file in files if file.exists()]

    # Recording -----------------------------------------------------------------------------------

    def record(self, one: Compared, ranks: int, rounds: int) -> None:
        """Runs a job, and records both sides; one that fails has its reason noted."""
        into, kept = self.recorded(one, ranks), self.kept(one, ranks)
        words = [str(word).replace("{file}", str(self.file_to_compress()))
                 for word in one.command(ranks, kept, rounds)]  # fmt: skip
        variables = {"PLAIT_RECORD": into / "tasks"}
        if ranks > (os.cpu_count() or 1):  # one that waits must let others have its core
            variables["OMPI_MCA_mpi_yield_when_idle"] = "1"
        try:
            validate.plait("run", *self.job(ranks), "--record", into / "calls", *words, **variables)
            if one.other_words and ranks == FEWEST:
                variables["PLAIT_RECORD"] = into / "other"
                validate.plait("run", *self.job(ranks), *one.other_command(kept, rounds),
                               **variables)  # fmt: skip
        except validate.Failed as failed:
            print(f"  {failed.reason}")
            kept.write_text(json.dumps({"refused": failed.reason}) + "\n")

    def file_to_compress(self) -> pathlib.Path:
        """Returns a file of text, made of the sources, the same for all jobs of a folder."""
        file = self.folder / "sources.txt"
        if not file.exists():
            sources = sorted((ROOT / "src").rglob("*.cpp"))
            text = b"".join(path.read_bytes() for path in sources)
            file.write_bytes(text * math.ceil((24 << 20) / len(text)))
        return file

    # Predicting ----------------------------------------------------------------------------------

    def answer(self, one: Compared) -> None:
        """Predicts both sides of a program, and keeps the ratios."""
        found: dict[str, Any] = {"program": one.name, "hand": one.hand}
        try:
            if reason := self.refused(one, FEWEST):
                raise validate.Failed(reason)
            found |= self.over_rates(one)
            found["over_ranks"] = self.over_ranks(one)
        except validate.Failed as failed:
            found["refused"] = failed.reason
        self.answered(one).write_text(json.dumps(found, indent=1) + "\n")

    def refused(self, one: Compared, ranks: int) -> str:
        """Returns why a job has left nothing; empty: it has."""
        return str(json.loads(self.kept(one, ranks).read_text()).get("refused", ""))

    def over_rates(self, one: Compared) -> dict[str, Any]:
        """Returns the ratios on the recorded ranks; the middle ones of the rounds."""
        folder = self.recorded(one, FEWEST)
        goal = self.folder / "program.goal"
        rounds = []
        for turn in range(1, ROUNDS + 1):
            tasks = self.simulated([folder / "tasks", "--runtime", turn * one.runtimes])
            other = [folder / "calls", *of_region(one.hand, turn * one.stays),
                     "--policy", one.looks]  # fmt: skip
            if one.other_words:
                other = [folder / "other", "--runtime", turn * one.runtimes]
            hand = self.simulated([*other, "--write-goal", goal])
            rounds.append((tasks, hand))
        at_home = [[rows[0] for rows in sides] for sides in rounds]
        per_bit_s = communication_of(goal.read_text())
        doubts = [row["why_not_trusted"] for rows in at_home for row in rows
                  if "why_not_trusted" in row]  # fmt: skip
        return {
            **({"doubt": doubts[0]} if doubts else {}),
            "measured": middle(t["recorded_s"] / h["recorded_s"] for t, h in at_home),
            "predicted": middle(t["predicted_s"] / h["predicted_s"] for t, h in at_home),
            "error_of_tasks": middle(t["predicted_s"] / t["recorded_s"] - 1 for t, _ in at_home),
            "error_by_hand": middle(h["predicted_s"] / h["recorded_s"] - 1 for _, h in at_home),
            "over_rates": [
                {"rate": rate, "communication": per_bit_s / validate.bits_per_s(rate),
                 **ratio_of([(tasks[at], hand[at]) for tasks, hand in rounds])}
                for at, rate in enumerate(self.rates, 1)
            ],
        }  # fmt: skip

    def over_ranks(self, one: Compared) -> dict[str, Any]:
        """Returns the ratios on other numbers of ranks, or why there are none."""
        if reason := self.refused(one, MORE):
            return {"refused": reason}
        folders = [self.recorded(one, ranks) for ranks in (FEWEST, MORE)]
        more: list[object] = ["--ranks", ",".join(map(str, self.ranks))]
        if one.grows:
            more.append("--same-work")
        try:
            tasks_words = [*(at / "tasks" for at in folders), "--runtime", one.runtimes, *more]
            tasks = self.simulated(tasks_words)
        except validate.Failed as failed:
            return {"refused": f"tasks: {failed.reason}"}
        if not one.grows and (os.cpu_count() or 1) < MORE:
            return {"refused": f"{MORE} ranks had fewer cores, and a rank's work changes with them"}
        found: dict[str, Any] = {}
        for name, looks in ((one.hand, one.looks), (one.plain, "none")):
            try:
                calls = [at / "calls" for at in folders]
                words = [*calls, *of_region(name, one.stays), "--policy", looks, *more]
                other = self.simulated(words)
            except validate.Failed as failed:
                found.setdefault("refused", f"{name}: {failed.reason}")
                continue
            return {**found, "against": name, "cells": cells_of(tasks, other)}
        return found

    def simulated(self, words: list[object]) -> list[Any]:
        """Returns rows of `plait simulate` for the network of the jobs, and then all rates."""
        answer = self.folder / "answer.json"
        networks = ",".join([str(self.network), *self.rates])
        validate.plait("simulate", *words, "--network", networks,
                       "--bucket", validate.BUCKET_BYTES, "--json", answer)  # fmt: skip
        rows: list[Any] = json.loads(answer.read_text())["rows"]
        return rows


def of_region(name: str, turn: int) -> list[object]:
    """Returns the words by which a simulation takes one run of a program by hand."""
    return ["--region", f"{name}:{turn}"]


def middle(figures: Iterable[float]) -> float:
    """Returns the median."""
    return statistics.median(list(figures))


def ratio_of(pairs: Sequence[tuple[Any, Any]]) -> dict[str, float]:
    """Returns the time of tasks over that by hand: of rounds the median, the least and the most."""
    ratios = [tasks["predicted_s"] / hand["predicted_s"] for tasks, hand in pairs]
    return {"ratio": middle(ratios), "least": min(ratios), "most": max(ratios),
            "tasks_s": middle(tasks["predicted_s"] for tasks, _ in pairs),
            "hand_s": middle(hand["predicted_s"] for _, hand in pairs)}  # fmt: skip


def cells_of(tasks: Sequence[Any], other: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns the ratio for each number of ranks and rate."""
    return [
        {"ranks": one["ranks"], "rate": one["network"],
         "ratio": one["predicted_s"] / another["predicted_s"],
         "trusted": one["trusted"] and another["trusted"]}
        for one, another in zip(tasks, other) if re.fullmatch(r"\d+[mg]bit", one["network"])
    ]  # fmt: skip


def communication_of(goal: str) -> float:
    """Returns the ratio of communication to computation of a program, at a bit per second.

    Communication is what a link needs for the bytes of the rank that sends most.
    """
    ranks = goal.split("\nrank ")[1:]
    bits = max(8 * validate.sum_of("send", text) for text in ranks) / validate.PAYLOAD
    if bits == 0:
        raise validate.Failed("the program by hand has no messages in its recording")
    return bits / (1e-9 * max(validate.sum_of("calc", text) for text in ranks))


if __name__ == "__main__":
    main()

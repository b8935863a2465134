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
import html
import json
import math
import os
import pathlib
import re
import statistics
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Optional

import validate

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAYS = 0.98  # of the time by hand
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

    def command(self, ranks: int, kept: pathlib.Path, rounds: int) -> list[object]:
        """Returns the words of the job behind those of its cluster."""
        words = self.words.replace("{ranks}", str(ranks)).replace("{z}", str(self.planes * ranks))
        job = validate.Unmodified(self.name, f"{self.name} {words} --repeat {rounds}")
        return job.command(kept, "")


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
    Compared("spmv-probe", "--rows 200000 --nnz-per-row 25 --algorithms G --eta 1",
             hand="", plain="", runtimes=0),
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
    asked.show()


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
            hand = self.simulated([folder / "calls", *of_region(one.hand, turn * one.stays),
                                   "--policy", one.looks, "--write-goal", goal])  # fmt: skip
            rounds.append((tasks, hand))
        at_home = [[rows[0] for rows in sides] for sides in rounds]
        per_bit_s = communication_of(goal.read_text())
        return {
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

    # Showing -------------------------------------------------------------------------------------

    def show(self) -> None:
        """Prints the tables, and writes them for a page, with the picture and all figures."""
        files = [self.answered(one) for one in self.programs]
        answers = [json.loads(file.read_text()) for file in files if file.exists()]
        if not answers:
            return
        (self.folder / "result.json").write_text(json.dumps(answers, indent=1) + "\n")
        ratios = [rates_table(answers, self.rates), *ranks_tables(answers, self.rates)]
        tables, lines = [at_home_table(answers), *ratios], reasons(answers)
        wrapped = [textwrap.fill(line, 80, subsequent_indent="  ") for line in lines]
        print("\n\n".join([*map(plain_text, tables), "\n".join(wrapped)]))
        page = [*map(markdown, tables), "\n".join(f"- {line}" for line in lines)]
        (self.folder / "pays.md").write_text("\n\n".join(page) + "\n")
        (self.folder / "pays.svg").write_text(picture(ratios) + "\n")


Table = list[list[str]]  # of cells; the first row is the head


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


def where_it_pays(over_rates: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """Returns ranges of communication : computation in which tasks save more than 2 %.

    Between two rates the ratio of times is taken to be linear in the logarithm.  A range that
    reaches the first or last rate ends there.
    """
    points = sorted((math.log(one["communication"]), one["ratio"] - PAYS) for one in over_rates)
    ranges: list[list[float]] = []
    for (x, y), (next_x, next_y) in zip([(points[0][0], math.inf), *points], points):
        crossing = next_x if math.isinf(y) or y == next_y else x + (next_x - x) * y / (y - next_y)
        if y >= 0 > next_y:
            ranges.append([crossing, next_x])
        elif y < 0 <= next_y:
            ranges[-1][1] = crossing
        elif next_y < 0:
            ranges[-1][1] = next_x
    return [(math.exp(low), math.exp(high)) for low, high in ranges]


def stops_at(cells: Sequence[dict[str, Any]], rate: str) -> Optional[int]:
    """Returns the first number of ranks at which tasks save 2 % at most; none: they always do."""
    of_rate = sorted((one["ranks"], one["ratio"]) for one in cells if one["rate"] == rate)
    return next((ranks for ranks, ratio in of_rate if ratio >= PAYS), None)


def at_home_table(answers: Sequence[dict[str, Any]]) -> Table:
    """Returns where tasks pay, and how far predictions for the recorded network are off."""
    table = [["program", "by hand", "pays at ratios", "predicted", "measured", "tasks, %",
              "hand, %"]]  # fmt: skip
    for one in answers:
        if "over_rates" not in one:
            continue
        ranges = [f"{number(low)} to {number(high)}"
                  for low, high in where_it_pays(one["over_rates"])]  # fmt: skip
        table.append([one["program"], one["hand"], ", ".join(ranges) or "nowhere",
                      f"{one['predicted']:.3f}", f"{one['measured']:.3f}",
                      f"{100 * one['error_of_tasks']:+.1f}",
                      f"{100 * one['error_by_hand']:+.1f}"])  # fmt: skip
    return table


def rates_table(answers: Sequence[dict[str, Any]], rates: Sequence[str]) -> Table:
    """Returns the ratio of times at each rate, on the recorded ranks."""
    table = [["tasks / by hand", *rates]]
    for one in answers:
        found = {cell["rate"]: cell for cell in one.get("over_rates", [])}
        if found:
            cells = [f"{found[rate]['ratio']:.3f}" if rate in found else "" for rate in rates]
            table.append([one["program"], *cells])
    return table


def ranks_tables(answers: Sequence[dict[str, Any]], rates: Sequence[str]) -> list[Table]:
    """Returns for each program that has laws the ratio of times at each rate and on all ranks."""
    tables = []
    for one in answers:
        cells = one.get("over_ranks", {}).get("cells", [])
        if not cells:
            continue
        found = {(cell["ranks"], cell["rate"]): cell for cell in cells}
        table = [[f"{one['program']} / {one['over_ranks']['against']}", *rates]]
        for ranks in sorted({cell["ranks"] for cell in cells}):
            row = [found.get((ranks, rate)) for rate in rates]
            ratios = [f"{cell['ratio']:.3f}" if cell else "" for cell in row]
            are_trusted = all(cell["trusted"] for cell in row if cell)
            table.append([f"{ranks} ranks{'' if are_trusted else ' ?'}", *ratios])
        table.append(["stops at", *(str(stops_at(cells, rate) or "-") for rate in rates)])
        tables.append(table)
    return tables


def reasons(answers: Sequence[dict[str, Any]]) -> list[str]:
    """Returns a line for each program that has no answer, or none for other numbers of ranks."""
    lines = []
    for one in answers:
        if "refused" in one:
            lines.append(f"{one['program']}: {one['refused']}")
        elif "refused" in one["over_ranks"]:
            lines.append(f"{one['program']} on other ranks: {one['over_ranks']['refused']}")
    return lines


def number(figure: float) -> str:
    """Returns two digits of it."""
    return f"{figure:.2g}" if figure < 100 else f"{figure:.0f}"


def plain_text(table: Table) -> str:
    """Returns a table for a terminal."""
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    lines = []
    for row in table:
        cells = [cell.ljust(width) if at == 0 else cell.rjust(width)
                 for at, (cell, width) in enumerate(zip(row, widths))]  # fmt: skip
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(table: Table) -> str:
    """Returns a table for a page of documentation."""
    head, *rows = table
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def picture(tables: Sequence[Table]) -> str:
    """Returns an SVG of tables, a cell a square: green where tasks pay, red where they lose."""
    wide, high, left = 76, 24, 190
    parts, y = [], 0
    for table in tables:
        for row in table:
            y += high
            for at, cell in enumerate(row):
                x = left + (at - 1) * wide if at else 0
                if colour := colour_of(cell):
                    size = f'width="{wide - 2}" height="{high - 2}"'
                    parts.append(f'<rect x="{x}" y="{y - 17}" {size} fill="{colour}"/>')
                place = f'x="{x + wide // 2}" text-anchor="middle"' if at else 'x="4"'
                parts.append(f'<text {place} y="{y}">{html.escape(cell)}</text>')
        y += high
    width = left + wide * (max(len(table[0]) for table in tables) - 1)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" '
            'font-family="sans-serif" font-size="13">\n'
            f'<rect width="{width}" height="{y}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>")  # fmt: skip


def colour_of(cell: str) -> str:
    """Returns the colour of a ratio, deepest from 25 % on; of other text none."""
    if not re.fullmatch(r"\d+\.\d{3}", cell):
        return ""
    ratio = float(cell)
    light = 96 - round(46 * min(1.0, abs(math.log(max(ratio, 1e-3))) / 0.22))
    if PAYS <= ratio <= 1 / PAYS:
        return "hsl(0,0%,94%)"
    return f"hsl({130 if ratio < PAYS else 5},60%,{light}%)"


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Runs ft-probe on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, launch, main, read_result


def check_bar(name: str, bar: dict) -> None:
    total = bar["total_s"]["median"]
    parts = bar["parts_s"].values()
    # Of parts the mean over ranks, of the whole the longest; medians of one run.
    check(min(parts) >= 0 and sum(parts) <= total * 1.001, f"{name}: {bar['parts_s']} of {total}")
    if bar["verified"] is None:
        check(
            bar["name"] in ("M", "E", "(6, 7)") and abs(sum(parts) - total) <= 1e-9 * total,
            f"{name}: {bar}",
        )
    else:
        check(bar["verified"] is True, f"{name} is not verified")


def check_measured(name: str, bar: dict, ranks: int) -> None:
    check(bar["max_error"] <= bar["error_bound"], f"{name}: {bar['max_error']}")
    check((bar["scale"] == 0) == (bar["transformed"] == 0), f"{name}: {bar['transformed']}")
    check(("bound_s" in bar) == (bar["way"] != "none"), f"{name}: a bound")
    if "network" in bar:
        check((bar["network"]["gap_per_byte_s"] > 0) == (ranks > 1), f"{name}: {bar['network']}")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "result.json"
        done = launch(options, ["--repeat", "1", "--json", str(result_file), *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
    seen = set()
    circumstances = set()
    for figure in result["figures"]:
        for group in figure["groups"]:
            for bar in group["bars"]:
                name = f"{figure['title']}, {group['name']}, {bar['name']}"
                check_bar(name, bar)
                if "way" in bar:
                    check_measured(name, bar, options.ranks)
                    seen.add((bar["way"], bar["algorithm"], bar["circumstance"]))
                    circumstances.add(bar["circumstance"])
    parameters = result["parameters"]
    asked, found = parameters["windows"], result["environment"].get("windows")
    if {"put", "put_signal"} & set(parameters["ways"]):
        check(found in (asked, *(("messages", "rma") if asked == "auto" else ())), f"on {found}")
        check(f"windows run on {found} (" in " ".join(result["sentences"]), "windows are named")
    else:
        check(found is None, "no windows")
    wanted = {
        (way, algorithm, circumstance)
        for way in parameters["ways"]
        for algorithm in parameters["algorithms"]
        for circumstance in circumstances
    }
    check(seen == wanted, f"bars are {seen}, not {wanted}")
    modelled = any("M, the model with" in said for said in result["sentences"])
    check(modelled == (options.ranks > 1), "a sentence of the model")


if __name__ == "__main__":
    main(check_result)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs spmv-probe on some ranks and checks its result file, or that it refuses bad input properly.

The program compares every product with a serial one, bit for bit.  Here: that what it says of its
bars fits together, and that the whole numbers it computes with are those of one rank.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, launch, main, read_result

PARTS = ["prefetch_init_s", "pipeline_init_s", "comm_sync_s", "barrier_s", "local_computation_s",
         "remote_dependent_computation_s"]


def bars_of(figure: dict) -> list[tuple[str, dict]]:
    return [(group["name"], bar) for group in figure["groups"] for bar in group["bars"]]


def check_measured(figure: dict, ranks: int, preset: str) -> None:
    alone = preset == "slowdown"  # computation alone
    check(figure["parts"] == (PARTS[4:] if alone else PARTS), f"parts are {figure['parts']}")
    for group, bar in bars_of(figure):
        name = f"{group} {bar['name']}"
        check(bar["verified"] is True, f"{name} is not verified")
        parts = bar["parts_s"]
        # Medians of one run: the parts of the mean rank are at most the time of the slowest.
        check(sum(parts.values()) <= 1.001 * bar["total_s"]["median"], f"{name}: {bar}")
        silent = not bar["communicates"] or ranks == 1
        initiated = sum(parts.get(part, 0) for part in PARTS[:3])
        check(silent or alone or initiated > 0, f"{name} communicates in no time")
        computed = parts["local_computation_s"]
        check((computed == 0) if preset == "eta-alone" else (computed > 0), f"{name}: {parts}")


def check_model(figure: dict, networks: dict) -> None:
    check(figure["parts"] == ["computation_s", "exposed_communication_s"], "parts of the model")
    for group in figure["groups"]:
        bars = {bar["name"]: bar for bar in group["bars"]}
        check(list(bars) == ["M", "E", "A"], f"bars are {list(bars)}")
        check(bars["A"]["verified"] is True, "A is not verified")
        actual = bars["A"]["total_s"]["median"]
        for name in ("M", "E"):
            modelled = bars[name]["total_s"]["median"]
            check(abs(bars[name]["error"] - (modelled / actual - 1)) < 1e-9, f"error of {name}")
            check(bars[name]["verified"] is None, f"{name} is verified")
        check(all(value >= 0 for value in networks[group["name"]].values()), f"network: {networks}")


def expected_bars(result: dict, ranks: int) -> int:
    etas = {"eta": ranks, "eta-alone": ranks}.get(result["parameters"]["preset"], 1)
    return len(result["parameters"]["nnz_per_row"]) * etas


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        done = launch(options, ["--repeat", "1", "--json", str(file), *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(file)
    check(result["app"] == "spmv-probe" and result["kind"] == "probe", "what was measured")
    preset, ranks = result["parameters"]["preset"], options.ranks
    asked, found = result["parameters"]["windows"], result["environment"]["windows"]
    check(found in (asked, *(("messages", "rma") if asked == "auto" else ())), f"on {found}")
    check(f"windows run on {found} (" in " ".join(result["sentences"]), "the windows are named")
    figures = list(result["figures"])
    if preset != "model":
        measured = figures.pop(0)
        check_measured(measured, ranks, preset)
        if "--eta" not in arguments:
            gathers = [bar for _, bar in bars_of(measured) if bar["name"] == "G"]
            check(len(gathers) == expected_bars(result, ranks), f"{len(gathers)} bars of Gather")
    said = [one for one in result["sentences"] if "of its time without communication" in one]
    check(len(said) == (6 if preset == "slowdown" else 0), f"slowdown: {said}")
    if result["networks"]:
        check_model(figures.pop(0), result["networks"])
    check(not figures, "nothing else is drawn")
    if result["parameters"]["matrix"] == "uniform":
        sizes = [k * result["parameters"]["rows"] for k in result["parameters"]["nnz_per_row"]]
        check(result["nonzeros"] == sizes, f"nonzeros: {result['nonzeros']}")


if __name__ == "__main__":
    main(check_result)

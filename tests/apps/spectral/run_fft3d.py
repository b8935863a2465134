# SPDX-License-Identifier: BSD-3-Clause
"""Runs fft3d on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_ledger, check_timeline, launch, main, read_result

TILED = ["library", "tested", "threaded", "plait"]


def expected_variants(tiles: list[int]) -> list[str]:
    tiled = [f"{name}@{t}" for name in TILED for t in tiles] if len(tiles) > 1 else TILED
    return ["blocking", *tiled, "ideal"]


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "result.json"
        outputs = ["--json", str(result_file), "--trace", str(Path(folder) / "trace.json")]
        done = launch(options, ["--repeat", "1", *outputs, *arguments])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
    tiles = result["parameters"]["tiles"]
    asked = arguments[arguments.index("--tile") + 1]
    if asked == "auto":
        tried = result["tiles_tried"]
        best = min(tried, key=lambda one: one["seconds"])
        check(len(tried) > 1 and tiles == [best["tile"]], f"of {tried} auto takes {tiles}")
    else:
        check(tiles == [int(t) for t in asked.split(",")], f"tiles {tiles}")
    check(list(result["variants"]) == expected_variants(tiles), f"{list(result['variants'])}")
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        check_ledger(name, variant, range(options.ranks))
        overhead = variant["total_s"]["median"] - result["computation_s"]["median"]
        check(abs(variant["communication_overhead_s"] - overhead) < 1e-12, f"{name}: overhead")
        has_tile = name not in ("blocking", "ideal")
        check((variant["tile"] in tiles) == has_tile, f"{name}: tile {variant['tile']}")
        if name.startswith("plait"):  # what a collective sends is not known
            check_timeline(name, result["timeline"][name], range(options.ranks))


if __name__ == "__main__":
    main(check_result)

#!/usr/bin/python3 -I
# SPDX-License-Identifier: BSD-3-Clause
"""Stands for the program of a benchmark, whose name comes first: obeys the contract only."""

import argparse
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launched import rank, ranks
from sample import bench_result, nbc_result, overlap_result, progress_result, spread


def main() -> None:
    name = sys.argv[1]
    parser = argparse.ArgumentParser(allow_abbrev=False, prog=name)
    parser.add_argument("--json")
    parser.add_argument("--beside")
    parser.add_argument("--only")
    parser.add_argument("--hang-at-end", action="store_true")
    options, rest = parser.parse_known_args(sys.argv[2:])
    if options.only == "nobody":
        if rank() == 0:
            print(f"{name}: --only knows no 'nobody'", file=sys.stderr)
        sys.exit(2)
    if rank() != 0:
        return
    if name == "nbc":
        answer = nbc_result()
    elif name == "overlap":
        answer = overlap_result({"8B": 80, "64KiB": 3, "1MiB": 0}, 40, 90)
    elif name == "progress":
        answer = progress_result()
        del answer["environment"]["lab"]
    else:
        answer = bench_result()
    answer["bench"] = name
    answer["parameters"]["rest"] = rest
    answer["environment"]["ranks"] = ranks()
    if name == "metg":
        answer["rows"] = {"plait": {f"tree {ranks()}": {"metg_us": spread(1.0)}}}
    if options.beside:
        first = json.loads(pathlib.Path(options.beside).read_text())
        setting = os.environ["MPIR_CVAR_ASYNC_PROGRESS"]
        answer["rows"] = {f"thread {setting} {first['bench']}": {"x": {"total_us": spread(2.0)}}}
    pathlib.Path(options.json).write_text(json.dumps(answer))
    if options.hang_at_end and options.beside:
        time.sleep(1000)


main()

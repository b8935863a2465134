#!/usr/bin/python3 -I
# SPDX-License-Identifier: BSD-3-Clause
"""Stands for the program of `plait measure loggp`: obeys the contract, measures nothing."""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launched import rank, ranks
from sample import loggp_result


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False, prog="loggp")
    parser.add_argument("--json")
    parser.add_argument("--sizes")
    parser.add_argument("--link-rate", type=float, default=0)
    parser.add_argument("--link-burst", type=int, default=0)
    options, rest = parser.parse_known_args()
    problem = None
    if ranks() != 2:
        problem = f"this is measured between 2 ranks; it was started with {ranks()}"
    elif options.sizes == "x":
        problem = "--sizes: 'x' is no size"
    if problem:
        if rank() == 0:
            print(f"loggp: {problem}", file=sys.stderr)
        sys.exit(2)
    if rank() != 0:
        return
    answer = loggp_result(options.link_rate, options.link_burst)
    answer["parameters"]["rest"] = rest
    pathlib.Path(options.json).write_text(json.dumps(answer))


main()

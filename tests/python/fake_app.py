#!/usr/bin/python3 -I
# SPDX-License-Identifier: BSD-3-Clause
"""Stands for a measured program: obeys the contract, without MPI and without measuring anything."""

import argparse
import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launched import rank, ranks
from sample import result


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--variants", default="base,olap,plait,ideal")
    parser.add_argument("--json")
    parser.add_argument("--link-rate", type=float, default=0)
    parser.add_argument("--size", default="512x512x64")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--sleep", type=float, default=0)
    parser.add_argument("--die", type=int, default=-1)
    parser.add_argument("--by-link", action="store_true", help="base waits for the link")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--pid-folder")
    options, rest = parser.parse_known_args()
    if options.pid_folder:
        pathlib.Path(options.pid_folder, str(os.getpid())).touch()
    for name in options.variants.split(","):
        if name not in ("base", "olap", "plait", "ideal"):
            if rank() == 0:
                print(f"fake: --variants knows no '{name}'", file=sys.stderr)
            sys.exit(2)
    if rank() == 0:
        print('@progress {"done":1,"total":2,"label":"base 1/2"}', file=sys.stderr, flush=True)
    if options.die == rank():
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(options.sleep)
    if rank() != 0:
        return
    answer = result()
    del answer["environment"]["lab"]
    answer["environment"]["link_rate_Bps"] = options.link_rate or None
    answer["environment"]["hosts"] = [os.uname().nodename]
    answer["environment"]["cores"] = sorted(os.sched_getaffinity(0))
    answer["environment"]["ranks"] = ranks()
    answer["parameters"] |= {"rest": rest, "size": [int(n) for n in options.size.split("x")]}
    answer["variants"] = {name: answer["variants"][name] for name in options.variants.split(",")}
    answer["timeline"] = {name: answer["timeline"][name] for name in answer["variants"]}
    for one in answer["variants"].values():
        one |= {"processes": ranks(), "workers": options.workers}
    if options.by_link:
        slower = answer["environment"]["link_rate_Bps"] or 1.0
        total = answer["variants"]["base"]["total_s"]
        total["samples"] = [each * 119550859.0 / slower for each in total["samples"]]
    if options.wrong:
        answer["variants"]["base"]["verified"] = False
    pathlib.Path(options.json).write_text(json.dumps(answer))
    sys.exit(1 if options.wrong else 0)


main()

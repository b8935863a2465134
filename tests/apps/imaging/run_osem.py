# SPDX-License-Identifier: BSD-3-Clause
"""Runs osem on some ranks and checks its result file, or that it refuses bad input properly."""

import argparse
import json
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import functools
import itertools
import operator

from app_runs import check, check_ledger, launch, main, read_result

VARIANTS = ["base", "iallreduce", "olap", "plait", "ideal"]


def run(options: argparse.Namespace, arguments: list[str], folder: Path) -> dict:
    result_file = folder / "result.json"
    words = ["--repeat", "1", "--json", str(result_file), "--image-file", str(folder / "x.npy")]
    done = launch(options, [*words, *arguments])
    check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return read_result(result_file)


def check_curve(result: dict) -> None:
    """One subset never loses likelihood; an image is nearer to the truth than a grey one."""
    found = result["reconstruction"]["iterations"]
    count = result["parameters"]["iterations"]
    check([one["iteration"] for one in found] == list(range(count + 1)), "iterations of the curve")
    if result["parameters"]["subsets"] == 1:
        curve = [one["log_likelihood"] for one in found]
        pairs = itertools.pairwise(curve)
        check(all(b >= a - 1e-12 * abs(a) for a, b in pairs), f"likelihood {curve}")
    if found[0]["error"] is not None:
        check(found[-1]["error"] < found[0]["error"], f"error {found[-1]['error']}")
    pixels = result["reconstruction"]["width"] * result["reconstruction"]["height"]
    check(len(found[-1]["picture"]) == (pixels + 2) // 3 * 4, "the picture of the last iteration")


def check_one_rank_alike(options: argparse.Namespace, arguments: list[str], result: dict) -> None:
    """Bits do not depend on ranks, nor on slabs."""
    words = list(arguments)
    if "--slabs" in words:
        at = words.index("--slabs")
        del words[at : at + 2]
    alone = argparse.Namespace(**{**vars(options), "ranks": 1})
    with tempfile.TemporaryDirectory() as folder:
        other = run(alone, [*words, "--variants", "base", "--slabs", "1"], Path(folder))
    prints = [one["reconstruction"]["fingerprint"] for one in (result, other)]
    check(prints[0] == prints[1], f"the image on {options.ranks} ranks and on one: {prints}")


def scan_of_files(folder: Path, kind: str) -> list[str]:
    """A scan of 2 x 2 pixels along rows and columns, as files."""
    rows, counts = [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]], [3, 7, 4, 6]
    matrix, sinogram = folder / f"a.{kind}", folder / f"y.{kind}"
    if kind == "mtx":
        entries = [f"{i + 1} {j + 1} 1" for i in range(4) for j in range(4) if rows[i][j]]
        head = "%%MatrixMarket matrix coordinate integer general\n4 4 8\n"
        matrix.write_text(head + "\n".join(entries) + "\n")
        sinogram.write_text("%%MatrixMarket matrix array real general\n4 1\n3\n7\n4\n6\n")
    elif kind == "npy":
        for path, shape, values in ((matrix, "(4, 4)", functools.reduce(operator.iadd, rows, [])), (sinogram, "(4,)", counts)):
            head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117)
            path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.encode() + b"\n"
                             + struct.pack(f"<{len(values)}d", *values))  # fmt: skip
    else:
        matrix.write_text("\n".join(" ".join(map(str, row)) for row in rows))
        sinogram.write_text("\n".join(map(str, counts)))
    return ["--matrix", str(matrix), "--sinogram", str(sinogram)]


def check_files(options: argparse.Namespace, arguments: list[str]) -> None:
    """Checks that one scan, read from files of each kind, gives one image."""
    prints = set()
    for kind in ("mtx", "npy", "txt"):
        with tempfile.TemporaryDirectory() as folder:
            words = [*scan_of_files(Path(folder), kind), *arguments]
            result = run(options, words, Path(folder))
            check(all(v["verified"] for v in result["variants"].values()), f"{kind}: not verified")
            prints.add(result["reconstruction"]["fingerprint"])
            image = (Path(folder) / "x.npy").read_bytes()[-32:]
        x = struct.unpack("<4d", image)
        for got, expected in ((x[0] + x[1], 3), (x[2] + x[3], 7), (x[0] + x[2], 4)):
            check(abs(got - expected) < 1e-2, f"{kind}: {x}")
    check(len(prints) == 1, f"images of different kinds of file: {prints}")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    if "--from-files" in arguments:
        check_files(options, [word for word in arguments if word != "--from-files"])
        return
    with tempfile.TemporaryDirectory() as folder:
        trace_file = Path(folder) / "trace.json"
        result = run(options, ["--trace", str(trace_file), *arguments], Path(folder))
        trace = json.loads(trace_file.read_text())
    check(len(trace["traceEvents"] if isinstance(trace, dict) else trace) > 0, "an empty trace")
    check(result["kind"] == "reconstruction" and result["app"] == "osem", "kind and application")
    check(list(result["variants"]) == VARIANTS, f"variants are {list(result['variants'])}")
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        check_ledger(name, variant, range(options.ranks))
        check(bool(result["timeline"][name]), f"{name}: no timeline")
        check(name != "ideal" or variant["exposed_s"] == 0, "ideal waits")
    check_curve(result)
    check_one_rank_alike(options, arguments, result)


if __name__ == "__main__":
    main(check_result)

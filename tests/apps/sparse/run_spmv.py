# SPDX-License-Identifier: BSD-3-Clause
"""Runs spmv on some ranks and checks its result file, or that it refuses bad input properly.

An argument `@NAME` becomes a file with the matrix of that name below; whole numbers are then compared
with a serial program of this file's own.
"""

import argparse
import gzip
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_ledger, check_timeline, launch, main, read_result

VARIANTS = ["base", "olap", "plait", "ideal"]
Entries = dict[tuple[int, int], int]


def corner(name: str) -> tuple[int, int, Entries, str]:
    """Returns rows, columns, all entries, and the file's symmetry."""
    if name == "dense_row_and_column":  # and empty rows and columns
        entries = {(4, k): k % 7 - 3 for k in range(0, 31, 2)} | {(k, 3): k % 5 + 1 for k in range(31)}
        return 31, 31, {at: v for at, v in entries.items() if at[0] % 6 != 5}, "general"
    if name == "wide":
        return 9, 40, {(k % 9, k): k % 11 - 5 for k in range(40)}, "general"
    if name == "tall":
        return 40, 9, {(k, k * k % 9): k % 11 - 5 for k in range(40)}, "general"
    if name == "symmetric":
        lower = {(k, k * 5 // 7): k % 9 - 4 for k in range(37)}
        return 37, 37, lower | {(c, r): v for (r, c), v in lower.items()}, "symmetric"
    if name == "skew":
        lower = {(k, k * 5 // 7): k % 9 - 4 for k in range(2, 37) if k * 5 // 7 < k}
        return 37, 37, lower | {(c, r): -v for (r, c), v in lower.items()}, "skew-symmetric"
    if name == "one_row_has_all":  # ranks without nonzeros
        return 20, 20, {(0, k): k + 1 for k in range(20)}, "general"
    if name == "one":
        return 1, 1, {(0, 0): 3}, "general"
    if name == "empty":
        return 6, 6, {}, "general"
    sys.exit(f"no matrix is called {name}")


def write(name: str, folder: str) -> str:
    """Writes the matrix: CR LF, comments, and a duplicate; every other one compressed."""
    rows, columns, entries, symmetry = corner(name)
    listed = [(r, c, v) for (r, c), v in entries.items() if symmetry == "general" or r >= c]
    if symmetry == "general" and listed:  # the first in two parts
        row, column, value = listed[0]
        listed[:1] = [(row, column, value + 100), (row, column, -100)]
    lines = [f"%%MatrixMarket matrix coordinate integer {symmetry}", "% made by a test", ""]
    lines += [f"{rows} {columns} {len(listed)}"]
    lines += [f"{r + 1}  {c + 1} {v}" for r, c, v in listed]
    text = "\r\n".join(lines) + "\r\n"
    path = Path(folder) / f"{name}.mtx"
    path.write_bytes(gzip.compress(text.encode()) if len(name) % 2 else text.encode())
    return str(path)


def residue(value: int) -> int:
    """Returns the number in -8 … 8 that differs by a multiple of 17."""
    return (value + 8) % 17 - 8


def serial_checksum(name: str, steps: int) -> int:
    rows, columns, entries, _ = corner(name)
    start = [(i * 7919 + 13) % 16 for i in range(columns)]
    x = [k - 8 if k < 8 else k - 7 for k in start]
    for _ in range(steps):
        y = [0] * rows
        for (row, column), value in entries.items():
            y[row] += value * x[column]
        total = sum(residue(one) ** 2 for one in y)
        x = [residue(one + residue(total)) for one in y] if rows == columns else [-one for one in x]
    return sum((i + 1) * one for i, one in enumerate(x))


def check_traffic(result: dict, ranks: int) -> None:
    traffic = result["traffic"]
    sent = traffic["bytes"]
    check(len(sent) == ranks and all(len(row) == ranks for row in sent), "who sends what to whom")
    check(all(sent[r][r] == 0 for r in range(ranks)), "nobody sends to itself")
    dealt = traffic["dealings"][traffic["dealing"]]
    check(dealt["sent_bytes"] == sum(map(sum, sent)), f"bytes sent: {dealt}")
    messages = sum(one > 0 for row in sent for one in row)
    check(dealt["messages"] == messages, f"messages: {dealt}")
    check(sum(traffic["rows"]) == result["matrix"]["rows"], "rows")
    check(sum(traffic["nonzeros"]) == result["matrix"]["nonzeros"], "nonzeros")
    check(min(dealt["imbalance_rows"], dealt["imbalance_nonzeros"]) >= 1, f"imbalance: {dealt}")


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "result.json"
        names = [one[1:] for one in arguments if one.startswith("@")]
        given = [write(one[1:], folder) if one.startswith("@") else one for one in arguments]
        done = launch(options, ["--repeat", "1", "--json", str(result_file), *given])
        check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = read_result(result_file)
    check(result["app"] == "spmv", "the application's name")
    check(list(result["variants"]) == VARIANTS, f"variants are {list(result['variants'])}")
    check(set(result["hidden_fraction"]) == set(VARIANTS[1:]), "hidden fractions")
    check_traffic(result, options.ranks)
    steps = result["parameters"]["steps"]
    sends = sum(map(sum, result["traffic"]["bytes"])) > 0
    for name, variant in result["variants"].items():
        check(variant["verified"] is True, f"{name} is not verified")
        check(variant["max_error"] <= variant["error_bound"], f"{name}: {variant['max_error']}")
        check(variant.get("gflops", 1) > 0, f"{name}: {variant.get('gflops')}")
        check_ledger(name, variant, range(options.ranks))
        if sends and result["matrix"]["rows"] > 1000:
            check_timeline(name, result["timeline"][name], range(options.ranks))
    if result["parameters"]["method"] == "residues" and names:
        expected = serial_checksum(names[0], steps)
        check(result["checksum"] == expected, f"checksum {result['checksum']}, not {expected}")
    if result["parameters"]["method"] == "cg":
        check(result["residual"] < 1e-3, f"residual {result['residual']}")


if __name__ == "__main__":
    main(check_result)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs the measured example as `plait run` does, and checks the result that the command reads.

    run_measured.py MPI MPIEXEC RANKS PROGRAM
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from result_files import read_result

VARIANTS = ("base", "olap", "plait", "ideal")
SPENT = ("compute_s", "posting_s", "exposed_s", "overhead_s", "idle_s")


def check(condition, complaint):
    if not condition:
        sys.exit(f"failed: {complaint}")


def launch(mpi, mpiexec, ranks, program, *arguments):
    mpirun = pathlib.Path(__file__).parents[1] / "support" / "mpirun"
    return subprocess.run(
        [mpirun, mpi, mpiexec, ranks, program, *arguments], capture_output=True, text=True
    )


def check_variant(name, one, ranks):
    check(one["verified"], f"{name} is not verified")
    check(one["max_error"] < 1e-13, f"{name}: an error of {one['max_error']}")
    check({row["rank"] for row in one["ledger"]} == set(range(ranks)), f"{name}: a row per rank")
    for row in one["ledger"]:
        spent = sum(row[part] for part in SPENT)
        check(abs(spent - row["wall_s"]) <= 0.01 * row["wall_s"], f"{name}: {row}")


def check_result(result, trace, ranks):
    check(tuple(result["variants"]) == VARIANTS, f"variants: {list(result['variants'])}")
    for name, one in result["variants"].items():
        check_variant(name, one, ranks)
        messages = [e for e in result["timeline"][name] if e["kind"] == "message"]
        expected = name == "plait" and ranks > 1
        check(bool(messages) >= expected, f"{name}: no messages in the timeline")
    check(result["bound_s"] > 0 and result["attainable_s"] > 0, "there are bounds")
    check(result["limiter"], "it is said what limits the last variant")
    check(result["hidden_fraction"]["plait"] is None, "tasks that reuse the cache hide nothing by that")
    own = result["variants"]["plait"]["own_limits"]
    check(own["ideal"] == "plait_ideal" and own["ratio_to_ideal"] > 0, f"limits of its own: {own}")
    check('"row"' in trace.read_text(), "the trace has the tasks")


def main(mpi, mpiexec, ranks, program):
    sizes = ["--rows=9", "--columns=500", "--steps=7", "--repeat=2"]
    with tempfile.TemporaryDirectory() as folder:
        file, trace = pathlib.Path(folder, "o.json"), pathlib.Path(folder, "t.json")
        done = launch(mpi, mpiexec, ranks, program, f"--json={file}", f"--trace={trace}",
                      "--progress", *sizes)  # fmt: skip
        check(done.returncode == 0, done.stdout + done.stderr)
        check("hidden" in done.stdout, f"there is a table: {done.stdout}")
        check_result(read_result(file), trace, int(ranks))
    refused = launch(mpi, mpiexec, ranks, program, "--rows=3")
    check(refused.returncode == 2, f"--rows=3 ends with {refused.returncode}")
    check(refused.stderr.count("\n") == 1 and "--rows" in refused.stderr, refused.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])

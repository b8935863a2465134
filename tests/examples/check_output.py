# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program and compares its output with what is expected, line by line.

    check_output.py EXPECTED_FILE -- PROGRAM ARGUMENT ...

`<number>` in the expected file stands for any number.
"""

import pathlib
import re
import subprocess
import sys

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def pattern(line):
    return NUMBER.join(map(re.escape, line.split("<number>")))


def main(expected_file, separator, *command):
    assert separator == "--", __doc__
    result = subprocess.run(command, capture_output=True, text=True)
    sys.stderr.write(result.stderr)
    if result.returncode != 0:
        sys.exit(f"the program ended with {result.returncode}")
    expected = pathlib.Path(expected_file).read_text().splitlines()
    printed = result.stdout.splitlines()
    for number, line in enumerate(expected):
        if number >= len(printed) or not re.fullmatch(pattern(line), printed[number]):
            sys.exit(f"line {number + 1}: expected '{line}', got:\n{result.stdout}")
    if len(printed) > len(expected):
        sys.exit(f"more lines than the {len(expected)} expected:\n{result.stdout}")


if __name__ == "__main__":
    main(*sys.argv[1:])

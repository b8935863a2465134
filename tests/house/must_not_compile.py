# SPDX-License-Identifier: BSD-3-Clause
"""Fails if a source compiles, or fails to compile for another reason than the expected one.

    must_not_compile.py EXPECTED_MESSAGE -- COMPILER ARGUMENT ...

The source holds the offending lines between `#ifndef PLAIT_CONTROL` and `#endif`.  Without them it
must compile, so that the message cannot come from a mistake elsewhere in it.
"""

import re
import subprocess
import sys


def compile_with(command, *more):
    return subprocess.run([*command, *more], capture_output=True, text=True)


def main(expected, separator, *command):
    assert separator == "--", __doc__
    control = compile_with(command, "-DPLAIT_CONTROL")
    if control.returncode != 0:
        sys.exit(f"without the offending lines it should compile:\n{control.stderr}")
    result = compile_with(command)
    if result.returncode == 0:
        sys.exit("it compiles, and must not")
    # The words alone: a compiler wraps the message in its own, and may break lines.
    if not re.search(expected, result.stderr):
        sys.exit(f"it fails without the message '{expected}':\n{result.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])

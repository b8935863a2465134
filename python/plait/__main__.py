# SPDX-License-Identifier: BSD-3-Clause
"""`python -m plait`, and what `start.py` starts for `./plait`."""

import os
import sys

# Python's own `-m` looks in the current folder first, where anyone's modules may lie.
if not getattr(sys.flags, "safe_path", False):  # Python 3.11 has it
    try:
        here = os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        here = ""
    if sys.path[0] == here != __file__.rpartition("/plait/")[0]:
        del sys.path[0]

from plait.entry import main

main()

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

if sys.argv[1:2] == ["attach"]:
    # It stands between mpiexec and every rank, and so takes no detour.
    from plait.attach.command import main as attach

    attach(sys.argv[2:])

import signal

# Until the command can say so in a line, an interrupt ends it without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from plait.cli import main  # noqa: E402

main()

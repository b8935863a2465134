# SPDX-License-Identifier: BSD-3-Clause
"""`python3 -I -S attach/__main__.py WORDS…`: how `./plait attach` starts, without any detour.

The folder of the package goes to sys.path here, and so never into the program's environment.
"""

import _signal as signal  # which is there at once

# Until the command can say so in a line, an interrupt ends it without a traceback.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from plait.attach.command import main

main(sys.argv[1:])

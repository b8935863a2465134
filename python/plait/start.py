# SPDX-License-Identifier: BSD-3-Clause
"""`python3 -I -B start.py MODULE WORDS…`: starts a module of this package, and imports only ours.

With `-m` Python would take modules from the current folder, which may be anyone's, and an empty
part of PYTHONPATH means that folder, too.
"""

import _signal as signal  # which is there at once

# Until a module can say so in a line, an interrupt ends it without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import runpy  # noqa: E402
import sys  # noqa: E402

for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter still gets its lines
    if stream is not None:
        stream.reconfigure(errors="backslashreplace")
sys.path.insert(0, __file__.rpartition("/plait/")[0])
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)

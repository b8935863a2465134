# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that imports plait, with an extension: start.py EXTENSION PROGRAM."""

import faulthandler
import os
import pathlib
import runpy
import sys

faulthandler.dump_traceback_later(220, exit=True)
core, program = sys.argv[1:3]
os.environ["PLAIT_PYTHON_CORE"] = str(pathlib.Path(core).parent)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
sys.argv[1:] = sys.argv[3:]
runpy.run_path(program, run_name="__main__")
faulthandler.cancel_dump_traceback_later()

# SPDX-License-Identifier: BSD-3-Clause
"""Makes a result of what the ranks of a job left that was killed before it could write one."""

import os
import pathlib
import subprocess
from collections.abc import Mapping

_PROGRAM = "plait_attach_salvage"
_LONGEST_S = 60.0


def salvage(library: str, json: pathlib.Path, told: Mapping[str, str]) -> tuple[bool, str]:
    """Runs the program beside the library; returns whether it wrote `json`, and what it said."""
    program = pathlib.Path(library).with_name(_PROGRAM)
    if not program.exists():
        return False, f"{program}: there is no such program"
    own = {name: value for name, value in told.items() if name != "LD_PRELOAD"}
    try:
        done = subprocess.run(
            [program, str(json.absolute())], env={**os.environ, **own}, capture_output=True,
            check=False, encoding="utf-8", errors="replace", timeout=_LONGEST_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False, f"{program.name} had not ended after {_LONGEST_S:.0f} s"
    return done.returncode == 0, done.stderr

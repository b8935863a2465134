# SPDX-License-Identifier: BSD-3-Clause
"""A run's own temporary folder; those of runs that were killed are removed by the next one."""

import contextlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator

from plait.lab.state import alive, identity


@contextlib.contextmanager
def scratch_folder() -> Iterator[pathlib.Path]:
    """An empty folder for as long as the run lasts."""
    _remove_stale()
    pid, start = identity(os.getpid()) or (os.getpid(), 0)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"plait-run-{pid}-{start}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_stale() -> None:
    for folder in pathlib.Path(tempfile.gettempdir()).glob("plait-run-*-*-*"):
        with contextlib.suppress(OSError, ValueError):
            process = [int(part) for part in folder.name.split("-")[2:4]]
            if folder.lstat().st_uid == os.geteuid() and not alive(process):
                shutil.rmtree(folder, ignore_errors=True)

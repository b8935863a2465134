# SPDX-License-Identifier: BSD-3-Clause
"""A run's own temporary folders; those of runs that were killed are removed.

What MPI libraries keep in files lies in such folders, too: their own names tell nobody whether the
job that made them still runs.
"""

import contextlib
import os
import pathlib
import shutil
import tempfile
import time
from collections.abc import Iterator

from plait.interrupts import uninterrupted
from plait.lab.state import alive, identity
from plait.launch.guard import guarded
from plait.launch.mpi import uses_srun
from plait.launch.processes import files_in_use

_SHARED_MEMORY = pathlib.Path("/dev/shm")
_CLOCK_STEP_S = 0.1  # of a file's time, and more
# These tell the libraries where to put their files.
_SESSION_VARIABLES = ("OMPI_MCA_orte_tmpdir_base",)
# MPICH's lies beside them for a moment, until all ranks have opened it.
_MPICH_SEGMENTS = "mpich_shar_tmp*"
_MEMORY_VARIABLES = ("OMPI_MCA_btl_vader_backing_directory", "UCX_POSIX_DIR")


@contextlib.contextmanager
def scratch_folder() -> Iterator[pathlib.Path]:
    """An empty folder for as long as the run lasts.

    Under Slurm it lies in the current folder, for nodes have no common temporary folder.
    """
    place = pathlib.Path.cwd() if uses_srun() else pathlib.Path(tempfile.gettempdir())
    remove_stale_folders(place)
    with guarded(), _folder_in(place) as folder:
        yield folder


@contextlib.contextmanager
def library_folders() -> Iterator[dict[str, str]]:
    """Folders for the files of one job's MPI library, as environment variables that name them."""
    begin = time.time()
    with contextlib.ExitStack() as stack:
        stack.callback(remove_orphans, begin)
        settings = {}
        for place, variables in (
            (pathlib.Path(tempfile.gettempdir()), _SESSION_VARIABLES),
            (_SHARED_MEMORY, _MEMORY_VARIABLES),
        ):
            wanted = [name for name in variables if name not in os.environ]
            if wanted and os.access(place, os.W_OK | os.X_OK):
                folder = stack.enter_context(_folder_in(place))
                settings |= dict.fromkeys(wanted, str(folder))
        yield settings


@contextlib.contextmanager
def _folder_in(place: pathlib.Path) -> Iterator[pathlib.Path]:
    pid, start = identity(os.getpid()) or (os.getpid(), 0)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"plait-run-{pid}-{start}-", dir=place))
    try:
        yield folder
    finally:
        with uninterrupted():
            shutil.rmtree(folder, ignore_errors=True)


def remove_orphans(since: float) -> None:
    """Remove MPICH's segments of this user, made since then, that no process holds."""
    found = []
    for file in _SHARED_MEMORY.glob(_MPICH_SEGMENTS):
        with contextlib.suppress(OSError):
            status = file.lstat()
            if status.st_uid == os.geteuid() and status.st_ctime > since - _CLOCK_STEP_S:
                found.append(file)
    held = files_in_use() if found else set()
    for file in found:
        if str(file) not in held:
            file.unlink(missing_ok=True)


def remove_stale_folders(*places: pathlib.Path) -> None:
    """Remove what runs of this user left that were killed, in these places, too."""
    for place in {pathlib.Path(tempfile.gettempdir()), _SHARED_MEMORY, *places}:
        for folder in place.glob("plait-run-*-*-*"):
            with contextlib.suppress(OSError, ValueError):
                process = [int(part) for part in folder.name.split("-")[2:4]]
                if folder.lstat().st_uid == os.geteuid() and not alive(process):
                    shutil.rmtree(folder, ignore_errors=True)

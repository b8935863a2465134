# SPDX-License-Identifier: BSD-3-Clause
"""Handles of a task: its end, and holds of it. The classes are those of the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait.binding.choice import core

if TYPE_CHECKING:

    class Task:
        """A task that was submitted."""

        def done(self) -> bool:
            """Returns True once it is over, or was dropped after another's failure."""

        def wait(self) -> None:
            """Waits until it is over; raises what a task has raised."""

    class Hold:
        """A hold of a task that something else finishes: released or failed once, by any thread.

        Only `finish_with` may wait, for the right to call MPI. A dropped hold fails its task.
        """

        def release(self) -> None:
            """Lets the task go."""

        def fail(self, why: BaseException | str) -> None:
            """Lets the task go as failed; the next wait raises the exception."""

        def another(self) -> Hold:
            """Returns one more hold of the task, which is finished when all are released."""

        def finish_with(self, request: Any) -> None:
            """Releases it when a request of mpi4py has completed; it is plait's from now on."""

else:
    Task = core().Task
    Hold = core().Hold

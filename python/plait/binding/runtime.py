# SPDX-License-Identifier: BSD-3-Clause
"""The runtime of one rank, over the extension's."""

from __future__ import annotations

import atexit
import contextlib
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from plait.binding.choice import core
from plait.binding.handles import Task
from plait.binding.movers import Mover, block_of, boundary_of
from plait.binding.windows import Window

high = 1
normal = 2
low = 3
_POLICIES = ("automatic", "dedicated", "sleeping", "workers", "none")
_MEAN = -1
_open: set[Runtime] = set()  # they live until they are ended: tasks and messages use what they hold


class Recorded:
    """Tasks and messages that were recorded, for `Runtime.replay`."""

    __slots__ = ("_graph",)

    def __init__(self) -> None:
        self._graph: Any = None


class Runtime:
    """Runs the program of one rank: submits tasks and messages in program order, and waits.

    `comm` is a communicator of mpi4py, left out: MPI.COMM_WORLD. All its ranks make a runtime, and
    end it. The thread that made it calls it. As a context it waits at the end; where an exception
    leaves the block, that is printed and the job ends, for other ranks may wait for messages.

        with plait.Runtime() as rt:
            rt.task(scale, plait.inout(x), 2.0)
            rt.send(x, peer)
    """

    def __init__(
        self,
        comm: Any = None,  # of mpi4py
        *,
        workers: int = 0,
        policy: str = "automatic",
        in_flight: int = 0,
        worst_delay_s: float = 0.0,
        stall_report_s: float = 0.0,
        checked: bool = False,
    ) -> None:
        if comm is None:
            from mpi4py import MPI

            comm = MPI.COMM_WORLD
        if policy not in _POLICIES:
            raise ValueError(f"policy '{policy}' is none of {', '.join(_POLICIES)}")
        self._core = core().Runtime(
            comm.py2f(), workers, _POLICIES.index(policy), in_flight, worst_delay_s,
            stall_report_s, checked,
        )  # fmt: skip
        self._submit = self._core._task
        _open.add(self)

    def __enter__(self) -> Runtime:
        """Returns the runtime."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """Waits and ends the runtime; where an exception leaves, ends the job."""
        if value is None:
            try:
                self.finalize()
            except BaseException as failure:
                self._print_and_abort(failure)
        else:
            self._print_and_abort(value)

    def _print_and_abort(self, failure: BaseException) -> None:
        sys.stdout.flush()
        traceback.print_exception(type(failure), failure, failure.__traceback__)
        sys.stderr.flush()
        self.abort(f"{type(failure).__name__}: {failure}")

    def finalize(self) -> None:
        """Waits for all tasks and ends the runtime. Collective. Raises what `wait` raises."""
        if not self._core._is_open():
            return
        self._core.wait()
        try:
            self._core._finalize()
        finally:
            if not self._core._is_open():
                _open.discard(self)

    def abort(self, text: str) -> None:
        """Prints the text with this rank's name, and ends all ranks."""
        self._core._abort(text)

    @property
    def rank(self) -> int:
        """Rank among those of the runtime."""
        return int(self._core.rank)

    @property
    def size(self) -> int:
        """Number of ranks."""
        return int(self._core.size)

    @property
    def workers(self) -> int:
        """Number of threads that run tasks, the calling one included."""
        return int(self._core.workers)

    @property
    def policy(self) -> str:
        """Name of the policy of progress that was chosen."""
        return str(self._core.policy)

    def task(
        self,
        function: Any,  # a function or a kernel
        *arguments: Any,
        name: str | None = None,
        priority: int = 0,
        also: Sequence[Any] | None = None,
        anyone: bool = False,
        held: bool = False,
    ) -> Task | None:
        """Submits `function(*arguments)`.

        An argument by `in_`, `out`, `inout` or `commutative` is an array that the task touches, and
        arrives as the array. Others arrive as they are. `also`: accesses that the function is not
        called with. `held`: the function gets a `Hold` as its last argument, and the task is over
        when that is released. Returns None in a recording, where a task runs many times.
        """
        one: Task | None = self._submit(function, arguments, name, priority, also, anyone,
                                        held)  # fmt: skip
        return one

    def send(
        self, array: Any, peer: int, tag: int = 0, among: Any = None, name: str = "send"
    ) -> None:
        """Sends an array, or a strided view, as soon as earlier tasks have written it."""
        self._core.send(array, peer, tag, among, name=name)

    def recv(
        self, array: Any, peer: int, tag: int = 0, among: Any = None, name: str = "receive"
    ) -> None:
        """Receives into an array, or a strided view, as soon as earlier tasks let it be written."""
        self._core.recv(array, peer, tag, among, name=name)

    def send_counted(
        self, array: Any, count: Any, peer: int, tag: int = 0, among: Any = None,
        name: str = "send",
    ) -> None:  # fmt: skip
        """Sends the first elements of an array in one piece, as many as `count` says at the start.

        `count` is an array of one integer of 8 bytes, which earlier tasks may write.
        """
        self._core._counted(True, array, count, peer, tag, among, name)

    def recv_counted(
        self, array: Any, count: Any, peer: int, tag: int = 0, among: Any = None,
        name: str = "receive",
    ) -> None:  # fmt: skip
        """Receives up to a whole array, and writes the number of elements into `count`."""
        self._core._counted(False, array, count, peer, tag, among, name)

    def wait(self) -> None:
        """Returns when all tasks and messages are over; raises the first failure."""
        self._core.wait()

    def wait_on(self, array: Any) -> None:
        """Returns when the earlier tasks that write this array are over."""
        self._core.wait_on(array)

    def record(self, submit: Callable[[], Any]) -> Recorded:
        """Records what `submit()` submits, for `replay`; nothing of it runs."""
        with self.recording() as made:
            submit()
        return made

    @contextlib.contextmanager
    def recording(self) -> Iterator[Recorded]:
        """Records what the block submits.

            with rt.recording() as sweep:
                step(u, v)
        """  # fmt: skip
        made = Recorded()
        self._core._record_begin()
        try:
            yield made
        except BaseException:
            self._core._record_end(True)
            raise
        made._graph = self._core._record_end(False)

    def replay(self, recorded: Recorded, iterations: int = 1) -> None:
        """Runs what was recorded so many times; returns when it has begun."""
        self._core.replay(recorded._graph, iterations)

    @contextlib.contextmanager
    def _described(self) -> Iterator[None]:
        """Has the other ranks refused, too, where this one cannot describe its part."""
        try:
            yield
        except BaseException:
            core()._refuse_plan(self._core)
            raise

    def ghosts(
        self,
        array: Any,
        width: int | Sequence[int],
        *,
        first: int | Sequence[int],
        cells: int | Sequence[int],
        periodic: bool | Sequence[bool] = False,
        corners: bool = False,
        boundary: Any = None,
        name: str = "ghosts",
    ) -> Mover:
        """Plans the move that fills the ghosts of this rank's block, for `move`. Collective; waits.

        `array` is the block with its ghosts, `width` layers on either side; of size 0 if the rank
        has no cells. `first`: place of its first own cell in the whole array. `cells`: those of the
        whole array. One number for each axis, or one for all. `corners`: ghosts at edges and
        corners too. `boundary`: ghosts behind the end of the array stay as they are (None), or get
        the value of the "nearest" cell, or this value.
        """
        with self._described():
            block = block_of(array, first, cells, width, periodic)
            kind, value = boundary_of(boundary, array)
        return Mover(core()._plan_ghosts(self._core, block, corners, kind, value, name))

    def redistribution(
        self,
        array: Any,
        to: Any,
        *,
        cells: int | Sequence[int],
        first: int | Sequence[int],
        to_first: int | Sequence[int],
        width: int | Sequence[int] = 0,
        to_width: int | Sequence[int] = 0,
        name: str = "redistribute",
    ) -> Mover:
        """Plans the move of all cells to where they are in `to`, for `move`. Collective; waits.

        `to` is this rank's block in another division, whose ghosts stay as they are. The words mean
        what they mean for `ghosts`.
        """
        with self._described():
            source = block_of(array, first, cells, width, writes=False)
            target = block_of(to, to_first, cells, to_width)
        return Mover(core()._plan_redistribution(self._core, source, target, name))

    def move(self, mover: Mover) -> None:
        """Submits the messages and copies of a move; later tasks wait for what they read of it."""
        self._core.move(mover._core)

    @contextlib.contextmanager
    def mpi(self) -> Iterator[None]:
        """Lets the block call MPI while tasks are in flight, at MPI_THREAD_SERIALIZED."""
        self._core._mpi_begin()
        try:
            yield
        finally:
            self._core._mpi_end()

    def adopt(self, comm: Any, name: str) -> Any:  # of mpi4py; the extension's
        """Makes a communicator of mpi4py known, for `among`. Its ranks call this."""
        return self._core._adopt(comm.py2f(), name)

    def window(self, array: Any, *, flags: int = 0, rma: bool = False) -> Window:
        """Opens an array of this rank to all ranks. Collective; sizes may differ."""
        return Window(core().Window(self._core, array, flags, rma))

    def ledger(self, worker: int = _MEAN) -> dict[str, float]:
        """Returns where a worker's time went, in seconds; left out: the mean of all."""
        return dict(self._core._ledger(worker))

    def reset_ledger(self) -> None:
        """Begins the ledger anew."""
        self._core.reset_ledger()

    @contextlib.contextmanager
    def trace(self, file: str) -> Iterator[None]:
        """Traces the block, on all ranks, into a file that Perfetto opens."""
        self._core._trace_start()
        yield
        self._core._trace_stop(file)

    # Collective operations: all ranks submit the same ones in the same order. None waits.
    # `from_array` None: in place.

    def barrier(self, orders: Any = None, *, among: Any = None) -> None:
        """Waits for all ranks, as a task that touches `orders`."""
        self._core._collective("barrier", None, orders, "", 0, among, "barrier")

    def bcast(self, array: Any, root: int = 0, *, among: Any = None) -> None:
        """Copies the root's array to all ranks."""
        self._core._collective("bcast", None, array, "", root, among, "bcast")

    def _combined(self, what: str, source: Any, to: Any, op: str, root: int, among: Any) -> None:
        self._core._collective(what, source, to, op, root, among, what)

    def reduce(
        self, from_array: Any, to: Any, op: str = "sum", root: int = 0, *, among: Any = None
    ) -> None:
        """Combines all ranks' arrays by `sum`, `product`, `min` or `max`, on the root."""
        self._combined("reduce", from_array, to, op, root, among)

    def allreduce(self, from_array: Any, to: Any, op: str = "sum", *, among: Any = None) -> None:
        """Combines all ranks' arrays, on all."""
        self._combined("allreduce", from_array, to, op, 0, among)

    def scan(self, from_array: Any, to: Any, op: str = "sum", *, among: Any = None) -> None:
        """Combines the arrays of the ranks up to this one."""
        self._combined("scan", from_array, to, op, 0, among)

    def exscan(self, from_array: Any, to: Any, op: str = "sum", *, among: Any = None) -> None:
        """Combines the arrays of the ranks before this one; rank 0's result is not touched."""
        self._combined("exscan", from_array, to, op, 0, among)

    def reduce_scatter_block(
        self, from_array: Any, to: Any, op: str = "sum", *, among: Any = None
    ) -> None:
        """Combines all ranks' arrays; rank r gets its part r."""
        self._combined("reduce_scatter_block", from_array, to, op, 0, among)

    def gather(self, from_array: Any, to: Any, root: int = 0, *, among: Any = None) -> None:
        """Puts all ranks' arrays side by side on the root; `to` is None elsewhere."""
        self._core._collective("gather", from_array, to, "", root, among, "gather")

    def scatter(self, from_array: Any, to: Any, root: int = 0, *, among: Any = None) -> None:
        """Gives each rank its part of the root's array; `from_array` is None elsewhere."""
        self._core._collective("scatter", from_array, to, "", root, among, "scatter")

    def allgather(self, from_array: Any, to: Any, *, among: Any = None) -> None:
        """Puts all ranks' arrays side by side on all."""
        self._core._collective("allgather", from_array, to, "", 0, among, "allgather")

    def alltoall(self, from_array: Any, to: Any, *, among: Any = None) -> None:
        """Gives part r of the array to rank r."""
        self._core._collective("alltoall", from_array, to, "", 0, among, "alltoall")

    def gatherv(
        self, from_array: Any, to: Any, counts: Sequence[int] = (), root: int = 0, *,
        among: Any = None,
    ) -> None:  # fmt: skip
        """Gathers parts of different sizes, in elements; counts are the root's."""
        self._blocks("gatherv", from_array, to, (), counts, root, among)

    def scatterv(
        self, from_array: Any, to: Any, counts: Sequence[int] = (), root: int = 0, *,
        among: Any = None,
    ) -> None:  # fmt: skip
        """Scatters parts of different sizes, in elements; counts are the root's."""
        self._blocks("scatterv", from_array, to, counts, (), root, among)

    def allgatherv(
        self, from_array: Any, to: Any, counts: Sequence[int], *, among: Any = None
    ) -> None:
        """Puts arrays of different sizes side by side on all ranks."""
        self._blocks("allgatherv", from_array, to, (), counts, 0, among)

    def alltoallv(
        self, from_array: Any, to: Any, sent: Sequence[int], received: Sequence[int], *,
        among: Any = None,
    ) -> None:  # fmt: skip
        """Gives parts of different sizes to all ranks."""
        self._blocks("alltoallv", from_array, to, sent, received, 0, among)

    def _blocks(
        self, what: str, source: Any, to: Any, sent: Sequence[int], received: Sequence[int],
        root: int, among: Any,
    ) -> None:  # fmt: skip
        self._core._collective_of_blocks(what, source, to, list(sent), list(received), root, among,
                                         what)  # fmt: skip

    def neighbour_allgather(
        self, from_array: Any, to: Any, sources: Sequence[int], destinations: Sequence[int], *,
        among: Any = None,
    ) -> None:  # fmt: skip
        """Gives the array to each destination, and puts those of the sources side by side."""
        self._neighbour("allgather", from_array, to, (), (), sources, destinations, among)

    def neighbour_alltoall(
        self, from_array: Any, to: Any, sources: Sequence[int], destinations: Sequence[int], *,
        among: Any = None,
    ) -> None:  # fmt: skip
        """Gives a part to each destination, and puts those of the sources side by side."""
        self._neighbour("alltoall", from_array, to, (), (), sources, destinations, among)

    def neighbour_allgatherv(
        self, from_array: Any, to: Any, received: Sequence[int], sources: Sequence[int],
        destinations: Sequence[int], *, among: Any = None,
    ) -> None:  # fmt: skip
        """Gathers from neighbours parts of different sizes, in elements: one for each source."""
        self._neighbour("allgatherv", from_array, to, (), received, sources, destinations, among)

    def neighbour_alltoallv(
        self, from_array: Any, to: Any, sent: Sequence[int], received: Sequence[int],
        sources: Sequence[int], destinations: Sequence[int], *, among: Any = None,
    ) -> None:  # fmt: skip
        """Exchanges with neighbours parts of different sizes, in elements: one for each."""
        self._neighbour("alltoallv", from_array, to, sent, received, sources, destinations, among)

    def _neighbour(
        self, what: str, source: Any, to: Any, sent: Sequence[int], received: Sequence[int],
        sources: Sequence[int], destinations: Sequence[int], among: Any,
    ) -> None:  # fmt: skip
        self._core._neighbour(what, source, to, list(sent), list(received), list(sources),
                              list(destinations), among, f"neighbour_{what}")  # fmt: skip


@atexit.register
def _end_all() -> None:
    """Ends the job where a program leaves with a runtime open: the other ranks would wait."""
    for one in list(_open):
        if one._core._is_open():
            one.abort("the program ends, and its runtime was not ended")

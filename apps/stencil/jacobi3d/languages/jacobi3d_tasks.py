# SPDX-License-Identifier: BSD-3-Clause
"""Variant `plait_python`: the tasks and messages of `plait`, submitted from Python.

The program calls `start`, `run`, `ledger` and `finish`. Arrays are views of its memory.
"""

import ctypes
import functools
from ctypes import POINTER, c_int64, c_uint64, c_void_p

import numpy as np

import plait
from plait import in_, out

POLICIES = ("automatic", "dedicated", "sleeping", "workers", "none")
PARTS = ("compute_s", "posting_s", "exposed_s", "overhead_s", "idle_s", "wall_s")


class Cells(ctypes.Structure):
    """Cells by their indices in the array, x first; as block.h has it."""

    _fields_ = [("low", c_int64 * 3), ("high", c_int64 * 3)]

    def section(self, grown=None):
        """Returns the index of these cells, with a layer more along an axis."""
        more = [int(axis == grown) for axis in range(3)]
        return tuple(slice(self.low[k] - more[k], self.high[k] + more[k]) for k in (2, 1, 0))


class Message(ctypes.Structure):
    """A part of a face: cells, or values in a row."""

    _fields_ = [("cells", Cells), ("first", c_int64), ("count", c_int64), ("peer", c_int64)]


class Block(ctypes.Structure):
    """Description of a block, by the program; as block.h has it."""

    _fields_ = [
        ("u", c_uint64), ("v", c_uint64), ("b", c_uint64),
        ("extent", c_int64 * 3), ("stride", c_int64 * 3), ("streamed", c_int64),
        ("relax", c_void_p),
        ("sends", POINTER(Message)), ("send_count", c_int64),
        ("receives", POINTER(Message)), ("receive_count", c_int64),
        ("interior", POINTER(Cells)), ("interior_count", c_int64),
        ("rim", POINTER(Cells)), ("rim_count", c_int64),
        ("workers", c_int64), ("policy", c_int64), ("in_flight", c_int64), ("recorded", c_int64),
    ]  # fmt: skip


class Array:
    """An array of the program's: its cells, and all values in a row."""

    def __init__(self, block, address):
        counts = [block.stride[k] * (block.extent[k] - 1) for k in range(3)]
        kind = ctypes.c_double * (1 + sum(counts))
        self.values = np.frombuffer(kind.from_address(address))
        self.cells = np.lib.stride_tricks.as_strided(
            self.values, tuple(reversed(block.extent)), tuple(8 * s for s in reversed(block.stride))
        )

    def part(self, message):
        """Returns what a message sends or receives."""
        if message.count:
            return self.values[message.first : message.first + message.count]
        return self.cells[message.cells.section()]


@functools.cache
def kernel_of(address):
    """Makes a kernel that calls the program's: `from_cells` has a plane more below and above."""
    relax = ctypes.CFUNCTYPE(None, *[c_int64] * 9)(address)
    int64 = np.int64  # an address is unsigned, and with a stride it would become a double

    @plait.kernel
    def sweep(from_cells, b, to, streamed):
        relax(
            int64(from_cells.ctypes.data) + from_cells.strides[0], int64(b.ctypes.data),
            int64(to.ctypes.data),
            to.strides[1] // 8, to.strides[0] // 8, to.shape[2], to.shape[1], to.shape[0], streamed,
        )  # fmt: skip

    return sweep


class Steps:
    """Two steps of a block, and the runtime that does them."""

    def __init__(self, block):
        self.block = block
        self.u, self.v, self.b = (Array(block, a) for a in (block.u, block.v, block.b))
        self.kernel = kernel_of(block.relax)
        self.rt = plait.Runtime(
            workers=block.workers, policy=POLICIES[block.policy], in_flight=block.in_flight
        )
        self.both = self.rt.record(self.there_and_back) if block.recorded else None

    def relax(self, source, to, cells, name, priority):
        """Submits the sweep of these cells, which reads a layer more along each axis."""
        here = cells.section()
        self.rt.task(
            self.kernel, in_(source.cells[cells.section(2)]), in_(self.b.cells[here]),
            out(to.cells[here]), self.block.streamed, name=name, priority=priority,
            also=[in_(source.cells[cells.section(0)]), in_(source.cells[cells.section(1)])],
        )  # fmt: skip

    def step(self, source, to):
        """Submits a step."""
        block = self.block
        for message in block.sends[: block.send_count]:
            self.rt.send(source.part(message), message.peer, name="ghosts")
        for message in block.receives[: block.receive_count]:
            self.rt.recv(source.part(message), message.peer, name="ghosts")
        for cells in block.interior[: block.interior_count]:
            self.relax(source, to, cells, "interior", plait.normal)
        for cells in block.rim[: block.rim_count]:
            self.relax(source, to, cells, "rim", plait.high)

    def there_and_back(self):
        """Submits two steps; then u is again where it was."""
        self.step(self.u, self.v)
        self.step(self.v, self.u)

    def run(self, steps):
        """Does so many steps, and waits."""
        first = 0
        if self.both is not None:
            self.rt.replay(self.both, steps // 2)
            first = steps - steps % 2
        for n in range(first, steps):
            self.step(*((self.u, self.v) if n % 2 == 0 else (self.v, self.u)))
        self.rt.wait()


_running = []  # the one under way


def start(address):
    """Makes a runtime and records two steps. Returns the number of workers."""
    _running.append(Steps(Block.from_address(address)))
    return (float(_running[0].rt.workers),)


def run(steps):
    """Does steps, with a ledger of their own."""
    _running[0].rt.reset_ledger()
    _running[0].run(steps)
    return ()


def ledger(worker):
    """Returns where a worker's time went."""
    found = _running[0].rt.ledger(worker)
    return tuple(found[part] for part in PARTS)


def finish(_argument):
    """Ends the runtime."""
    steps = _running.pop()
    steps.both = None
    steps.rt.finalize()
    return ()

# SPDX-License-Identifier: BSD-3-Clause
"""Copies what a program writes to our own standard output and error: every byte, as it comes.

mpiexec mixes its own words into what it forwards, and nobody could tell them apart afterwards. So
the ranks write past it, into channels of ours; what mpiexec itself says stays on its own streams.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import select
import signal
import threading
import time
import tty
import uuid
from collections.abc import Iterator, Sequence

_TAIL_BYTES = 8192
_LAST_WORDS_S = 2.0
# A rank's own shell opens the channels and becomes the program.
_INTO_CHANNELS = 'exec >"$1" 2>"$2"; shift 2; exec "$@"'


@dataclasses.dataclass
class _Channel:
    """Holds the pipe that ranks write to, by name, and the descriptor that it is forwarded to."""

    path: str
    source: int
    held: int  # a writer of our own, so that the channel does not end between two ranks
    sink: int
    # A terminal hands over what was written some time later.  Bytes of ours, written last, say when
    # all has come; none for a pipe, which is read at once.
    last: bytes = b""
    kept_back: bytes = b""  # of the end, since it may be the first part of `last`
    tail: bytes = b""

    def without_last(self, data: bytes) -> bytes:
        """Returns what of this is the program's; all has come when `last` is empty afterwards."""
        data, self.kept_back = self.kept_back + data, b""
        before, found, after = data.partition(self.last)
        if found:
            self.last = b""
            return before + after
        keep = min(len(data), len(self.last) - 1)
        self.kept_back = data[len(data) - keep :]
        return data[: len(data) - keep]


class Streams:
    """The channels of one job; see `streamed`."""

    def __init__(self, channels: list[_Channel]) -> None:
        self.failure: OSError | None = None  # of our own output; then the job is interrupted
        self._channels = channels
        self._wake, self._waker = os.pipe()
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._thread.start()

    def into(self, program: Sequence[str]) -> list[str]:
        """The command line of a rank that writes into the channels."""
        paths = (self._channels[0].path, self._channels[-1].path)
        return ["sh", "-c", _INTO_CHANNELS, "sh", *paths, *program]

    def last_error_lines(self) -> list[str]:
        """The last lines on standard error, as far as they were kept."""
        return self._channels[-1].tail.decode(errors="replace").splitlines()

    def end_line(self) -> None:
        """Begin a new line on standard error where the program has not ended its last one."""
        channel = self._channels[-1]
        if channel.tail and not channel.tail.endswith(b"\n"):
            with contextlib.suppress(OSError):
                os.write(2, b"\n")

    def finish(self) -> None:
        """Forward what is left, and close."""
        self._deadline = time.monotonic() + _LAST_WORDS_S
        os.write(self._waker, b"x")
        for channel in self._channels:
            while channel.last and self._thread.is_alive() and time.monotonic() < self._deadline:
                with contextlib.suppress(BlockingIOError):
                    os.write(channel.held, channel.last)
                    break
                time.sleep(0.01)  # it is full, and being read
        self._thread.join(_LAST_WORDS_S + 1)
        if self._thread.is_alive():
            return  # nobody reads our output: it keeps its descriptors until we end
        for channel in self._channels:
            for descriptor in (channel.source, channel.held):
                with contextlib.suppress(OSError):
                    os.close(descriptor)

    def _forward(self) -> None:
        poll = select.poll()
        by_source = {channel.source: channel for channel in self._channels}
        for source in (*by_source, self._wake):
            poll.register(source, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in poll.poll() if descriptor != self._wake]
            if self._deadline and time.monotonic() > self._deadline:
                return
            if self._deadline and not ready:
                if not any(channel.last for channel in self._channels):
                    return
                time.sleep(0.005)
            for descriptor in ready:
                channel = by_source[descriptor]
                data = os.read(descriptor, 1 << 16)
                if self._deadline and channel.last:
                    data = channel.without_last(data)
                channel.tail = (channel.tail + data)[-_TAIL_BYTES:]
                try:
                    _write_all(channel.sink, data)
                except OSError as error:
                    self.failure = error
                    os.kill(os.getpid(), signal.SIGTERM)  # as Interrupted, to the main thread
                    return


def _write_all(sink: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(sink, left) :]
        except BlockingIOError:
            select.select([], [sink], [])


@contextlib.contextmanager
def streamed(folder: pathlib.Path, *, terminal: bool) -> Iterator[Streams]:
    """Channels for a job's output, in `folder`; forwarded to descriptors 1 and 2 meanwhile.

    Where both lead to the same place they share a channel, so that their order stays.
    `terminal`: programs see a terminal on standard output, as Open MPI's mpiexec gives them.
    """
    first = (_terminal(1) if terminal else None) or _pipe(folder / "output", 1)
    channels = [first] if _same_place() else [first, _pipe(folder / "errors", 2)]
    streams = Streams(channels)
    try:
        yield streams
    finally:
        streams.finish()


def _pipe(path: pathlib.Path, sink: int) -> _Channel:
    os.mkfifo(path, 0o600)
    source = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    return _Channel(str(path), source, os.open(path, os.O_WRONLY), sink)


def _terminal(sink: int) -> _Channel | None:
    try:
        source, held = os.openpty()
    except OSError:  # a container may have none
        return None
    tty.setraw(held)  # no byte is changed, none is echoed
    os.set_blocking(held, False)
    return _Channel(os.ttyname(held), source, held, sink, b"\0" + uuid.uuid4().bytes + b"\0")


def _same_place() -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(1), os.fstat(2))
    return False

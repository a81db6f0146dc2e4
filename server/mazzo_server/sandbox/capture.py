"""Captures a bot's output: reads it all the time, and keeps only the end."""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import termios
from contextlib import suppress

__all__ = ["Capture"]

_SIZE = struct.Struct("i")  # of the answer to FIONREAD


class Capture(asyncio.Protocol):
    """The reading end of a pipe, whose last `limit` bytes are kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._tail = bytearray()
        self._size = 0  # bytes in all
        self._ended = asyncio.Event()
        self._transport: asyncio.BaseTransport | None = None

    @classmethod
    async def open(cls, limit: int) -> tuple[Capture, int]:
        """Return a capture and the descriptor to write to; the caller must close the descriptor."""
        read, write = os.pipe()
        try:
            _, capture = await asyncio.get_running_loop().connect_read_pipe(
                lambda: cls(limit), os.fdopen(read, "rb", buffering=0)
            )
        except BaseException:
            os.close(write)
            raise
        return capture, write

    @property
    def size(self) -> int:
        """The number of bytes that were written so far, those that wait in the pipe too.

        Of a container's output, which comes through its engine, those that have arrived.
        """
        self._drain()
        return self._size

    def read(self, since: int = 0) -> str:
        """Return the end of what was written after the first `since` bytes, decoded as UTF-8."""
        new = max(0, self.size - since)
        start = len(self._tail) - min(new, self._limit)
        return bytes(self._tail[max(0, start) :]).decode(errors="replace")

    async def finish(self, *, seconds: float) -> None:
        """Wait until nobody can write any more, but at most so long, then stop reading."""
        try:
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        except TimeoutError:
            pass
        finally:
            if self._transport is not None:
                self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._size += len(data)
        self._tail += data
        # Cutting at twice the limit moves each byte at most once, for pieces of any size.
        if len(self._tail) > 2 * self._limit:
            del self._tail[: -self._limit]

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended.set()

    def _drain(self) -> None:
        """Read what waits in the pipe, and no more: a writer may be as fast as the reader.

        An answer may be read before what its bot wrote earlier, since the loop handles what is
        ready in any order.
        """
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        pipe = transport.get_extra_info("pipe")
        with suppress(BlockingIOError):
            (waiting,) = _SIZE.unpack(fcntl.ioctl(pipe, termios.FIONREAD, bytes(_SIZE.size)))
            if waiting:
                self.data_received(pipe.read(waiting) or b"")

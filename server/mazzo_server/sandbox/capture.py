"""Captures a bot's output: reads it all the time, and keeps only the end."""

from __future__ import annotations

import asyncio
import os

__all__ = ["Capture"]


class Capture(asyncio.Protocol):
    """The reading end of a pipe, whose last `limit` bytes are kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._tail = bytearray()
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
    def text(self) -> str:
        """Return the kept output, decoded as UTF-8."""
        return bytes(self._tail[-self._limit :]).decode(errors="replace")

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
        self._tail += data
        # Cutting at twice the limit moves each byte at most once, for pieces of any size.
        if len(self._tail) > 2 * self._limit:
            del self._tail[: -self._limit]

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended.set()

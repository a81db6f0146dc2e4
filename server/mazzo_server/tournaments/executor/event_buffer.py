"""Events on their way from those who play to the one who reads them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mazzo_server.play import PlayEvent

__all__ = ["EventBuffer"]


class EventBuffer:
    """Keeps events in order until its one reader takes them, all at once.

    To pass lists on costs a tenth of what a queue of single events does.
    """

    def __init__(self, most: int) -> None:
        """Let those who put events wait while so many of them are there."""
        self._most = most
        self._events: list[PlayEvent] = []
        self._is_closed = False
        self._news = asyncio.Event()
        self._has_room = asyncio.Event()

    async def put(self, events: Sequence[PlayEvent]) -> None:
        """Add events, unless the buffer is closed; return when there is room for more."""
        if not self._is_closed:
            self._events += events
            self._news.set()
        while len(self._events) >= self._most and not self._is_closed:
            self._has_room.clear()
            await self._has_room.wait()

    async def take(self) -> list[PlayEvent]:
        """Wait for events and return all of them; none when the buffer is closed and empty."""
        while not self._events and not self._is_closed:
            self._news.clear()
            await self._news.wait()
        taken, self._events = self._events, []
        self._has_room.set()
        return taken

    def close(self) -> None:
        """Take in nothing more; what is there can still be taken."""
        self._is_closed = True
        self._news.set()
        self._has_room.set()

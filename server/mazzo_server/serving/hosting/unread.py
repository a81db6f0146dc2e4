"""The requests that are on their way without a token: a few, of which each address gets a share."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mazzo_server.errors import LimitReachedError

__all__ = ["UnreadRequests"]

_RETRY_SECONDS = 1.0


class UnreadRequests:
    """Holds the requests that are being read to a limit, and lets every address in.

    When it is full, a new one takes the place of the oldest of the address that has most, which is
    its own one if none has more. So whoever comes with one request is read, however many requests
    others leave unfinished.
    """

    def __init__(self, most: int) -> None:
        """Let at most so many be read at a time."""
        self._most = most
        self._crowds: dict[str, OrderedDict[asyncio.Timeout, None]] = {}  # by address

    def __len__(self) -> int:
        """Return how many are being read."""
        return sum(map(len, self._crowds.values()))

    @asynccontextmanager
    async def hold(self, address: str) -> AsyncIterator[None]:
        """Count a request while the context lasts.

        Raises `LimitReachedError` as soon as another one takes its place.
        """
        try:
            async with asyncio.timeout(None) as reading:
                if len(self) >= self._most:
                    self._send_away(max(self._crowds, key=lambda one: self._weigh(one, address)))
                self._crowds.setdefault(address, OrderedDict())[reading] = None
                try:
                    yield
                finally:
                    self._leave(address, reading)
        except TimeoutError:
            raise LimitReachedError(
                f"expected at most {self._most} requests without a token on their way, got one "
                f"more: try again in {_RETRY_SECONDS:g} s, and send it whole at once",
                retry_seconds=_RETRY_SECONDS,
            ) from None

    def _weigh(self, crowd: str, newcomer: str) -> tuple[int, bool]:
        return len(self._crowds[crowd]), crowd == newcomer

    def _send_away(self, address: str) -> None:
        """End the oldest request of an address."""
        oldest = next(iter(self._crowds[address]))
        oldest.reschedule(asyncio.get_running_loop().time())
        self._leave(address, oldest)

    def _leave(self, address: str, reading: asyncio.Timeout) -> None:
        crowd = self._crowds.get(address, OrderedDict())
        crowd.pop(reading, None)
        if not crowd:
            self._crowds.pop(address, None)

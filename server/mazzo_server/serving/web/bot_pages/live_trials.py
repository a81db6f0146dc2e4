"""Follows trials for those who look at their pages: one look of the platform for all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Final

__all__ = ["LiveTrials"]

_MOST_LOOKS: Final = 3600

_Look = Callable[[], Awaitable[str]]


class LiveTrials:
    """Looks at each trial that somebody watches, and at no other."""

    def __init__(self, *, pause: float = 1.0) -> None:
        """Let so many seconds pass between two looks at a trial."""
        self._pause = pause
        self._watched: dict[tuple[str, str, int], _Watched] = {}

    async def watch(
        self, token: str, bot: str, number: int, look: _Look
    ) -> AsyncGenerator[str, None]:
        """Yield what each look returns, until it is nothing, or for an hour.

        What one look returns is for all who show the same token.
        """
        key = token, bot, number
        watched = self._watched.get(key)
        if watched is None:
            watched = self._watched[key] = _Watched(look, self._pause)
        watched.watchers += 1
        try:
            seen = 0
            for _ in range(_MOST_LOOKS):
                seen, part = await watched.wait_for_look(seen)
                if not part:
                    return
                yield part
        finally:
            watched.watchers -= 1
            if not watched.watchers:
                watched.close()
                del self._watched[key]


class _Watched:
    """A trial that has watchers; who waits for a look that nobody has begun begins it."""

    def __init__(self, look: _Look, pause: float) -> None:
        self.watchers = 0
        self._look = look
        self._pause = pause
        self._count = 1
        self._task = asyncio.create_task(self._begin_look(0.0))

    async def wait_for_look(self, seen: int) -> tuple[int, str]:
        """Return the first look after those that were seen, and its number."""
        if seen == self._count:
            self._count += 1
            self._task = asyncio.create_task(self._begin_look(self._pause))
        return self._count, await asyncio.shield(self._task)  # others wait for it, too

    def close(self) -> None:
        """Look no more."""
        self._task.cancel()

    async def _begin_look(self, pause: float) -> str:
        await asyncio.sleep(pause)
        return await self._look()

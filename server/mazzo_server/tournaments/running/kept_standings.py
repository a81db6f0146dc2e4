"""Keeps the standings of a long tournament while it is played, for those who look at them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from mazzo_server.tournaments.running.progress import Progress

__all__ = ["keep_standings_often"]

_SECONDS: Final = 5.0  # after which they may be kept again
_MOST_UNKEPT: Final = 4000  # matches of which the standings are not kept


@asynccontextmanager
async def keep_standings_often(
    progress: Progress, keep: Callable[[], None], on_error: Callable[[Exception], None]
) -> AsyncIterator[None]:
    """Call `keep` in a thread, again and again while the context lasts, if enough was played.

    Whoever looks would else have to read all matches of a chunk that takes long.
    """

    async def go_on(kept: int) -> None:
        while True:
            await asyncio.sleep(_SECONDS)
            if progress.matches_played - kept >= _MOST_UNKEPT:
                kept = progress.matches_played
                await asyncio.to_thread(keep)

    def end(keeping: asyncio.Task[None]) -> None:
        error = None if keeping.cancelled() else keeping.exception()
        if isinstance(error, Exception):
            on_error(error)

    keeping = asyncio.create_task(go_on(progress.matches_played), name="keep standings")
    keeping.add_done_callback(end)
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait((keeping,))

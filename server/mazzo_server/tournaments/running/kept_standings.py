"""Keeps the standings of a long tournament while it is played, for those who look at them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from mazzo_server.tournaments.running.progress import Progress

__all__ = ["keep_standings_often"]

_SECONDS: Final = 5.0  # after which they may be kept again
_MOST_UNKEPT: Final = 4000  # matches of which the standings are not kept


@asynccontextmanager
async def keep_standings_often(
    progress: Progress,
    keep: Callable[[], None],
    on_error: Callable[[Exception], None],
    *,
    seconds: float = _SECONDS,
    most_unkept: int = _MOST_UNKEPT,
) -> AsyncIterator[None]:
    """Call `keep` in a thread every so many seconds, if enough was played.

    Whoever looks would else have to read all matches of a chunk that takes long.
    """

    over = asyncio.Event()

    async def go_on(kept: int) -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await over.wait()
                    return
            if progress.matches_played - kept >= most_unkept:
                kept = progress.matches_played
                try:
                    await asyncio.to_thread(keep)
                except Exception as error:
                    on_error(error)
                    return

    keeping = asyncio.create_task(go_on(progress.matches_played), name="keep standings")
    try:
        yield
    finally:
        over.set()  # rather than cancel it: a thread would go on
        await asyncio.wait((keeping,))

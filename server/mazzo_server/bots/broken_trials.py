"""Plays the trials that were broken off, such as by a server that was killed.

Nobody whose bot was stored should have to ask for its trial. Another process may be playing one
right now, so a server begins with them only a while after it has started.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from mazzo.errors import MazzoError
from mazzo_server.bots.catalogue import Catalogue
from mazzo_server.errors import PlatformError, ServerUnavailableError
from mazzo_server.logs import LogAction
from mazzo_server.storage import Store, VersionRow

__all__ = ["list_broken", "play_broken_trials"]

_LOG = logging.getLogger(__name__)

_WAIT_SECONDS: Final = 15.0


@asynccontextmanager
async def play_broken_trials(
    catalogue: Catalogue, store: Store, *, isolation: str, wait_seconds: float = _WAIT_SECONDS
) -> AsyncIterator[None]:
    """Play them, one after the other, while the context lasts."""
    playing = asyncio.create_task(
        _play(catalogue, store, isolation, wait_seconds), name="broken trials"
    )
    try:
        yield
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


def list_broken(store: Store) -> list[VersionRow]:
    """Return the versions without a report of a trial, of bots that are to have one. Blocks."""
    return [
        version
        for bot in store.bots()
        if not (bot.remote or bot.retired)
        for version in store.versions(bot.name)
        if version.trial is None
    ]


async def _play(catalogue: Catalogue, store: Store, isolation: str, wait_seconds: float) -> None:
    try:
        broken = await asyncio.to_thread(list_broken, store)
    except PlatformError as error:  # the server starts all the same
        _LOG.warning("trials that were broken off: %s", error)
        return
    if broken:
        await asyncio.sleep(wait_seconds)
    for version in broken:
        bot, number = version.bot, version.number
        try:
            current = await asyncio.to_thread(store.version, bot, number)
            if current.trial is None and not catalogue.trials.find_progress(bot, number):
                await catalogue.play_trial(bot, number, isolation=isolation)
        except ServerUnavailableError:  # it is stopping; the next one plays them
            return
        except Exception as error:
            _LOG.warning(
                "the trial of %s version %d, which was broken off, cannot be played: %s",
                *(bot, number, error),
                exc_info=None if isinstance(error, MazzoError) else error,
                extra={"action": LogAction.TRIAL_BROKEN_OFF, "bot": bot, "version": number},
            )

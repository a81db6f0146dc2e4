"""Trials that go on after the author of the version has got an answer."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable

from mazzo.errors import MazzoError
from mazzo_server.errors import LimitReachedError
from mazzo_server.logs import LogAction
from mazzo_server.storage import VersionRow

__all__ = ["DetachedTrials"]

_LOG = logging.getLogger(__name__)

_MOST_OF_AUTHOR = 8
_RETRY_SECONDS = 30.0  # until one may be over


class DetachedTrials:
    """Plays trials in tasks of their own, a bounded number for each author."""

    def __init__(
        self, *, most_of_author: int = _MOST_OF_AUTHOR, retry_seconds: float = _RETRY_SECONDS
    ) -> None:
        self._most_of_author = most_of_author
        self._retry_seconds = retry_seconds
        self._authors: Counter[str] = Counter()  # of trials that are not over
        self._tasks: set[asyncio.Task[None]] = set()

    def check_place(self, author: str) -> None:
        """Raise `LimitReachedError` when an author has too many; "", the organiser, has no limit.

        Else an author could have any number of trials wait, without a call in flight.
        """
        if author and self._authors[author] >= self._most_of_author:
            raise LimitReachedError(
                f"expected at most {self._most_of_author} trials of one author at a time, got one "
                "more: wait for the others to end",
                retry_seconds=self._retry_seconds,
            )

    async def begin(
        self, author: str, version: VersionRow, play: Callable[[], Awaitable[VersionRow]]
    ) -> None:
        """Begin to play the trial of a version; its report goes where `play` puts it."""
        self._authors[author] += 1
        name = f"trial of {version.bot} version {version.number}"
        task = asyncio.create_task(self._play(author, version, play), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.sleep(0)  # the trial enters the queue, so that its progress is known

    async def _play(
        self, author: str, version: VersionRow, play: Callable[[], Awaitable[VersionRow]]
    ) -> None:
        try:
            await play()
        except MazzoError as error:  # nobody waits for it
            _LOG.warning(
                "the trial of %s version %d is broken off: %s",
                *(version.bot, version.number, error),
                extra={
                    "action": LogAction.TRIAL_BROKEN_OFF,
                    "bot": version.bot,
                    "version": version.number,
                },
            )
        finally:
            self._authors[author] -= 1
            if not self._authors[author]:
                del self._authors[author]

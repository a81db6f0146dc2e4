"""Trials that go on after the author of the version has got an answer."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from mazzo.errors import MazzoError
from mazzo_server.errors import ConflictError, LimitReachedError
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
        self._authors: Counter[str] = Counter()  # of trials that are not over, or about to begin
        self._versions: set[tuple[str, int]] = set()  # of trials that are played again
        self._tasks: set[asyncio.Task[None]] = set()

    @contextmanager
    def hold_place(self, author: str) -> Iterator[None]:
        """Hold a place for a trial of an author; "", the organiser, has as many as are wanted.

        Raises `LimitReachedError` when an author has too many. Else an author could have any number
        of trials wait, without a call in flight.
        """
        if author and self._authors[author] >= self._most_of_author:
            raise LimitReachedError(
                f"expected at most {self._most_of_author} trials of one author at a time, got one "
                "more: wait for the others to end",
                retry_seconds=self._retry_seconds,
            )
        self._authors[author] += 1
        try:
            yield
        finally:
            self._authors[author] -= 1
            if not self._authors[author]:
                del self._authors[author]

    @contextmanager
    def hold_version(self, bot: str, number: int, *, is_played: bool) -> Iterator[None]:
        """Let no second trial of a version begin.

        Raises `ConflictError` where one is played, as one of a submission may be, or is held.
        """
        if is_played or (bot, number) in self._versions:
            raise ConflictError(
                f"the trial of {bot} version {number} is being played: wait for its end"
            )
        self._versions.add((bot, number))
        try:
            yield
        finally:
            self._versions.discard((bot, number))

    async def begin(
        self,
        version: VersionRow,
        play: Callable[[], Awaitable[VersionRow]],
        held: AbstractContextManager[object],
    ) -> None:
        """Begin to play the trial of a version; its report goes where `play` puts it.

        At its end it leaves `held`, where its place is.
        """
        name = f"trial of {version.bot} version {version.number}"
        task = asyncio.create_task(self._play(version, play, held), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.sleep(0)  # the trial enters the queue, so that its progress is known

    async def _play(
        self,
        version: VersionRow,
        play: Callable[[], Awaitable[VersionRow]],
        held: AbstractContextManager[object],
    ) -> None:
        try:
            with held:
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

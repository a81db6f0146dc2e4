"""Plays challenges, one after the other, with a small share of the machine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Final

from mazzo.errors import MazzoError
from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError, ServerUnavailableError
from mazzo_server.logs import LogAction
from mazzo_server.model import TournamentKind
from mazzo_server.settings import ExecutorKind
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.challenges.challenges import Challenges
from mazzo_server.tournaments.challenges.queue import sort_queue
from mazzo_server.tournaments.reading import is_played
from mazzo_server.tournaments.service import Tournaments

__all__ = ["CHALLENGE_SHARE", "ChallengePlayer", "compute_rest", "play_challenges"]

_LOG = logging.getLogger(__name__)

CHALLENGE_SHARE: Final = 0.05
"""The share of its time in which a server plays challenges while it has other play to do.

One challenge is played at a time, and then as long a rest follows as the share asks for. While
nothing else is played there is none.
"""
_POLL_SECONDS: Final = 5.0  # in which a challenge is seen that another process has stored
_RETRY_SECONDS: Final = 60.0  # after a failure; twice as long after each further one
_MOST_FAILURES: Final = 5  # of the platform at one challenge, after which it is cancelled
_LOOK_SECONDS: Final = 1.0  # in a rest, between two looks at what else is played
_LIGHT: Final = (TournamentKind.TABLE, TournamentKind.CHALLENGE)  # kinds that leave room for all


def compute_rest(seconds: float, share: float) -> float:
    """Return the seconds without a challenge after one of so many, that it had but that share."""
    return seconds * (1.0 - share) / share


@asynccontextmanager
async def play_challenges(
    store: Store, tournaments: Tournaments, challenges: Challenges
) -> AsyncIterator[None]:
    """Play the challenges of a store while the context lasts."""
    player = ChallengePlayer(store, tournaments, challenges)
    playing = asyncio.create_task(player.play(), name="challenges")
    try:
        yield
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


class ChallengePlayer:
    """Plays the queue of challenges, one at a time.

    What is next follows from the store, so one that was broken off goes on in the next process.
    """

    def __init__(
        self,
        store: Store,
        tournaments: Tournaments,
        challenges: Challenges,
        *,
        share: float = CHALLENGE_SHARE,
        poll_seconds: float = _POLL_SECONDS,
        retry_seconds: float = _RETRY_SECONDS,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        self._store = store
        self._tournaments = tournaments
        self._challenges = challenges
        self._share = share
        self._poll_seconds = poll_seconds
        self._retry_seconds = retry_seconds
        self._look_seconds = look_seconds
        self._failures: dict[int, int] = {}  # by challenge
        self._put_off: dict[int, float] = {}  # until when on the monotonic clock, by challenge

    async def play(self) -> None:
        """Play what is in the queue, and what arrives, until the server begins nothing new."""
        while True:
            self._challenges.arrived.clear()
            try:
                row = await asyncio.to_thread(self._find_next)
                if row is None:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(self._poll_seconds):
                            await self._challenges.arrived.wait()
                    continue
                begin = monotonic()
                await self._play(row)
                await self._rest(compute_rest(monotonic() - begin, self._share))
            except ServerUnavailableError:
                return
            except MazzoError as error:
                _log_failure("challenges wait", error)
                await asyncio.sleep(self._retry_seconds)

    def _find_next(self) -> TournamentRow | None:
        """Return what to play now; None while another process plays one. Blocks."""
        now = monotonic()
        for row in sort_queue(self._store.challenges(since=inf)):
            if is_played(self._store, row):
                return None
            if self._put_off.get(row.id, now) <= now:
                return row
        return None

    async def _play(self, row: TournamentRow) -> None:
        failure: MazzoError | None = None
        try:
            async with self._challenges.starting:
                await self._tournaments.start(row.id, workers=1, executor=ExecutorKind.PROCESSES)
            async for report in self._tournaments.watch(row.id):
                failure = report.failure or failure
        except ServerUnavailableError:
            raise
        except MazzoError as error:
            failure = error
        if failure is None:
            self._failures.pop(row.id, None)
            self._put_off.pop(row.id, None)
        else:
            await self._take_failure(row.id, failure)

    async def _take_failure(self, number: int, error: MazzoError) -> None:
        """Let others go first for a while, and give a challenge up that fails all the time."""
        failures = self._failures[number] = self._failures.get(number, 0) + 1
        _log_failure(f"challenge {number} failed", error, number)
        if failures < _MOST_FAILURES:
            wait = self._retry_seconds * 2.0 ** (failures - 1)
            self._put_off[number] = monotonic() + wait
            return
        del self._failures[number]
        with suppress(PlatformError):  # it is over, or another process has it
            await self._tournaments.cancel(number)

    async def _rest(self, seconds: float) -> None:
        """Wait for so long, but no longer than something else is played."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            if not await asyncio.to_thread(self._has_other_play):
                return
            await asyncio.sleep(min(self._look_seconds, left))

    def _has_other_play(self) -> bool:
        running = self._tournaments.list_running(with_resting=False)
        return any(
            self._store.tournament(number).definition.kind not in _LIGHT for number in running
        )


def _log_failure(what: str, error: MazzoError, number: int = 0) -> None:
    _LOG.warning(
        "%s: %s",
        *(what, error),
        extra={"action": LogAction.CHALLENGE_PUT_OFF, "tournament": number, "error": str(error)},
    )

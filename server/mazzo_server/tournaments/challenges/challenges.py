"""The challenges of a store: asked for, listed and cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mazzo_server.bots import Launcher
from mazzo_server.clock import wall_clock
from mazzo_server.errors import ConflictError, NotFoundError, PermissionDeniedError
from mazzo_server.model import ChallengeTerms, Definition, TournamentKind
from mazzo_server.storage import Store
from mazzo_server.tournaments.challenges.define import ChallengeRequest, define_challenge
from mazzo_server.tournaments.challenges.listing import (
    ChallengeList,
    ChallengeStanding,
    add_result,
    list_standings,
)
from mazzo_server.tournaments.challenges.queue import choose_turn, read_terms
from mazzo_server.tournaments.challenges.quota import check_quota, count_of_day, find_day
from mazzo_server.tournaments.reading import Reader
from mazzo_server.tournaments.service import Tournaments

__all__ = ["Challenges"]

_CONCURRENCY: Final = 4  # matches of a challenge that are played at a time
_MOST_LISTED: Final = 1000  # at once
_LISTED_SECONDS: Final = 30 * 86_400.0  # for which a challenge that is over is listed


class Challenges:
    """Takes challenges into the queue, lists them, and cancels them.

    They are stored as tournaments of a kind of their own, and nothing else is: whoever is killed
    goes on from these. Methods with an `author` act for that author; "" is an organiser.
    """

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        tournaments: Tournaments,
        *,
        read: Reader,
        per_day: int,
        clock: Callable[[], float] = wall_clock,
    ) -> None:
        """An author may ask for so many challenges on a UTC day."""
        self._store = store
        self._launcher = launcher
        self._tournaments = tournaments
        self._read = read
        self._per_day = per_day
        self._clock = clock
        self._creating = asyncio.Lock()  # what a new one depends on must not change meanwhile
        self.starting = asyncio.Lock()  # held while one is begun, which cannot be cancelled then
        self.arrived = asyncio.Event()  # set: there is a new one

    async def create(self, request: ChallengeRequest, *, author: str) -> ChallengeStanding:
        """Put a challenge into the queue.

        Raises what `define_challenge` raises, and `LimitReachedError` when the author has had as
        many on this day as an author may have.
        """
        sandbox = await self._launcher.find_sandbox(request.isolation)
        async with self._creating:
            now = self._clock()

            def define() -> Definition:
                rows = self._store.challenges(since=find_day(now))
                definition = define_challenge(
                    request,
                    self._store,
                    terms=ChallengeTerms(author=author, turn=choose_turn(rows, author)),
                    bounds_cores=sandbox.bounds_cores,
                    limits=self._launcher.limits,
                )
                check_quota(rows, author, per_day=self._per_day, now=now)
                return definition

            definition = await asyncio.to_thread(define)
            row = await self._tournaments.add(definition, concurrency=_CONCURRENCY, create_time=now)
        self.arrived.set()
        return await self._show(row.id)

    async def list_recent(
        self,
        *,
        author: str | None = None,
        start: int = 0,
        size: int = _MOST_LISTED,
        with_results: bool = False,
    ) -> ChallengeList:
        """Return the queue, and what was created in the last 30 days, for an author who asks.

        There are `size` challenges at most, from place `start` on. Everybody may know them all.
        The results of each take some milliseconds.
        """
        now = self._clock()

        def read() -> ChallengeList:
            end = start + size
            rows = self._store.challenges(since=now - _LISTED_SECONDS, most=end + 1)
            today = self._store.challenges(since=find_day(now)) if author else ()
            listed = list_standings(self._store, rows, start=start, size=size)
            return ChallengeList(
                challenges=tuple(
                    add_result(self._store, one) if with_results else one for one in listed
                ),
                has_more=len(rows) > end,
                per_day=self._per_day,
                asked_today=count_of_day(today, author or "", now=now),
            )

        return await self._read(read)

    async def cancel(self, number: int, *, author: str) -> ChallengeStanding:
        """Cancel a challenge for good; what it played stays.

        Raises `NotFoundError`, `PermissionDeniedError` for a challenge of another author, and
        `ConflictError` for one that is over, or that another process plays.
        """
        row = None
        with suppress(NotFoundError):
            row = await asyncio.to_thread(self._store.tournament, number)
        if row is None or row.definition.kind is not TournamentKind.CHALLENGE:
            raise NotFoundError(
                f"expected the number of a challenge, got {number}: see `mazzo challenges list`"
            )
        asked_by = read_terms(row).author
        if author and author != asked_by:
            raise PermissionDeniedError(
                f"challenge {number} was asked for by {asked_by or 'the organiser'}, not by "
                f"{author}"
            )
        if row.status.is_over:
            raise ConflictError(f"challenge {number} is {row.status} already")
        async with self.starting:
            await self._tournaments.cancel(number)
        return await self._show(number)

    async def _show(self, number: int) -> ChallengeStanding:
        def read() -> ChallengeStanding:
            row = self._store.tournament(number)
            rows = self._store.challenges(since=row.create_time)
            found = list_standings(self._store, rows)
            return add_result(self._store, next(one for one in found if one.row.id == number))

        return await self._read(read)

"""Stores the results of a tournament while it is played."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import replace
from functools import partial

from mazzo_server.clock import wall_clock
from mazzo_server.errors import PlatformError
from mazzo_server.model import MatchOutcome
from mazzo_server.play import Spoilt, Withdrawn
from mazzo_server.storage import OutcomeWriter, Store, read_withdrawn
from mazzo_server.tournaments.running.progress import Progress

__all__ = ["MOST_UNSTORED", "Recorder"]

MOST_UNSTORED = 1000
"""Finished matches; when the store is slower than that, play waits for it."""


class Recorder:
    """Stores matches and withdrawals in the background, and adds them to the progress."""

    def __init__(
        self,
        store: Store,
        tournament: int,
        *,
        seatings: int,
        progress: Progress,
        on_progress: Callable[[], None],
        on_error: Callable[[Exception], None],
        most_unstored: int = MOST_UNSTORED,
        clock: Callable[[], float] = wall_clock,
    ) -> None:
        """Call `on_error` with the first error that keeps something from being stored."""
        self._store = store
        self._tournament = tournament
        self._writer = OutcomeWriter(store, tournament)
        self._seatings = seatings
        self._progress = progress
        self._on_progress = on_progress
        self._on_error = on_error
        self._most_unstored = most_unstored
        self._clock = clock
        self._storing: set[asyncio.Future[None]] = set()
        self._has_room = asyncio.Event()
        self._untold: dict[int, Counter[str]] = {}  # by group: counts not yet added to the progress

    @property
    def waiting(self) -> int:
        """The number of matches that are not passed to the store yet."""
        return self._writer.waiting

    async def read_withdrawn(self) -> set[int]:
        """Return the entrants that were withdrawn in an earlier run."""
        return set(await asyncio.to_thread(read_withdrawn, self._store, self._tournament))

    def count_finished(self, finished: Collection[tuple[int, int]]) -> None:
        """Note the matches that an earlier run has stored, by (group, seating).

        They add nothing to the progress of this run.
        """
        for group, _ in finished:
            self._untold.setdefault(group, Counter())["matches"] += 1

    def record(self, outcome: MatchOutcome, *, spoilt: int = 0) -> None:
        """Store a match that is finished now, and that the platform had spoilt so many times."""
        stored = self._writer.put(replace(outcome, end_time=self._clock(), spoilt=spoilt))
        self._watch(stored, partial(self._count, outcome))

    def record_spoilt(self, event: Spoilt) -> None:
        """Store that a fault of the platform spoilt a match."""
        self._start(
            asyncio.to_thread(self._store.add_spoilt, self._tournament, event.group, event.seating)
        )

    async def read_spoilt(self) -> Mapping[tuple[int, int], int]:
        """Return how often matches were spoilt in earlier runs, by (group, seating)."""
        return await asyncio.to_thread(self._store.spoilt_matches, self._tournament)

    def withdraw(self, event: Withdrawn, then: Callable[[], Awaitable[None]]) -> None:
        """Store that an entrant was withdrawn, then call `then`."""
        self._start(self._withdraw(event, then))

    async def wait_for_room(self) -> None:
        """Return once few enough matches wait to be stored."""
        while len(self._storing) >= self._most_unstored:
            self._has_room.clear()
            await self._has_room.wait()

    async def settle(self) -> None:
        """Return once everything is stored, or could not be."""
        while self._storing:
            await asyncio.gather(*self._storing, return_exceptions=True)

    async def close(self) -> None:
        """Store what still waits, then end."""
        try:
            await self.settle()
        finally:  # also when it is cancelled at this moment
            await self._writer.close()

    def _count(self, outcome: MatchOutcome) -> None:
        progress = self._progress
        progress.matches_played += 1
        group = outcome.group
        untold = self._untold.setdefault(group, Counter())
        untold["matches"] += 1
        untold["deals"] += len(outcome.deals)
        untold["decisions"] += sum(outcome.decisions)
        untold["faults"] += bool(outcome.faults)
        if untold["matches"] == self._seatings:
            del self._untold[group]
            progress.deals_played += untold["deals"]
            progress.decisions_taken += untold["decisions"]
            progress.faults += untold["faults"]
        self._on_progress()

    async def _withdraw(self, event: Withdrawn, then: Callable[[], Awaitable[None]]) -> None:
        await asyncio.to_thread(
            self._store.add_withdrawal,
            self._tournament,
            event.entrant,
            reason=event.reason,
            log=event.log,
        )
        await then()
        self._on_progress()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        self._watch(asyncio.create_task(work))

    def _watch(
        self, storing: asyncio.Future[None], then: Callable[[], None] = lambda: None
    ) -> None:
        self._storing.add(storing)
        storing.add_done_callback(partial(self._end, then))

    def _end(self, then: Callable[[], None], storing: asyncio.Future[None]) -> None:
        self._storing.discard(storing)
        self._has_room.set()
        if storing.cancelled():
            return
        error = storing.exception()
        if error is None:
            try:
                then()
            except Exception as failure:  # nobody awaits this
                error = failure
        if error is not None:
            self._on_error(error if isinstance(error, Exception) else PlatformError(str(error)))

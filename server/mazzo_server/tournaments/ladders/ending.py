"""Ends the seasons of ladders."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mazzo_server.clock import wall_clock
from mazzo_server.model import TournamentKind
from mazzo_server.results import keep_season, read_season_ratings
from mazzo_server.stats import Rating
from mazzo_server.storage import Store, TournamentRow, TournamentStatus
from mazzo_server.tournaments.ladders.seasons import (
    define_next_season,
    make_final_request,
    name_final,
)
from mazzo_server.tournaments.reading import Reader
from mazzo_server.tournaments.running import end_tournament
from mazzo_server.tournaments.service import Tournaments

__all__ = ["EndedSeason", "SeasonEnds", "find_final"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSeason:
    """A season that is over, and what follows it."""

    row: TournamentRow
    final: TournamentRow | None  # the tournament of its first, if there are enough
    following: TournamentRow | None  # the next season, unless it was the last one


class SeasonEnds:
    """Ends seasons. Call it while nobody else changes who is on the ladder."""

    def __init__(self, store: Store, tournaments: Tournaments, *, read: Reader) -> None:
        self.plays_finals = False  # a server does
        self._store = store
        self._tournaments = tournaments
        self._read = read

    async def end(self, row: TournamentRow, *, finalists: int, is_last: bool) -> EndedSeason:
        """End a season that is not over.

        The ratings that it ends with follow from all its groups together. Whoever is killed in
        between does it again: no final and no season comes twice.
        """
        await self.halt(row)
        with self._tournaments.hold(row.id):
            ratings = await self._read(read_season_ratings, self._store, row)
            final = await self._add_final(row, ratings, finalists)
            following = None
            if not is_last:
                following = await asyncio.to_thread(
                    partial(
                        self._store.add_tournament,
                        define_next_season(row.definition, ratings),
                        concurrency=row.concurrency,
                        create_time=wall_clock(),
                    )
                )
            await self._finish(row)
            await self._read(keep_season, self._store, row, ratings)
        row = await asyncio.to_thread(self._store.tournament, row.id)
        return EndedSeason(row=row, final=final, following=following)

    async def finish_if_followed(self, row: TournamentRow) -> bool:
        """Finish a season after which another one has begun: who ended it was killed too early."""
        rows = await asyncio.to_thread(self._store.tournaments_of_kind, TournamentKind.LADDER)
        variant = row.definition.variant
        if all(other.id <= row.id for other in rows if other.definition.variant == variant):
            return False
        await self.halt(row)
        with self._tournaments.hold(row.id):
            await self._finish(row)
        return True

    async def halt(self, row: TournamentRow) -> None:
        """Stop after the current matches, if this platform plays it."""
        if tasks := self._tournaments.stop(row.id):
            await asyncio.wait(tasks)

    async def _add_final(
        self, row: TournamentRow, ratings: Mapping[int, Rating], finalists: int
    ) -> TournamentRow | None:
        request = make_final_request(row.definition, ratings, finalists=finalists)
        if request is None:
            return None
        final = await asyncio.to_thread(find_final, self._store, row)
        if final is None:
            final = await self._tournaments.create(request)
            if self.plays_finals:
                await self._tournaments.start(final.id)
        return final

    async def resume_final(self, row: TournamentRow) -> bool:
        """Play the final of a season on, unless somebody does; return False when it is over.

        Nobody is awake to resume what a server that was killed had begun.
        """
        final = await asyncio.to_thread(find_final, self._store, row)
        if final is None or final.status.is_over:
            return False
        is_left = final.status is not TournamentStatus.PAUSED
        is_left = is_left and final.id not in self._tournaments.list_running()
        if is_left and not await asyncio.to_thread(self._store.is_claimed, final.id):
            await self._tournaments.start(final.id)
        return True

    async def _finish(self, row: TournamentRow) -> None:
        await asyncio.to_thread(
            end_tournament, self._store, row.id, TournamentStatus.FINISHED, wall_clock()
        )


def find_final(store: Store, row: TournamentRow) -> TournamentRow | None:
    """Return the final of a season, if there is one. Blocks."""
    name = name_final(row.definition)
    for known in store.tournaments():
        if known.definition.name == name and known.id > row.id:
            return known
    return None

"""Shows tournaments with their standings."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from mazzo_server.errors import NotFoundError
from mazzo_server.model import TournamentKind
from mazzo_server.pairing import make_pairing
from mazzo_server.results import (
    NodeShare,
    compute_node_shares,
    read_standings_with_course,
    read_tables,
)
from mazzo_server.results.standings import Audit, Course, Standings, compute_audit
from mazzo_server.results.watching import SharedAnswers
from mazzo_server.stats import Tables
from mazzo_server.storage import Store, TournamentRow, TournamentStatus
from mazzo_server.tournaments.changes import check_no_season
from mazzo_server.tournaments.reading import Reader, is_played

__all__ = ["Overview", "TournamentStanding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentStanding:
    """A tournament and its current standings."""

    row: TournamentRow
    running: bool  # this process plays it now
    matches_played: int
    matches_total: int
    standings: Standings | None  # None in a mere overview
    course: Course | None = None  # what lies behind the standings, likewise
    nodes: tuple[NodeShare, ...] = ()  # of a cluster that played it; empty in a mere overview


class Overview:
    """Shows the tournaments of a store."""

    def __init__(self, store: Store, *, read: Reader) -> None:
        self._store = store
        self._read = read
        self._answers = SharedAnswers[TournamentStanding]()  # by tournament
        self._auditing = asyncio.Lock()
        # The last audit, of which tournament and of how many groups it is.
        self._audit: tuple[tuple[int, int], Audit] | None = None

    async def show(self, tournament: int, *, max_age: float = 0.0) -> TournamentStanding:
        """Return a tournament with its standings.

        An answer that was asked for at most `max_age` seconds ago will do, and so will one that is
        still being read: so many watchers cost no more than one.
        """
        return await self._answers.find(
            tournament, partial(self._read_standing, tournament), max_age=max_age
        )

    async def _read_standing(self, tournament: int) -> TournamentStanding:
        def read() -> TournamentStanding:
            # Whether it is played comes first: it may end while the standings are computed.
            standing = self._make_standing(self._store.tournament(tournament))
            standings, course = read_standings_with_course(self._store, standing.row)
            rows = self._store.node_results(tournament)
            return replace(
                standing,
                standings=standings,
                course=course,
                nodes=compute_node_shares(standing.row.definition, rows),
            )

        return await self._read(read)

    async def check_no_season(self, tournament: int) -> None:
        """Raise `ConflictError` for a season of a ladder that is not over."""
        try:
            row = await asyncio.to_thread(self._store.tournament, tournament)
        except NotFoundError:  # of which others tell more
            return
        if not row.status.is_over:
            check_no_season(row.definition)

    async def audit(self, tournament: int) -> tuple[TournamentStanding, Audit]:
        """Return a tournament without standings, and whether pairs of its entrants stand out.

        One at a time, and anew only where more groups count than in the last answer.
        """

        def read() -> tuple[TournamentStanding, Tables]:
            row = self._store.tournament(tournament)
            return self._make_standing(row), read_tables(self._store, row)

        async with self._auditing:
            standing, tables = await self._read(read)
            key = (tournament, sum(sums.groups for sums in tables.values()))
            if self._audit is None or self._audit[0] != key:
                self._audit = key, await compute_audit(standing.row.definition, tables)
            return standing, self._audit[1]

    async def list_interrupted(self) -> list[int]:
        """Return the tournaments that are begun, not over, and played by nobody."""

        def read() -> list[int]:
            return [
                row.id
                for row in self._store.tournaments()
                if row.status is TournamentStatus.RUNNING and not is_played(self._store, row)
            ]

        return await self._read(read)

    async def list(
        self, *, also: Collection[TournamentKind] = (), finished: bool = False
    ) -> list[TournamentStanding]:
        """Return every tournament without standings, the newest first.

        Or only those that are `finished`, the one that ended last first. `also` names kinds that
        are wanted beside tournaments proper.
        """
        kinds = {TournamentKind.TOURNAMENT, *also}

        def read() -> list[TournamentStanding]:
            rows = self._store.tournaments(every_kind=bool(also))
            rows = [row for row in rows if row.definition.kind in kinds]
            if finished:
                rows = [row for row in rows if row.status is TournamentStatus.FINISHED]
                rows.sort(key=lambda row: (row.end_time or 0.0, row.id))
            return [self._make_standing(row) for row in reversed(rows)]

        return await self._read(read)

    def _make_standing(self, row: TournamentRow) -> TournamentStanding:
        running = is_played(self._store, row)
        if row.status is TournamentStatus.RUNNING and not running:
            with suppress(NotFoundError):  # it may just have ended, been resumed, or been deleted
                row = self._store.tournament(row.id)
                running = is_played(self._store, row)
        return TournamentStanding(
            row=row,
            running=running,
            matches_played=row.matches_played,
            matches_total=self._count_matches(row),
            standings=None,
        )

    def _count_matches(self, row: TournamentRow) -> int:
        if row.definition.pairing.keeps_results:
            return row.matches_played  # more follow as long as something is in doubt
        pairing = make_pairing(row.definition)
        if pairing.is_adaptive and row.status is TournamentStatus.FINISHED:
            return row.matches_played
        return pairing.total() * row.definition.seatings

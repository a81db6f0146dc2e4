"""Writes a tournament of a store to a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from mazzo_server.errors import ConflictError
from mazzo_server.model import TournamentKind
from mazzo_server.pairing import Group
from mazzo_server.results import Disclosure, read_rounds, read_standings
from mazzo_server.storage import Store
from mazzo_server.tournaments.stored.header import make_end_line, make_first_line
from mazzo_server.tournaments.stored.matches import make_match_line

__all__ = ["Export"]

_AT_ONCE = 64  # mirror groups that are read at a time


class Export:
    """A tournament that is over, as lines of JSON; `docs/reference/records.md` has them.

    Reading blocks, and keeps no more in memory than some mirror groups.
    """

    def __init__(self, store: Store, tournament: int) -> None:
        """Raise `NotFoundError`; raise `ConflictError` for one that cannot be exported."""
        self._store = store
        self._row = row = store.tournament(tournament)
        if not row.status.is_over:
            raise ConflictError(
                f"tournament {row.id} is not over, so its cards are shown to nobody: expected one "
                "that is finished or cancelled"
            )
        if row.definition.kind is TournamentKind.TABLE:
            raise ConflictError(
                f"people play at table {row.id}, so it is no tournament of bots: expected one, or "
                f"`mazzo replay export {row.id}/0/0` for the match alone"
            )
        if row.definition.kind is TournamentKind.CHALLENGE:
            raise ConflictError(
                f"tournament {row.id} is a challenge, which counts for nothing elsewhere: expected "
                f"another one, or `mazzo replay export {row.id}/0/0` for a match alone"
            )
        if row.definition.kind is TournamentKind.LADDER:
            raise ConflictError(
                f"tournament {row.id} is a season of a ladder, whose schedule another store could "
                "not follow: expected a tournament between bots that were there from its beginning"
            )
        if row.pruned:
            raise ConflictError(
                f"the records of tournament {row.id} were thrown away by `mazzo prune`: expected "
                "one that has them"
            )
        self.total = row.matches_played
        self.written = 0  # matches

    def list_lines(self) -> Iterator[str]:
        """Yield the lines: the tournament, each match in schedule order, and the standings.

        Raises `StoreError` where the stored matches cannot be played again.
        """
        row = self._row
        yield make_first_line(self._store, row)
        disclosure = Disclosure(self._store, row)
        for groups in read_rounds(self._store, row):
            for start in range(0, len(groups), _AT_ONCE):
                yield from self._list_matches(disclosure, groups[start : start + _AT_ONCE])
        now = self._store.tournament(row.id)
        if now.pruned or self.written != self.total:
            raise ConflictError(
                f"tournament {row.id} was pruned while it was written: nothing of it is exported"
            )
        yield make_end_line(self.written, read_standings(self._store, row))

    def _list_matches(self, disclosure: Disclosure, groups: Sequence[Group]) -> Iterator[str]:
        by_number = {group.number: group for group in groups}
        stored = self._store.outcomes(
            self._row.id,
            with_deals=True,
            first_group=groups[0].number,
            end_group=groups[-1].number + 1,
        )
        for number, outcomes in groupby(stored, key=attrgetter("group")):
            for outcome in outcomes:
                yield make_match_line(disclosure, by_number[number], outcome)
                self.written += 1

"""Shows the matches of tournaments, as far as they may be shown."""

from __future__ import annotations

from collections.abc import Sequence

from mazzo.match import Match
from mazzo.match_record import MatchRecord
from mazzo_server.errors import ConflictError
from mazzo_server.model import MatchOutcome
from mazzo_server.results.disclosure import Disclosure, ScheduledMatch
from mazzo_server.results.match_records import begin_match, make_record
from mazzo_server.results.match_search import MatchSearch
from mazzo_server.storage import Store, TournamentRow

__all__ = ["Replays"]


class Replays:
    """The matches of the tournaments of a store. Calls block."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.search = MatchSearch(store)

    def list_page(
        self, tournament: int, *, bot: str = "", start: int = 0, size: int
    ) -> tuple[list[ScheduledMatch], int | None]:
        """Return at most `size` matches in schedule order from `start` on, of a bot or of all.

        Also returns the number at which the next page starts; None: there is none. Only the groups
        of the page are read. Raises `NotFoundError`.
        """
        disclosure = Disclosure(self._store, self._store.tournament(tournament))
        wanted = disclosure.find_entrants(bot) if bot else None
        found: list[ScheduledMatch] = []
        for group in disclosure.list_groups(start // disclosure.seatings):
            if wanted is not None and wanted.isdisjoint(group.table):
                continue
            first = group.number * disclosure.seatings
            if len(found) == size:
                return found, first
            stored = disclosure.read_stored(group, with_deals=False)
            attempts = disclosure.read_attempts(group, stored)
            for number in range(max(first, start), first + disclosure.seatings):
                if len(found) == size:
                    return found, number
                found.append(disclosure.describe_match(group, number - first, stored, attempts))
        return found, None

    def read_record(
        self, tournament: int, group: int, seating: int, *, notes_for: str | None = None
    ) -> MatchRecord:
        """Return the record of a match as it is stored.

        With `notes_for` the record has the notes of that author's bots, or ("") of all bots. They
        are shown once the tournament is over, since an instance plays many matches and its notes
        can be about any of them. Raises `NotFoundError`; `ConflictError`, which says when the
        record will be available; and `StoreError` when the stored data do not give a match.
        """
        disclosure = Disclosure(self._store, self._store.tournament(tournament))
        scheduled = disclosure.find_group(group, seating)
        stored = disclosure.read_stored(scheduled, with_deals=True)
        disclosure.check_open(scheduled, seating, stored)
        outcome = stored[seating]
        heard = (
            disclosure.find_heard_seats(outcome, notes_for)
            if notes_for is not None
            else frozenset()
        )
        return make_record(disclosure, scheduled, outcome, heard)

    def prepare_rerun(
        self, tournament: int, group: int, seating: int
    ) -> tuple[TournamentRow, Sequence[tuple[int, int]], Match, MatchOutcome]:
        """Return what is needed to play a match again.

        Returns the tournament; by seat, the entrant and the number of its own seat; the match
        before its first action; and the stored match. Raises what `read_record` raises, and
        `ConflictError` for a match with a remote bot.
        """
        disclosure = Disclosure(self._store, self._store.tournament(tournament))
        scheduled = disclosure.find_group(group, seating)
        stored = disclosure.read_stored(scheduled, with_deals=True)
        disclosure.check_open(scheduled, seating, stored)
        remote = [
            disclosure.definition.entrants[index].name
            for index in scheduled.table
            if disclosure.definition.entrants[index].remote
        ]
        if remote:
            raise ConflictError(
                f"{' and '.join(remote)} played from another machine and may remember the match: "
                "expected a match between bots that play here"
            )
        outcome = stored[seating]
        seats = scheduled.parts_by_seat(seating, disclosure.definition.sides)
        return disclosure.row, seats, begin_match(disclosure, scheduled, outcome.attempt), outcome

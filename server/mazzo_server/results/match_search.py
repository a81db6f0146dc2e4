"""Finds the matches that were played, by what they were for a bot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mazzo.games import parse_variant
from mazzo_server.errors import NotFoundError
from mazzo_server.model import MatchId, compute_match_results
from mazzo_server.results.disclosure import is_group_over
from mazzo_server.storage import (
    FoundMatch,
    MatchPosition,
    MatchQuery,
    Store,
    TournamentRow,
    TournamentStatus,
    find_bot,
    read_withdrawn,
)

__all__ = ["ListedMatch", "MatchSearch"]

_MATCH_AND_SEAT = re.compile(r"(?P<match>[^/]+/[^/]+/[^/]+)/(?P<seat>[0-9]{1,3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMatch:
    """A match that was found, and its tournament."""

    tournament: TournamentRow
    match: FoundMatch
    # It counts for nobody: an entrant was withdrawn, or its mirror group was never finished.
    is_void: bool

    @property
    def place(self) -> str:
        """What names its place in the list: the match, and the seat of the bot if that was asked.

        The seat is there only where copies of the bot play against each other.
        """
        outcome, entrants = self.match.outcome, self.tournament.definition.entrants
        match = str(MatchId(self.match.tournament, outcome.group, outcome.seating))
        result = self.match.result
        if result is None:
            return match
        bots = [entrants[index].bot for index in set(outcome.entrants)]
        return f"{match}/{result.seat}" if bots.count(entrants[result.entrant].bot) > 1 else match


class MatchSearch:
    """The matches of a store that may be shown. Calls block."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find_page(
        self,
        query: MatchQuery,
        *,
        after: str = "",
        size: int,
    ) -> tuple[list[ListedMatch], bool]:
        """Return at most `size` matches, and whether more follow.

        They begin after the place `after`, such as "3/17/0" or "3/17/0/1"; without a seat it is the
        first one of the bot. The variant may be any text of it. Raises `VariantError`,
        `InvalidInputError`, and `NotFoundError` for a bot, a tournament or a match that is not
        there.
        """
        if query.tournament is not None:
            self._store.tournament(query.tournament)
        if query.variant:
            query = replace(query, variant=parse_variant(query.variant).text)
        position = self._find_position(query, *_parse_place(after)) if after else None
        found = self._store.find_matches(query, limit=size + 1, after=position)
        if not found and position is None:
            for name in filter(None, (query.bot, query.opponent)):
                find_bot(self._store, name)
        page = found[:size]
        numbers = {match.tournament for match in page}
        rows = {number: self._store.tournament(number) for number in numbers}
        withdrawn = {number: read_withdrawn(self._store, number).keys() for number in numbers}
        unfinished = self._find_unfinished(rows, page)
        listed = [
            ListedMatch(
                tournament=rows[match.tournament],
                match=match,
                is_void=(match.tournament, match.outcome.group) in unfinished
                or not withdrawn[match.tournament].isdisjoint(match.outcome.entrants),
            )
            for match in page
        ]
        return listed, len(found) > size

    def _find_unfinished(
        self, rows: Mapping[int, TournamentRow], page: Sequence[FoundMatch]
    ) -> set[tuple[int, int]]:
        """Return the mirror groups of these matches that will never have all their seatings."""
        cancelled = [row for row in rows.values() if row.status is TournamentStatus.CANCELLED]
        # The standings that were kept cover whole groups alone.
        whole = {row.id: (self._store.checkpoint(row.id) or (0, ""))[0] for row in cancelled}
        suspected = {
            (match.tournament, match.outcome.group)
            for match in page
            if match.outcome.group >= whole.get(match.tournament, match.outcome.group + 1)
        }
        return {
            (number, group)
            for number, group in suspected
            if len(self._store.finished_matches(number, first_group=group, end_group=group + 1))
            < rows[number].definition.seatings
        }

    def _find_position(self, query: MatchQuery, match: MatchId, seat: int | None) -> MatchPosition:
        """Return where a match stands in the list that is asked for, for the bot in that seat.

        A match that may not be shown stands nowhere, for its place would tell its result.
        """
        row = self._store.tournament(match.tournament)
        definition, bots = row.definition, [entrant.bot for entrant in row.definition.entrants]
        stored = {
            outcome.seating: outcome
            for outcome in self._store.outcomes(row.id, with_deals=False, group=match.group)
        }
        if not is_group_over(row, stored=len(stored), seatings=definition.seatings):
            stored = {}
        for result in compute_match_results([*stored.values()], definition.sides):
            is_of_bot = query.bot in ("", bots[result.entrant]) and seat in (None, result.seat)
            if result.seating == match.seating and is_of_bot:
                outcome = stored[match.seating]
                found = FoundMatch(
                    tournament=row.id, outcome=outcome, result=result if query.bot else None
                )
                position = found.find_position(query.order)
                if position is not None:
                    return position
        place = match if seat is None else f"{match}/{seat}"
        raise NotFoundError(f"expected a match of the list to begin after, got {place}")


def _parse_place(text: str) -> tuple[MatchId, int | None]:
    """Return the match of a place in a list, and the seat if it names one."""
    found = _MATCH_AND_SEAT.fullmatch(text)
    if found is None:
        return MatchId.parse(text), None
    return MatchId.parse(found["match"]), int(found["seat"])

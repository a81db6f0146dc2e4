"""Finds the matches that were played, by what they were for a bot."""

from __future__ import annotations

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
    find_bot,
    read_withdrawn,
)

__all__ = ["ListedMatch", "MatchSearch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMatch:
    """A match that was found, and its tournament."""

    tournament: TournamentRow
    match: FoundMatch
    is_void: bool  # it counts for nobody, since an entrant was withdrawn

    @property
    def id(self) -> MatchId:
        """The address of the match."""
        outcome = self.match.outcome
        return MatchId(self.match.tournament, outcome.group, outcome.seating)


class MatchSearch:
    """The matches of a store that may be shown. Calls block."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find_page(
        self,
        query: MatchQuery,
        *,
        after: MatchId | None = None,
        size: int,
    ) -> tuple[list[ListedMatch], bool]:
        """Return at most `size` matches, and whether more follow.

        They begin after the match `after`. The variant may be any text of it. Raises
        `VariantError`, and `NotFoundError` for a bot, a tournament or a match that is not there.
        """
        if query.tournament is not None:
            self._store.tournament(query.tournament)
        if query.variant:
            query = replace(query, variant=parse_variant(query.variant).text)
        position = None if after is None else self._find_position(query, after)
        found = self._store.find_matches(query, limit=size + 1, after=position)
        if not found and position is None:
            for name in filter(None, (query.bot, query.opponent)):
                find_bot(self._store, name)
        page = found[:size]
        numbers = {match.tournament for match in page}
        rows = {number: self._store.tournament(number) for number in numbers}
        withdrawn = {number: read_withdrawn(self._store, number).keys() for number in numbers}
        listed = [
            ListedMatch(
                tournament=rows[match.tournament],
                match=match,
                is_void=not withdrawn[match.tournament].isdisjoint(match.outcome.entrants),
            )
            for match in page
        ]
        return listed, len(found) > size

    def _find_position(self, query: MatchQuery, match: MatchId) -> MatchPosition:
        """Return where a match stands in the list that is asked for.

        A match that may not be shown stands nowhere, for its place would tell its result.
        """
        row = self._store.tournament(match.tournament)
        definition, names = row.definition, [entrant.name for entrant in row.definition.entrants]
        stored = {
            outcome.seating: outcome
            for outcome in self._store.outcomes(row.id, with_deals=False, group=match.group)
        }
        if not is_group_over(row, stored=len(stored), seatings=definition.seatings):
            stored = {}
        for result in compute_match_results([*stored.values()], definition.sides):
            if result.seating == match.seating and query.bot in ("", names[result.entrant]):
                outcome = stored[match.seating]
                found = FoundMatch(tournament=row.id, outcome=outcome, result=result)
                position = found.find_position(query.order)
                if position is not None:
                    return position
        raise NotFoundError(f"expected a match of the list to begin after, got {match}")

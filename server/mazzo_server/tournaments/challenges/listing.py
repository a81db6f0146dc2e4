"""Lists challenges: what is played, what waits in which place, and what is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mazzo_server.model import Entrant, find_bot_name
from mazzo_server.pairing import make_pairing
from mazzo_server.results import read_standings
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.challenges.queue import read_terms, sort_queue
from mazzo_server.tournaments.reading import is_played

__all__ = ["ChallengeList", "ChallengeStanding", "add_result", "list_standings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeStanding:
    """A challenge, and how far it has come."""

    row: TournamentRow
    running: bool  # some process plays it now
    place: int  # in the queue, 1 for the next one; 0: it is not waiting
    matches_total: int
    groups: tuple[int, int, int] | None = None  # that the bot has won, drawn and lost

    @property
    def author(self) -> str:
        """Who asked for it; "" for an organiser."""
        return read_terms(self.row).author

    @property
    def opponent(self) -> str:
        """The name of the bot that is challenged."""
        return find_bot_name(self._others[0].name)

    @property
    def opponent_version(self) -> int:
        """Its version."""
        return self._others[0].version

    @property
    def version(self) -> int:
        """The version of the bot that challenges, which is the hero of the definition."""
        definition = self.row.definition
        return next(one.version for one in definition.entrants if one.name == definition.hero)

    @property
    def _others(self) -> Sequence[Entrant]:
        definition = self.row.definition
        return [one for one in definition.entrants if one.name != definition.hero]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeList:
    """A part of the challenges, as somebody asks for them."""

    challenges: Sequence[ChallengeStanding]  # those of the queue in its order, then the newest
    has_more: bool  # after these
    per_day: int  # challenges of an author on a day
    asked_today: int  # of those by the author who asks, on this UTC day; 0 for everybody else


def add_result(store: Store, standing: ChallengeStanding) -> ChallengeStanding:
    """Return a challenge with what has come of its whole groups, if there is one. Blocks."""
    if not standing.row.matches_played:
        return standing
    hero = standing.row.definition.hero
    for row in read_standings(store, standing.row).rows:
        if row.name == hero and row.groups:
            return replace(standing, groups=(row.wins, row.draws, row.losses))
    return standing


def list_standings(
    store: Store, rows: Sequence[TournamentRow], *, start: int = 0, size: int | None = None
) -> Iterator[ChallengeStanding]:
    """Yield challenges: those of the queue in its order, then the others, the newest first.

    There are `size` of them at most, from place `start` on. Blocks.
    """
    queue = sort_queue(rows)
    queued = {row.id for row in queue}
    ordered = [*queue, *(row for row in reversed(rows) if row.id not in queued)]
    running = {row.id for row in queue if is_played(store, row)}
    waiting = [row.id for row in queue if row.id not in running]
    places = {number: place for place, number in enumerate(waiting, 1)}
    for row in ordered[start : None if size is None else start + size]:
        total = make_pairing(row.definition).total() * row.definition.seatings
        yield ChallengeStanding(
            row=row,
            running=row.id in running,
            place=places.get(row.id, 0),
            matches_total=total,
        )

"""Tells the hooks of organisers how tournaments end."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

from mazzo_server.clock import wall_clock
from mazzo_server.logs import LogAction
from mazzo_server.model import ChallengeTerms, TournamentKind
from mazzo_server.results import read_standings
from mazzo_server.results.standings import Standings
from mazzo_server.storage import (
    Announcement,
    ChallengeAnswered,
    PlatformFault,
    Store,
    TournamentOver,
    TournamentRow,
    TournamentStatus,
)

__all__ = ["announce_failure", "end_tournament", "is_event_wanted"]

_MOST_LEADERS: Final = 3


def end_tournament(
    store: Store, tournament: int, status: TournamentStatus, end_time: float
) -> None:
    """Store that a tournament is over, and tell the hooks so in the same transaction. Blocks.

    A match with a person is over without a word.
    """
    event = _make_event(store, store.tournament(tournament), status)
    announcement = None if event is None else Announcement.of(event, time=wall_clock())
    store.set_status(tournament, status, end_time=end_time, announcement=announcement)


def _make_event(
    store: Store, row: TournamentRow, status: TournamentStatus
) -> TournamentOver | ChallengeAnswered | None:
    """Return the event of a tournament that is over; None if no hook wants it."""
    definition = row.definition
    if definition.kind is TournamentKind.TOURNAMENT and is_event_wanted(store, TournamentOver.kind):
        is_finished = status is TournamentStatus.FINISHED
        standings = _find_standings(store, row) if is_finished else None
        return TournamentOver(
            tournament=row.id,
            name=definition.name,
            variant=definition.variant,
            status=status.value,
            matches_played=row.matches_played,
            leaders=tuple(one.name for one in standings.rows[:_MOST_LEADERS]) if standings else (),
        )
    if definition.challenge is not None and is_event_wanted(store, ChallengeAnswered.kind):
        return _answer_challenge(row, definition.challenge, status, _find_standings(store, row))
    return None


def _answer_challenge(
    row: TournamentRow,
    terms: ChallengeTerms,
    status: TournamentStatus,
    standings: Standings | None,
) -> ChallengeAnswered:
    entrants, hero = row.definition.entrants, row.definition.hero
    bot = next(one for one in entrants if one.name == hero)
    opponent = next(one for one in entrants if one.name != hero)
    event = ChallengeAnswered(
        tournament=row.id,
        variant=row.definition.variant,
        author=terms.author,
        bot=bot.bot,
        version=bot.version,
        opponent=opponent.bot,
        opponent_version=opponent.version,
        status=status.value,
        groups=0,
    )
    for own in standings.rows if standings else ():
        if own.name == hero:
            return replace(
                event,
                groups=own.groups,
                wins=own.wins,
                draws=own.draws,
                losses=own.losses,
                score_per_deal=own.score_per_deal.mean,
            )
    return event  # nothing of it counts


def announce_failure(store: Store, row: TournamentRow, error: Exception) -> None:
    """Tell the hooks that the platform cannot go on with a tournament. Blocks."""
    event = PlatformFault(
        action=LogAction.TOURNAMENT_FAILED.value,
        text=f"tournament {row.id} failed: {error}",
        tournament=row.id,
    )
    store.announce(Announcement.of(event, time=wall_clock()))


def is_event_wanted(store: Store, kind: str) -> bool:
    """Tell whether some hook asks for that kind of event. Blocks."""
    return any(kind in hook.events and not hook.disabled for hook in store.hooks())


def _find_standings(store: Store, row: TournamentRow) -> Standings | None:
    # Whatever is wrong with the standings, the tournament is over.
    with suppress(Exception):
        return read_standings(store, row)
    return None

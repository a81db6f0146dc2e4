"""Tells the hooks of organisers how tournaments end."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from mazzo_server.clock import wall_clock
from mazzo_server.logs import LogAction
from mazzo_server.model import TournamentKind
from mazzo_server.results import read_standings
from mazzo_server.storage import (
    Announcement,
    PlatformFault,
    Store,
    TournamentOver,
    TournamentRow,
    TournamentStatus,
)

__all__ = ["announce_failure", "end_tournament"]

_MOST_LEADERS: Final = 3


def end_tournament(
    store: Store, tournament: int, status: TournamentStatus, end_time: float
) -> None:
    """Store that a tournament is over, and tell the hooks so in the same transaction. Blocks.

    What counts for no ranking, such as a match with a person, is over without a word.
    """
    row = store.tournament(tournament)
    announcement = None
    if row.definition.kind is TournamentKind.TOURNAMENT and _is_wanted(store):
        event = TournamentOver(
            tournament=tournament,
            name=row.definition.name,
            variant=row.definition.variant,
            status=status.value,
            matches_played=row.matches_played,
            leaders=_find_leaders(store, row) if status is TournamentStatus.FINISHED else (),
        )
        announcement = Announcement.of(event, time=wall_clock())
    store.set_status(tournament, status, end_time=end_time, announcement=announcement)


def announce_failure(store: Store, row: TournamentRow, error: Exception) -> None:
    """Tell the hooks that the platform cannot go on with a tournament. Blocks."""
    event = PlatformFault(
        action=LogAction.TOURNAMENT_FAILED.value,
        text=f"tournament {row.id} failed: {error}",
        tournament=row.id,
    )
    store.announce(Announcement.of(event, time=wall_clock()))


def _is_wanted(store: Store) -> bool:
    return any(TournamentOver.kind in hook.events and not hook.disabled for hook in store.hooks())


def _find_leaders(store: Store, row: TournamentRow) -> tuple[str, ...]:
    # Whatever is wrong with the standings, the tournament is over.
    with suppress(Exception):
        return tuple(one.name for one in read_standings(store, row).rows[:_MOST_LEADERS])
    return ()

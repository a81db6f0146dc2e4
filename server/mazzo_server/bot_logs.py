"""Why a bot forfeited, and what it wrote: for its author, once the cards are no secret any more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from mazzo_server.outcome import Fault, MatchOutcome
from mazzo_server.replays import is_group_over
from mazzo_server.schedule import seatings_of
from mazzo_server.storage import Store, TournamentRow

__all__ = ["BotLog", "logs_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLog:
    """One forfeit of a bot."""

    tournament: int
    version: int
    group: int
    seating: int
    fault: Fault  # without its log
    log: str | None  # the end of what the instance wrote; None until the tournament is finished


def logs_of(store: Store, name: str, tournament: int = 0) -> list[BotLog]:
    """The forfeits of a bot in one tournament, or (0) in all, in order of the schedule.

    Only of mirror groups that are over: before that the reason could tell the cards of deals
    that are still to be played. And what an instance wrote can be about any of the matches that
    it played, so that is told when the whole tournament is over.
    """
    rows = [store.tournament(tournament)] if tournament else store.tournaments()
    return [log for row in rows for log in _in_tournament(store, name, row)]


def _in_tournament(store: Store, name: str, row: TournamentRow) -> list[BotLog]:
    names = [entrant.name for entrant in row.definition.entrants]
    if name not in names:
        return []
    entrant = names.index(name)

    def forfeits(match: MatchOutcome) -> list[Fault]:
        own = (fault for fault in match.faults if match.entrants[fault.seat] == entrant)
        return sorted(own, key=lambda fault: fault.seat)

    is_over = row.status.is_over
    seatings = seatings_of(row.definition)
    stored = Counter(group for group, _ in store.finished_matches(row.id))
    groups = {match.group for match in store.outcomes(row.id, with_deals=False) if forfeits(match)}
    return [
        BotLog(
            tournament=row.id,
            version=row.definition.entrants[entrant].version,
            group=match.group,
            seating=match.seating,
            fault=replace(fault, log=""),
            log=fault.log if is_over else None,
        )
        for group in sorted(groups)
        if is_group_over(row, stored=stored[group], seatings=seatings)
        for match in store.outcomes(row.id, with_deals=is_over, group=group)
        for fault in forfeits(match)
    ]

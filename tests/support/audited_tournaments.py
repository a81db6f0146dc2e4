"""Finished tournaments for audits, made without playing."""

from __future__ import annotations

from dataclasses import replace

from bench.simulated import Field, definition, play
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results import keep_standings
from mazzo_server.storage import Store, TournamentStatus
from support.stored_rows import add_tournament

__all__ = ["add_audited"]

FIELD = Field(skills=(20.0, 12.0, 9.0, 4.0, 0.0, -8.0), seed=3, seats=3)


def add_audited(store: Store, *, groups: int, gift: int = 0) -> int:
    """Add one of six bots in which bot-02 gives so many points of each deal to bot-04."""
    defined = definition(FIELD, groups=groups)
    number = add_tournament(store, defined)
    for group in list_groups(make_pairing(defined)):
        outcomes = play(FIELD, group)
        if gift and {2, 4} <= {*group.table}:
            outcomes = [_move_points(match, gift) for match in outcomes]
        store.add_outcomes(number, outcomes)
    keep_standings(store, number)
    store.set_status(number, TournamentStatus.FINISHED, end_time=6.0)
    return number


def _move_points(match: MatchOutcome, gift: int) -> MatchOutcome:
    giver, taker = match.entrants.index(2), match.entrants.index(4)

    def move(scores: tuple[int, ...]) -> tuple[int, ...]:
        changed = list(scores)
        changed[giver] -= gift
        changed[taker] += gift
        return tuple(changed)

    deals = tuple(deal._replace(scores=move(deal.scores)) for deal in match.deals if deal.scores)
    return replace(match, deals=deals)

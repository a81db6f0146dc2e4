"""Finished tournaments for audits, made without playing."""

from __future__ import annotations

from dataclasses import replace

from bench.simulated import Field, definition, play
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import Group, list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results import continue_rounds, keep_standings
from mazzo_server.results.standings import judge_group
from mazzo_server.storage import Store, TournamentStatus
from support.manual_tournaments import list_ladder_options
from support.stored_rows import add_tournament

__all__ = ["add_audited", "add_audited_season"]

FIELD = Field(skills=(20.0, 12.0, 9.0, 4.0, 0.0, -8.0), seed=3, seats=3)


def add_audited(store: Store, *, groups: int, gift: int = 0) -> int:
    """Add one of six bots in which bot-02 gives so many points of each deal to bot-04."""
    defined = definition(FIELD, groups=groups)
    number = add_tournament(store, defined)
    for group in list_groups(make_pairing(defined)):
        store.add_outcomes(number, _give(play(FIELD, group), group, gift))
    keep_standings(store, number)
    store.set_status(number, TournamentStatus.FINISHED, end_time=6.0)
    return number


def add_audited_season(store: Store, *, groups: int, gift: int = 0) -> int:
    """Add a season of a ladder of six bots that is being played, in which they do so, too."""
    ladder = list_ladder_options(len(FIELD.skills), groups=groups)
    defined = replace(definition(FIELD, groups=1), **ladder)
    number = add_tournament(store, defined)
    rounds = continue_rounds(store, store.tournament(number))
    while made := rounds.make_round():
        played = [_give(play(FIELD, group), group, gift) for group in made]
        for outcomes in played:
            store.add_outcomes(number, outcomes)
        rounds.add_results(
            [
                judge_group(group, outcomes, sides=FIELD.sides)
                for group, outcomes in zip(made, played, strict=True)
            ]
        )
    return number


def _give(outcomes: list[MatchOutcome], group: Group, gift: int) -> list[MatchOutcome]:
    if not gift or not {2, 4} <= {*group.table}:
        return outcomes
    return [_move_points(match, gift) for match in outcomes]


def _move_points(match: MatchOutcome, gift: int) -> MatchOutcome:
    giver, taker = match.entrants.index(2), match.entrants.index(4)

    def move(scores: tuple[int, ...]) -> tuple[int, ...]:
        changed = list(scores)
        changed[giver] -= gift
        changed[taker] += gift
        return tuple(changed)

    deals = tuple(deal._replace(scores=move(deal.scores)) for deal in match.deals if deal.scores)
    return replace(match, deals=deals)

"""Standings do not depend on how many matches are played at once, or on which ends first."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.model import Change, Definition, Mirror, PairingScheme
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.results.checkpoints import read_standings
from mazzo_server.results.tables import to_json
from mazzo_server.serving.grpc.messages import encode_tournament
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.tournaments.overview import TournamentStanding
from support.in_process_bots import PromptSpec
from support.scripted_tournaments import PATIENCE, Arena, make_run

pytestmark = pytest.mark.slow

GONE = Change(entrant=1, first_group=6, joins=False)
COMES = Change(entrant=3, first_group=9, joins=True)
CASES: dict[str, tuple[int, dict[str, Any]]] = {
    "pairs": (3, {"groups": 5}),
    "three sides": (4, {"variant": "briscola/3", "groups": 2}),
    "teams": (3, {"variant": "briscola/4", "groups": 4}),
    "tables": (5, {"variant": "briscola/3", "groups": 2, "tables": 5}),
    "gauntlet": (4, {"pairing": PairingScheme.GAUNTLET, "hero": "bot-01", "groups": 4}),
    "changes": (4, {"groups": 4, "changes": (GONE, COMES)}),
    "swiss": (5, {"pairing": PairingScheme.SWISS, "rounds": 4, "groups": 2}),
    "until separated": (3, {"until_separated": 0.8, "groups": 8}),
}


class Shuffling(MemoryStore):
    """Stores what comes together in any order, and no times, so that nothing else can differ."""

    def __init__(self, by: random.Random) -> None:
        super().__init__()
        self.order: list[tuple[int, int]] = []
        self._by = by

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        shuffled = [
            replace(
                outcome,
                deals=tuple(
                    deal._replace(micros=(0,) * len(deal.micros)) for deal in outcome.deals
                ),
                thinking_seconds=(0.0,) * len(outcome.thinking_seconds),
            )
            for outcome in outcomes
        ]
        self._by.shuffle(shuffled)
        self.order += [(outcome.group, outcome.seating) for outcome in shuffled]
        super().add_outcomes(tournament_id, shuffled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What there is of a tournament that is over."""

    standings: str  # JSON
    checkpoint: tuple[int, str] | None
    matches: list[MatchOutcome]


def play(definition: Definition, *, concurrency: int) -> tuple[Played, list[tuple[int, int]]]:
    """Play with delays that differ each time; with the order in which matches were stored."""
    by = random.Random()
    store = Shuffling(by)
    row = store.add_tournament(definition, concurrency=concurrency, create_time=0.0)
    claim = store.claim(row.id)
    assert claim is not None
    specs = [
        PromptSpec(choice=number, delay=lambda: 0.004 * (by.random() < 0.1))
        for number, _ in enumerate(definition.entrants)
    ]
    run = make_run(
        row,
        store,
        specs,
        claim=claim,
        concurrency=concurrency,
    )

    async def main() -> None:
        run.begin()
        assert run.task is not None
        await asyncio.wait_for(run.task, PATIENCE)

    asyncio.run(main())
    row = store.tournament(row.id)
    assert row.status is TournamentStatus.FINISHED
    standing = TournamentStanding(
        row=row,
        running=False,
        matches_played=row.matches_played,
        matches_total=row.matches_played,
        standings=read_standings(store, row),
    )
    played = Played(
        standings=json.dumps(to_json(encode_tournament(standing).standings)),
        checkpoint=store.checkpoint(row.id),
        matches=store.outcomes(row.id, with_deals=True),
    )
    return played, store.order


@pytest.mark.parametrize("case", CASES)
def test_standings_do_not_depend_on_the_order(case: str) -> None:
    """Nor do the records, the groups that are played, and what is kept of the standings."""
    entrants, options = CASES[case]
    definition = Arena(Path()).definition(entrants, mirror=Mirror.ROTATIONS, **options)
    (first, in_order), *others = (play(definition, concurrency=number) for number in (1, 4, 16))
    assert first.checkpoint is not None
    assert len(in_order) == len(set(in_order)) >= 24
    for other, order in others:
        assert order != in_order, "every match ended in its turn"
        assert other.matches == first.matches
        assert other.checkpoint == first.checkpoint
        assert other.standings == first.standings

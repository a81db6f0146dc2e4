"""A tournament whose matches a test plays one by one, without a bot."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mazzo.cards import bits
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import attempt_seed
from mazzo_server.model import (
    Change,
    Definition,
    Entrant,
    Mirror,
    PairingScheme,
    TimeControl,
    TournamentKind,
)
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import Group, begin_rounds, list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play.table import Ask, Table
from mazzo_server.results.rounds import read_results
from mazzo_server.storage import MemoryStore, Store, TournamentStatus

__all__ = ["Answer", "Club", "definition_of", "entrants_of", "legal", "list_ladder_options"]

Answer = Callable[[Table, Ask, random.Random], object]
"""Feeds a table at an open decision."""


def legal(table: Table, ask: Ask, generator: random.Random) -> object:
    return table.answer(generator.choice(list(bits(ask.view.legal_mask))), 0.001)


def entrants_of(*names: str) -> tuple[Entrant, ...]:
    return tuple(Entrant(name=name, version=2, content_hash="0" * 64) for name in names)


def definition_of(variant: str = "briscola/2", **options: object) -> Definition:
    given: dict[str, object] = {
        "name": "test",
        "variant": variant,
        "entrants": entrants_of("ann", "bob", "cleo"),
        "match_format": "deals:2",
        "mirror": Mirror.ROTATIONS,
        "groups": 2,
        "draws": parse_variant(variant).game.draw_modes[-1],
        "time": TimeControl(),
        "isolation": "none",
        "seed": bytes(range(32)),
        "seed_chosen": True,
    }
    return Definition(**(given | options))  # type: ignore[arg-type]


def list_ladder_options(bots: int = 3, **others: Any) -> dict[str, Any]:
    """Return what makes a tournament the season of a ladder of so many bots."""
    return {
        "kind": TournamentKind.LADDER,
        "pairing": PairingScheme.LADDER,
        "mirror": Mirror.ROTATIONS,
        "confidence": 0.9999,
        "groups": 10_000,
        "season": 1,
        "share": 0.5,
        "changes": tuple(Change(entrant=index, first_group=0, joins=True) for index in range(bots)),
    } | others


class Club:
    """A tournament in a store, of which matches are played one by one."""

    def __init__(
        self,
        variant: str = "briscola/2",
        *,
        store: Store | None = None,
        create_time: float = 0.0,
        **options: object,
    ) -> None:
        self.store = store or MemoryStore()
        self.definition = definition_of(variant, **options)
        row = self.store.add_tournament(self.definition, concurrency=1, create_time=create_time)
        self.id, self.create_time = row.id, create_time
        pairing = make_pairing(self.definition)
        # Where results decide, a test gives the groups that it plays.
        self.groups: list[Group] = [] if pairing.is_adaptive else list(list_groups(pairing))

    def play(
        self,
        group: int,
        seating: int,
        answer: Answer = legal,
        *,
        attempt: int = 0,
        end_time: float = 0.0,
    ) -> MatchOutcome:
        """Play and store a match."""
        variant = parse_variant(self.definition.variant)
        scheduled = self.groups[group]
        match = Match(
            variant,
            attempt_seed(scheduled.seed, attempt),
            MatchFormat.parse(self.definition.match_format),
            draws=self.definition.draws,
        )
        table = Table(match, self.definition.time)
        table.start()
        generator = random.Random(f"{group} {seating}")
        while (ask := table.asked) is not None:
            answer(table, ask, generator)
        entrants = scheduled.by_seat(seating, variant.sides)
        outcome = table.outcome(group=group, seating=seating, entrants=entrants)
        outcome = replace(outcome, attempt=attempt, end_time=end_time)
        self.store.add_outcomes(self.id, [outcome])
        return outcome

    def play_rounds(self, groups: int, choose: Callable[[Group, int], Answer]) -> None:
        """Where results decide, play on until there are so many groups, a group a minute.

        `choose` says who answers in a seating of a group. The tournament is then running.
        """
        rounds = begin_rounds(make_pairing(self.definition))
        while rounds.end < groups:
            made = rounds.make_round()
            self.groups += made
            for group in made:
                end_time = self.create_time + 60.0 * group.number
                for seating in range(len(group.seatings)):
                    self.play(group.number, seating, choose(group, seating), end_time=end_time)
            rounds.add_results(read_results(self.store, self.id, self.definition, made))
            kept = rounds.to_json()
            assert kept is not None
            self.store.keep_schedule(self.id, kept)
        self.store.set_status(self.id, TournamentStatus.RUNNING)

    def play_all_alike(self, *, end_times: Sequence[float] = (0.0,)) -> None:
        """Play the first match of two bots, and store it as the other ones; that takes no time.

        From the second match on they have these ends, by turns.
        """
        first = self.play(0, 0)
        others: list[MatchOutcome] = []
        for group in range(len(self.groups)):
            for seating in range(2):
                end_time = end_times[len(others) % len(end_times)]
                others.append(
                    replace(
                        first,
                        group=group,
                        seating=seating,
                        entrants=first.entrants if not seating else first.entrants[::-1],
                        end_time=end_time,
                    )
                )
        self.store.add_outcomes(self.id, others[1:])

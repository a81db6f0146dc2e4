"""Brackets that are played by chance, without matches."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mazzo_server.model import Change, Definition, Mirror, PairingScheme, Seeding, TimeControl
from mazzo_server.pairing import Bracket, Group, GroupResult, make_elimination
from mazzo_server.stats import Cluster
from support.pairing_checks import entrants

__all__ = [
    "PlayedBracket",
    "define_bracket",
    "play_bracket",
    "score_by_chance",
    "score_group",
]


def define_bracket(
    number: int, sides: int = 2, *, scheme: PairingScheme = PairingScheme.KNOCK_OUT, **options: Any
) -> Definition:
    """A bracket of so many entrants, seeded in their order, one group a bout unless it is said."""
    is_of_tables = sides > 2
    given: dict[str, Any] = {
        "name": "finals",
        "variant": f"frap/{sides}",
        "entrants": entrants(number),
        "match_format": f"deals:{sides}",
        "mirror": Mirror.ROTATIONS,
        "groups": 1,
        "draws": "top",
        "time": TimeControl(),
        "isolation": "none",
        "seed": bytes(range(32)),
        "seed_chosen": True,
        "pairing": scheme,
        "seeding": Seeding.DRAWN,
        "seeds": tuple(range(number)),
        "confidence": 0.95,
        "advance": sides // 2 if is_of_tables else None,
    }
    return Definition(**given | options)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedBracket:
    """What came of a bracket, and the definition with those who left."""

    definition: Definition
    groups: list[Group]
    results: list[GroupResult]
    bracket: Bracket
    gone: frozenset[int]


Score = Callable[[Group], Sequence[int]]
"""What the entrants of a group score in it, in the order of its table."""


def play_bracket(
    definition: Definition, score: Score, *, leave: Sequence[tuple[int, int, bool]] = ()
) -> PlayedBracket:
    """Play to the end. Each of `leave` has a number of looks, an entrant that leaves in the next
    look, and whether it is withdrawn, which makes its groups of this look void; else it retires."""
    groups: list[Group] = []
    results: list[GroupResult] = []
    gone: set[int] = set()
    looks = 0
    while batch := make_elimination(definition).next(len(groups), results):
        groups += batch
        end = len(groups)
        leaving = [(entrant, void) for look, entrant, void in leave if look == looks]
        void = {entrant for entrant, is_void in leaving if is_void}
        for group in batch:
            out = frozenset(void.intersection(group.table))
            results.append(
                GroupResult(table=group.table, ranks=None, scores={}, withdrawn=out)
                if out
                else score_group(group, score(group))
            )
        changes = [
            Change(entrant=entrant, first_group=end, joins=False)
            for entrant, _ in leaving
            if entrant not in gone
        ]
        gone |= {entrant for entrant, _ in leaving}
        definition = replace(definition, changes=(*definition.changes, *changes))
        looks += 1
    return PlayedBracket(
        definition=definition,
        groups=groups,
        results=results,
        bracket=make_elimination(definition).make_bracket(results),
        gone=frozenset(gone),
    )


def score_group(group: Group, scores: Sequence[int]) -> GroupResult:
    """The result of a group of one deal for each side and seating with these scores in all."""
    deals = len(group.table) * len(group.seatings)
    ranks = {
        entrant: sum(other > own for other in scores)
        for entrant, own in zip(group.table, scores, strict=True)
    }
    clusters = {
        entrant: Cluster(score=own, deals=deals)
        for entrant, own in zip(group.table, scores, strict=True)
    }
    return GroupResult(table=group.table, ranks=ranks, scores=clusters)


def score_by_chance(generator: random.Random) -> Score:
    """Scores that sum to zero, some of them level."""

    def score(group: Group) -> list[int]:
        found = [generator.randrange(-3, 4) for _ in group.table[1:]]
        return [*found, -sum(found)]

    return score

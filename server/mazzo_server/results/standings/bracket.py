"""The bracket of a tournament, as it stands after its mirror groups so far."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mazzo_server.model import Definition
from mazzo_server.pairing import (
    Bout,
    BoutReason,
    BoutStage,
    Bracket,
    BracketLook,
    Group,
    GroupResult,
    LookSums,
    list_pools,
    make_elimination,
    rank_qualified,
)

__all__ = [
    "BracketSums",
    "PlayedBout",
    "PlayedEntrant",
    "PlayedPool",
    "PlayedPoolRow",
    "list_played_pools",
    "list_played_rounds",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedEntrant:
    """One entrant of a bout."""

    name: str
    seed: int  # from 1
    score_per_deal: Fraction | None  # in this bout; None without a counted deal
    goes_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedBout:
    """A bout as people look at it."""

    stage: BoutStage
    round: int
    advance: int
    entrants: tuple[PlayedEntrant, ...]  # by place once it is decided, by seed before
    groups: int
    reason: BoutReason | None
    certainty: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedPoolRow:
    """One entrant of a pool."""

    name: str
    seed: int  # from 1
    score_per_deal: Fraction | None  # in the pool; None without a counted deal
    groups: int  # mirror groups that count
    goes_on: bool  # to the knock-out; False until all pools are over
    has_left: bool  # it was withdrawn or retired before the pools were over


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedPool:
    """A pool as people look at it."""

    number: int  # from 1
    rows: tuple[PlayedPoolRow, ...]  # by place
    is_over: bool


class BracketSums:
    """The bracket before the newest look, and the sums of the groups of this look."""

    def __init__(self, definition: Definition) -> None:
        self._pairing = make_elimination(definition)
        self._numbers = range(0)  # of the look's groups
        self._left = 0  # of these, those that are not over
        self._sums: LookSums | None = None

    def add(self, group: Group, result: GroupResult) -> None:
        """Add a group that is over, or void."""
        assert group.look is not None
        if self._sums is None or group.look.numbers != self._numbers:
            self._begin(group.look, left=len(group.look.numbers))
        assert self._sums is not None
        self._sums.add(result)
        self._left -= 1

    def _begin(self, look: BracketLook, *, left: int) -> None:
        self._numbers, self._left = look.numbers, left
        self._sums = LookSums(look.bracket)

    def to_json(self) -> list[Any]:
        """Return the whole state as values that JSON can hold, for `read_json`."""
        if self._sums is None:
            return []
        numbers = [self._numbers.start, self._numbers.stop, self._left]
        return [*numbers, self._sums.make_bracket().to_json()]

    def read_json(self, state: Sequence[Any]) -> None:
        """Go on from the state that `to_json` returned."""
        if state:
            start, stop, left, bracket = state
            look = BracketLook(bracket=Bracket.from_json(bracket), numbers=range(start, stop))
            self._begin(look, left=left)

    def make_bracket(self, withdrawn: Collection[int]) -> Bracket:
        """Return the bracket; what a look decides is known at its end."""
        if self._sums is None:
            return self._pairing.make_bracket(())
        bracket = self._sums.make_bracket()
        if self._left:
            return bracket
        return self._pairing.finish_look(bracket, self._numbers.stop, withdrawn)


def list_played_pools(definition: Definition, bracket: Bracket) -> tuple[PlayedPool, ...]:
    """Return the pools of a bracket with the names of the entrants; none where it has none."""
    pools = list_pools(bracket.rounds, definition.seeds)
    seeds = {entrant: seed for seed, entrant in enumerate(definition.seeds, start=1)}
    are_over = all(pool.is_over for pool in pools)
    return tuple(
        PlayedPool(
            number=pool.number,
            rows=tuple(
                PlayedPoolRow(
                    name=definition.entrants[row.entrant].name,
                    seed=seeds[row.entrant],
                    score_per_deal=row.score,
                    groups=row.groups,
                    goes_on=are_over and place < (definition.qualify or 0) and not row.has_left,
                    has_left=row.has_left,
                )
                for place, row in enumerate(pool.rows)
            ),
            is_over=pool.is_over,
        )
        for pool in pools
    )


def list_played_rounds(
    definition: Definition, bracket: Bracket
) -> tuple[tuple[PlayedBout, ...], ...]:
    """Return the rounds of a bracket with the names of the entrants; without those of pools.

    The seeds are those of the rounds: after pools others than those of the tournament.
    """
    rounds, order = bracket.rounds, definition.seeds
    if pools := list_pools(rounds, definition.seeds):
        assert definition.qualify is not None
        rounds = rounds[1:]
        order = tuple(
            rank_qualified(
                pools,
                definition.seeds,
                qualify=definition.qualify,
                sides=len(definition.sides),
            )
        )
    everybody = dict.fromkeys((*order, *definition.seeds))
    seeds = {entrant: seed for seed, entrant in enumerate(everybody, start=1)}

    def make_bout(bout: Bout) -> PlayedBout:
        return PlayedBout(
            stage=bout.stage,
            round=bout.round,
            advance=bout.advance,
            entrants=tuple(
                PlayedEntrant(
                    name=definition.entrants[entrant].name,
                    seed=seeds[entrant],
                    score_per_deal=None if bout.is_bye else bout.find_score(entrant),
                    goes_on=entrant in bout.order[: bout.advance],
                )
                for entrant in bout.order or bout.table
            ),
            groups=bout.groups,
            reason=bout.reason,
            certainty=bout.certainty,
        )

    return tuple(tuple(map(make_bout, bouts)) for bouts in rounds)

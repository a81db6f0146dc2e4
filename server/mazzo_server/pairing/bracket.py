"""The bracket of a knock-out or a double elimination, as far as it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Self

from mazzo_server.stats import Sums

__all__ = ["Bout", "BoutReason", "BoutStage", "Bracket", "BracketLook"]


class BoutStage(StrEnum):
    """The part of a bracket to which a bout belongs."""

    POOL = "pool"  # of a round robin before a knock-out; its number is that of the pool
    ROUND = "round"  # of a knock-out, before its final
    THIRD_PLACE = "third-place"
    FINAL = "final"
    WINNERS = "winners"  # of a double elimination: nobody in it has lost
    LOSERS = "losers"  # everybody in it has lost once
    GRAND_FINAL = "grand-final"
    RESET = "reset"  # of the grand final, which its unbeaten entrant has lost


class BoutReason(StrEnum):
    """Why those go on that do."""

    BYE = "bye"  # it had no opponent
    WALKOVER = "walkover"  # an opponent was withdrawn or retired
    CONFIDENCE = "confidence"  # by score per deal, as surely as was asked
    SCORE = "score"  # by score per deal, after the last group
    SEEDING = "seeding"  # the scores were level: the higher seeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Bout:
    """Some mirror groups of one table, after which the first of them go on; or a bye.

    In a pool one bout of several that together decide who goes on.
    """

    table: tuple[int, ...]  # its entrants, the highest seed first; of a bye one alone
    stage: BoutStage
    round: int  # in its stage, from 1
    advance: int  # how many go on; 0 in a pool, where all its bouts together decide that
    groups: int = 0  # that are over, void ones among them
    sums: tuple[int, ...] = ()  # of the groups that count, as `Sums.to_json` returns them
    order: tuple[int, ...] = ()  # its entrants by place; empty until it is decided
    reason: BoutReason | None = None  # None until it is decided
    # The least probability that one who goes on is really better than one who does not; None where
    # it cannot be estimated.
    certainty: float | None = None
    left: tuple[int, ...] = ()  # its entrants that were withdrawn or retired before it was decided

    @property
    def seated(self) -> tuple[int, ...]:
        """Its entrants, ascending, as the table of a group has them."""
        return tuple(sorted(self.table))

    @property
    def is_bye(self) -> bool:
        """Whether nobody plays."""
        return len(self.table) == 1

    def read_sums(self) -> Sums:
        """Return the sums of the groups that count, by place in `seated`."""
        if not self.sums:
            return Sums(len(self.table))
        return Sums.from_json(len(self.table), self.sums)

    def find_score(self, entrant: int) -> Fraction | None:
        """Return what an entrant scored in a deal; None without a counted deal."""
        sums = self.read_sums()
        if not sums.deals:
            return None
        return Fraction(sums.scores[self.seated.index(entrant)], sums.deals)

    def to_json(self) -> list[Any]:
        """Return the bout as values that JSON can hold, for `from_json`."""
        found = [self.table, self.stage, self.round, self.advance, self.groups, self.sums]
        return [*found, self.order, self.reason, self.certainty, self.left]

    @classmethod
    def from_json(cls, state: Sequence[Any]) -> Self:
        """Return the bout that `to_json` returned."""
        table, stage, round_, advance, groups, sums, order, reason, certainty, left = state
        return cls(
            table=tuple(table),
            stage=BoutStage(stage),
            round=round_,
            advance=advance,
            groups=groups,
            sums=tuple(sums),
            order=tuple(order),
            reason=None if reason is None else BoutReason(reason),
            certainty=certainty,
            left=tuple(left),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """All rounds so far; the bouts of a round are played at the same time."""

    rounds: tuple[tuple[Bout, ...], ...]  # only the last one has bouts that are not decided
    is_over: bool = False

    @property
    def open_bouts(self) -> list[Bout]:
        """The bouts that are being played."""
        return [bout for bout in self.rounds[-1] if not bout.order] if self.rounds else []

    def to_json(self) -> list[Any]:
        """Return the bracket as values that JSON can hold, for `from_json`."""
        return [self.is_over, [[bout.to_json() for bout in bouts] for bouts in self.rounds]]

    @classmethod
    def from_json(cls, state: Sequence[Any]) -> Self:
        """Return the bracket that `to_json` returned."""
        is_over, rounds = state
        return cls(
            rounds=tuple(tuple(map(Bout.from_json, bouts)) for bouts in rounds), is_over=is_over
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketLook:
    """The bracket before some groups of all open bouts, after which these may be decided."""

    bracket: Bracket
    numbers: range  # of all groups of the look

"""Whether one bot of an arena is better than another, as a sequential test of mirror groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mazzo.game import Variant
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.arena.match import PARTS_OF_A_DEAL, Outcome
from mazzo_server.pairing import Group
from mazzo_server.stats import SequentialTest, SequentialVerdict

__all__ = ["Advantage", "BotComparison", "Question"]

_BOTS: Final = 2
_MOST_ELO: Final = 1000.0


class Advantage(StrEnum):
    """What the first bot has more of than the second one, in the unit that a person thinks in."""

    POINTS = "points"  # a deal
    WIN_SHARE = "win-share"  # share of the deals won: 0.02 is 51 % of them against 49 %
    ELO = "elo"  # the difference of ratings that makes such a win share


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Is the advantage above `low`, or below `high`?"""

    low: float
    high: float
    unit: Advantage = Advantage.POINTS
    alpha: float = 0.05  # how often, at most, the answer "above `low`" is wrong
    beta: float = 0.05  # how often, at most, the answer "below `high`" is wrong


class BotComparison:
    """The answer to a question about the two bots of an arena, from groups in schedule order.

    A value of the test is what a mirror group says: both bots have had the same cards in the same
    seats. Where each sits alone among copies of the other, it is what two groups say, one with each
    of them alone. The score of a bot is that of its side, per deal.
    """

    def __init__(self, question: Question, variant: Variant, *, bots: int, alone: bool) -> None:
        """Raise `InvalidInputError` for a question that has no answer."""
        if bots != _BOTS:
            raise InvalidInputError(f"a sequential test compares two bots, got {bots}")
        self.question = question
        self.groups = 0  # added
        self.last_group: int | None = None  # number of the one that decided
        self._alone = alone
        self._sides = len(variant.sides)
        is_points = question.unit is Advantage.POINTS
        self._count: Callable[[Outcome], Sequence[float]] = _get_scores if is_points else _get_won
        if not question.low < question.high:
            raise InvalidInputError(
                "expected two numbers, the smaller one first, got "
                f"{question.low:g} {question.high:g}"
            )
        low, high = (self._translate(one) for one in (question.low, question.high))
        self.test = SequentialTest(
            low,
            high,
            alpha=question.alpha,
            beta=question.beta,
            bounds=None if is_points else (-1.0, 1.0),
        )
        self._lone: list[float] = []  # of the first bot, in the group before

    @property
    def is_over(self) -> bool:
        """Whether the test has decided."""
        return self.test.verdict is not SequentialVerdict.UNDECIDED

    @property
    def groups_a_value(self) -> int:
        """The number of mirror groups of which the test makes one value."""
        return _BOTS if self._alone else 1

    def add(self, group: Group, outcomes: Sequence[Outcome]) -> None:
        """Add the next group of the schedule with all its seatings, unless the test has decided."""
        if self.last_group is not None:
            return
        self.groups += 1
        first = group.table[0] if self._alone else 0
        per_match = []  # of `first`, less the others' mean unless it is alone
        for own, outcome in zip(group.seatings, outcomes, strict=True):
            values = self._count(outcome)
            side = own.index(first)
            rest = 0.0 if self._alone else sum(values) - values[side]
            per_match.append((values[side] - rest) / outcome.deals)
        deals = [outcome.deals for outcome in outcomes]
        mean = sum(one * weight for one, weight in zip(per_match, deals, strict=True)) / sum(deals)
        if not self._alone:
            self.test.add(mean, per_match)
        elif first == 0:
            self._lone = [mean, min(per_match), max(per_match)]
            return
        else:
            own_mean, least, most = self._lone
            others = (least - max(per_match), most - min(per_match))
            self.test.add(own_mean - mean, others)
        if self.is_over:
            self.last_group = group.number

    def estimate_more_groups(self) -> int | None:
        """Return about how many more groups decide; None: nobody can say."""
        more = self.test.estimate_more()
        return None if more is None else more * self.groups_a_value

    def _translate(self, advantage: float) -> float:
        """Return the difference of points or win shares that is this advantage in its unit."""
        if self.question.unit is not Advantage.ELO:
            return advantage
        if not abs(advantage) <= _MOST_ELO:
            raise InvalidInputError(
                f"expected ratings of Elo at most {_MOST_ELO:,.0f} apart, got {advantage:g}"
            )
        return self._compute_win_share(advantage) - self._compute_win_share(-advantage)

    def _compute_win_share(self, elo: float) -> float:
        """Return what a bot wins, by Elo's formula for one among several who are equal."""
        return 1 / (1 + (self._sides - 1) * 10 ** (-elo / 400))


def _get_scores(outcome: Outcome) -> Sequence[float]:
    return outcome.scores


def _get_won(outcome: Outcome) -> Sequence[float]:
    return [parts / PARTS_OF_A_DEAL for parts in outcome.won]

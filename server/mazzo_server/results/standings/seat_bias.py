"""Tests whether a seat, or a place after the dealer, scores more than the others by more than luck.

The side in seat s of a deal scores above the mean of that deal by some deviation, and so does the
side that plays t-th (the dealer is last). That can be a property of the game: in many it is good to
play first. Each seating of a mirror group has a mean deviation by seat and by turn over its counted
deals. The unit is the *block*: a run of groups of one table in which every entrant has taken every
side in equally many seatings. Where the seatings of a group are all rotations or permutations, a
block is a single group. The deviation of a block is the mean over its seatings, with equal weights.

In a block a strong entrant counts for every seat alike. So if a seat changes nothing, its expected
deviation is 0, however different the entrants are. If a turn changes nothing, its expected
deviation is 0 too, block or not, for the first dealer is drawn for each group, whoever plays. A
block with a seating without counted deals would be lopsided, and is left out.

Blocks have cards of their own, so their deviations are independent: each seat and each turn is
tested by Student's t. Over all these tests alarms are raised by Holm's procedure (1979) at 1 %:
where no seat and no turn is worth anything, the probability of any alarm at all is at most that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from mazzo_server.model import MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.stats import compute_probability_above_zero, reject_by_holm

__all__ = ["PlaceScore", "SeatBias", "SeatSums"]

_LEVEL = 0.01  # probability of any false alarm in a report


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceScore:
    """The score of a seat, or of a place after the dealer."""

    score_per_deal: float | None  # None without a block
    deviation: float | None  # from the mean of all, in points of the deal score
    p_value: float | None  # two-sided, of as large a deviation by luck; None below two blocks
    alarm: bool  # the deviation is more than luck, at a family-wise level of 1 %


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBias:
    """The scores of each seat and each turn; for a team's seats, the score of the team."""

    blocks: int  # over which the means are taken
    score_per_deal: float | None  # the mean of all seats; None without a block
    seats: tuple[PlaceScore, ...]  # by side, named after its first seat
    turns: tuple[PlaceScore, ...]  # by side, in the order in which they first play


class SeatSums:
    """The sums from which a report is made: whole numbers over a common denominator."""

    def __init__(self, sides: Sequence[Sequence[int]]) -> None:
        self._seats = [side[0] for side in sides]
        players = sum(map(len, sides))
        self._turns = [  # by dealer and side: the number of sides that play before it
            [min((seat - dealer - 1) % players for seat in side) for side in sides]
            for dealer in range(players)
        ]
        self._blocks = 0
        self._denominator = 1
        self._level = 0  # sum of the mean score of a deal over the blocks
        self._sums = [0] * (2 * len(sides))  # of the deviations, by seat, then by turn
        self._squares = [0] * (2 * len(sides))
        self._open: dict[tuple[int, ...], _Block] = {}  # by table

    def add(self, group: Group, matches: Sequence[MatchOutcome]) -> None:
        """Add a finished group, after the earlier groups of the same table."""
        sides = len(self._seats)
        length = sides // math.gcd(sides, len(group.seatings))
        number, place = divmod(group.number_at_table, length)
        block = self._open.pop(group.table, None)
        if block is None or (block.number, block.groups) != (number, place):
            # The group begins a block; or a group was lost, and the rest is never a whole block.
            block = _Block(number, [0] * (2 * sides))
        for match in matches:
            deals, scores = self._sum_scores(match)
            if not deals:
                return
            block.add(scores, deals)
        block.groups += 1
        if block.groups < length:
            self._open[group.table] = block
        else:
            self._close(block)

    def _sum_scores(self, match: MatchOutcome) -> tuple[int, list[int]]:
        """Return the number of counted deals, and their scores by seat, then by turn."""
        sides = len(self._seats)
        deals, scores = 0, [0] * (2 * sides)
        for deal in match.deals:
            if deal.forfeited:
                continue
            deals += 1
            for side, (seat, turn) in enumerate(
                zip(self._seats, self._turns[deal.dealer], strict=True)
            ):
                score = deal.scores[seat]
                scores[side] += score
                scores[sides + turn] += score
        return deals, scores

    def _close(self, block: _Block) -> None:
        sides = len(self._seats)
        whole = sum(block.scores[:sides])
        denominator = sides * block.denominator * block.seatings
        common = math.lcm(self._denominator, denominator)
        if common != self._denominator:
            scale = common // self._denominator
            self._level *= scale
            self._sums = [scale * number for number in self._sums]
            self._squares = [scale**2 * number for number in self._squares]
            self._denominator = common
        scale = common // denominator
        self._blocks += 1
        self._level += scale * whole
        for place, score in enumerate(block.scores):
            deviation = scale * (sides * score - whole)
            self._sums[place] += deviation
            self._squares[place] += deviation * deviation

    def to_json(self) -> list[Any]:
        """Return the whole state as values that JSON can hold, for `from_json`."""
        return [
            self._blocks,
            self._denominator,
            self._level,
            self._sums,
            self._squares,
            [
                [table, block.number, block.groups, block.seatings, block.denominator, block.scores]
                for table, block in self._open.items()
            ],
        ]

    @classmethod
    def from_json(cls, state: Sequence[Any], sides: Sequence[Sequence[int]]) -> Self:
        """Return the sums of which `to_json` returned the state."""
        seats = cls(sides)
        seats._blocks, seats._denominator, seats._level, sums, squares, blocks = state
        seats._sums, seats._squares = list(sums), list(squares)
        for table, number, groups, seatings, denominator, scores in blocks:
            block = seats._open[tuple(table)] = _Block(number, list(scores))
            block.groups, block.seatings, block.denominator = groups, seatings, denominator
        return seats

    def report(self) -> SeatBias:
        """Return the scores of the seats and the turns."""
        blocks, sides = self._blocks, len(self._seats)
        p_values = [
            self._compute_p_value(total, squares)
            for total, squares in zip(self._sums, self._squares, strict=True)
        ]
        alarms = reject_by_holm([1.0 if p is None else p for p in p_values], level=_LEVEL)
        level = self._level / (self._denominator * blocks) if blocks else None
        places = [
            PlaceScore(
                score_per_deal=(
                    (self._level + total) / (self._denominator * blocks) if blocks else None
                ),
                deviation=total / (self._denominator * blocks) if blocks else None,
                p_value=p_value,
                alarm=alarm,
            )
            for total, p_value, alarm in zip(self._sums, p_values, alarms, strict=True)
        ]
        return SeatBias(
            blocks=blocks,
            score_per_deal=level,
            seats=tuple(places[:sides]),
            turns=tuple(places[sides:]),
        )

    def _compute_p_value(self, total: int, squares: int) -> float | None:
        blocks = self._blocks
        if blocks < 2:
            return None
        spread = Fraction(blocks * squares - total * total, blocks**2 * (blocks - 1))
        error = math.sqrt(spread / self._denominator**2)
        return min(
            1.0,
            2
            * compute_probability_above_zero(
                -abs(total) / (blocks * self._denominator), error, blocks - 1
            ),
        )


class _Block:
    """The groups of a table since every entrant last had every side equally often."""

    __slots__ = ("denominator", "groups", "number", "scores", "seatings")

    def __init__(self, number: int, scores: list[int]) -> None:
        self.number = number  # number of the block at its table, from 0
        self.groups = 0
        self.seatings = 0
        self.denominator = 1  # of the scores
        self.scores = scores  # sum over the seatings of the scores per deal, by place

    def add(self, scores: Sequence[int], deals: int) -> None:
        """Add a seating with its counted deals."""
        common = math.lcm(self.denominator, deals)
        before, now = common // self.denominator, common // deals
        self.scores = [
            before * old + now * new for old, new in zip(self.scores, scores, strict=True)
        ]
        self.denominator = common
        self.seatings += 1

"""A match: deals between the same seats until the match format ends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from mazzo.errors import MatchFormatError, quote_value
from mazzo.game import Deal, MatchProgress, Variant
from mazzo.shuffle import SeededShuffles, Stream

__all__ = ["Match", "MatchFormat", "ranks"]

_MOST_REPLAYS = 5  # of drawn deals in a best-of match
_MOST_TARGET_DEALS = 40
_LARGEST = {"deals": 1000, "best-of": 99, "target": 100_000}
_MEANING = (
    "expected deals:N (N deals), best-of:N (N odd: until a side has won more than half) "
    "or target:P (until someone has P points)"
)


@dataclass(frozen=True, slots=True)
class MatchFormat:
    """When a match ends: `deals:N`, `best-of:N` (N odd) or `target:P`."""

    kind: str
    number: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return a format from its text; raises `MatchFormatError`."""
        kind, _, digits = text.partition(":")
        if kind not in _LARGEST or not (digits.isascii() and digits.isdecimal()):
            raise MatchFormatError(f"{_MEANING}, got {quote_value(text)}")
        largest = _LARGEST[kind]
        number = int(digits) if len(digits) <= len(str(largest)) else largest + 1
        if not 1 <= number <= largest or str(number) != digits:
            raise MatchFormatError(
                f"{kind}: expected a number from 1 to {largest}, got {quote_value(text)}"
            )
        if kind == "best-of" and number % 2 == 0:
            raise MatchFormatError(
                f"best-of: expected an odd number of deals, got {quote_value(text)}"
            )
        return cls(kind, number)

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}"

    @property
    def planned_deals(self) -> int | None:
        """How many deals a match is planned to have; None where only play tells."""
        return None if self.kind == "target" else self.number

    def check(self, variant: Variant) -> None:
        """Raise `MatchFormatError` where the variant has no match of so many deals."""
        most = variant.game.most_deals(variant)
        if self.planned_deals is not None and self.planned_deals > most:
            raise MatchFormatError(f"{variant}: expected at most {most} deals a match, got {self}")


def ranks(keys: Sequence[object]) -> tuple[int, ...]:
    """Rank of each key, 1 for the highest; equal keys share the better rank."""
    descending = sorted(keys, reverse=True)  # type: ignore[type-var]
    return tuple(descending.index(key) + 1 for key in keys)


class Match:
    """The deals of one match, one after the other, from one seed.

    `deal` is the deal in play. When it is over, `advance` counts it and begins the next
    one, until `over`. Everything follows from the variant, the format, the drawing mode,
    the seed and the actions.
    """

    def __init__(
        self, variant: Variant, seed: bytes, match_format: MatchFormat, *, draws: str | None = None
    ) -> None:
        """Begin before the first action; raise `MatchFormatError` for a wrong format."""
        match_format.check(variant)
        self.variant = variant
        self.seed = seed
        self.format = match_format
        self.draws = draws or variant.game.draw_modes[0]
        self.deal_sums = [0] * variant.players  # of the deal scores, by seat, leftovers included
        self.over = False
        self.replays = 0
        self.counted = 0
        self._points = [Fraction(0)] * len(variant.sides)  # match score, by side
        self._won = [0] * len(variant.sides)  # deals won alone, by side
        self.deal_number = 0
        self.deal = self._begin(dealer=Stream(seed, "first-dealer").below(variant.players))

    def copy(self) -> Match:
        """Return an independent match in the same position."""
        copied = copy(self)
        copied.deal_sums = self.deal_sums[:]
        copied._points = self._points[:]
        copied._won = self._won[:]
        copied.deal = self.deal.copy()
        return copied

    def _begin(self, dealer: int, start: Mapping[str, Any] | None = None) -> Deal:
        return self.variant.game.deal(
            self.variant,
            SeededShuffles(self.seed, self.deal_number),
            dealer=dealer,
            draws=self.draws,
            start=start,
            match=MatchProgress(
                format=str(self.format),
                deal=self.deal_number,
                scores=tuple(float(score) for score in self.scores),
            ),
        )

    @property
    def scores(self) -> tuple[Fraction, ...]:
        """Match score of each seat: deals won, or the sum of the deal scores (see the game)."""
        if not self.variant.game.counts_wins:
            return tuple(Fraction(total) for total in self.deal_sums)
        scores = [Fraction(0)] * self.variant.players
        for side, points in zip(self.variant.sides, self._points, strict=True):
            for seat in side:
                scores[seat] = points
        return tuple(scores)

    @property
    def full_score(self) -> Fraction:
        """The match score of a side whose only opponent forfeits: all there is to win.

        Where deal scores are summed that is the target, or what the game names for a deal.
        """
        planned = self.format.planned_deals
        if self.format.kind == "target" and not self.variant.game.counts_wins:
            return Fraction(self.format.number)
        if planned is None:
            return Fraction(self.counted + 1)
        deals = planned // 2 + 1 if self.format.kind == "best-of" else planned
        return Fraction(deals * self.variant.game.forfeit_score(self.variant))

    @property
    def ranking(self) -> tuple[int, ...]:
        """Rank of each seat, that of its side among the sides, ties allowed.

        By match score, then by the sum of the deal scores.
        """
        sides = self.variant.sides
        scores = self.scores
        by_side = ranks([(scores[side[0]], self.deal_sums[side[0]]) for side in sides])
        ranking = [0] * self.variant.players
        for side, rank in zip(sides, by_side, strict=True):
            for seat in side:
                ranking[seat] = rank
        return tuple(ranking)

    def forfeited(self, seat: int) -> tuple[tuple[Fraction, ...], tuple[int, ...]]:
        """Return scores and ranking, by seat, where this seat gives up for one of two sides."""
        assert len(self.variant.sides) == 2
        lost = next(side for side in self.variant.sides if seat in side)
        seats, full = range(self.variant.players), self.full_score
        return (
            tuple(Fraction(0) if seat in lost else full for seat in seats),
            tuple(2 if seat in lost else 1 for seat in seats),
        )

    def advance(self) -> None:
        """Count the finished deal; begin the next one, or be over."""
        deal = self.deal
        scores = deal.scores
        if scores is None or self.over:
            raise ValueError("expected a finished deal of a match that is not over")
        for seat, score in enumerate(scores):
            self.deal_sums[seat] += score
        winners = self.variant.game.deal_winners(deal)
        drawn = len(winners) == len(self.variant.sides) == 2
        dealer = deal.dealer
        if drawn and self.format.kind == "best-of" and self.replays < _MOST_REPLAYS:
            self.replays += 1
        else:
            self.counted += 1
            if not deal.dealt_again:
                dealer = (dealer + 1) % self.variant.players
            for side in winners:
                self._points[side] += Fraction(1, len(winners))
                self._won[side] += len(winners) == 1
        self.over = self._is_over()
        if self.over:
            for seat, share in enumerate(deal.leftover):
                self.deal_sums[seat] += share
        else:
            self.deal_number += 1
            self.deal = self._begin(dealer, deal.next_start)

    def _is_over(self) -> bool:
        number = self.format.number
        if self.format.kind == "deals":
            return self.counted >= number
        if self.format.kind == "best-of":
            return self.counted >= number or 2 * max(self._won) > number
        if self.counted >= _MOST_TARGET_DEALS:
            return True
        totals = [self.deal_sums[side[0]] for side in self.variant.sides]
        best = max(totals)
        return best >= number and totals.count(best) == 1

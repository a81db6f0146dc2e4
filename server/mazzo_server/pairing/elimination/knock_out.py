"""A knock-out of two sides: who loses a bout is out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from mazzo_server.pairing.bracket import Bout, BoutStage
from mazzo_server.pairing.elimination.seeding import pair_seeds

__all__ = ["KnockOut"]

_FEWEST_FOR_THIRD: Final = 4  # entrants, so that there are two semi-finals


class KnockOut:
    """The standard bracket: seed 1 meets the last, and the highest seeds have byes.

    The losers of the semi-finals play for the third place, beside the final. An entrant that left
    keeps its place in the bracket, and its next opponent has a walkover; of two that left, the
    higher seed goes on.
    """

    def __init__(self, seeds: Sequence[int]) -> None:
        """`seeds` has all entrants, the highest seed first."""
        self._seeds = seeds
        self._places = {entrant: place for place, entrant in enumerate(seeds)}

    def count_bouts(self) -> int:
        """Return how many bouts there are."""
        number = len(self._seeds)
        return number - 1 + (number >= _FEWEST_FOR_THIRD)

    def pair(
        self, rounds: Sequence[Sequence[Bout]], gone: Collection[int] = ()
    ) -> tuple[Bout, ...]:
        """Return the bouts after these rounds; none: it is over."""
        losers: list[int] = []
        if not rounds:
            pairs = pair_seeds(self._seeds)
        elif rounds[-1][0].stage is BoutStage.FINAL:
            return ()
        else:
            winners = [bout.order[0] for bout in rounds[-1]]
            losers = [bout.order[-1] for bout in rounds[-1] if not bout.is_bye]
            pairs = list(zip(winners[::2], winners[1::2], strict=True))
        is_final = len(pairs) == 1
        stage = BoutStage.FINAL if is_final else BoutStage.ROUND
        bouts = [self._make_bout(pair, stage, len(rounds) + 1) for pair in pairs]
        if is_final and len(losers) > 1:
            bouts.append(self._make_bout(losers, BoutStage.THIRD_PLACE, len(rounds) + 1))
        return tuple(bouts)

    def _make_bout(self, pair: Sequence[int], stage: BoutStage, number: int) -> Bout:
        table = tuple(sorted(pair, key=self._places.__getitem__))
        return Bout(table=table, stage=stage, round=number, advance=1)

"""A knock-out of the best of pools: both stages in one bracket, of which the pools are round 0."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from mazzo_server.pairing.bracket import Bout, BoutStage
from mazzo_server.pairing.elimination.knock_out import KnockOut
from mazzo_server.pairing.elimination.pools import divide_entrants, list_pools, rank_qualified
from mazzo_server.pairing.elimination.table_knock_out import TableKnockOut

__all__ = ["PooledKnockOut"]


class PooledKnockOut:
    """The bouts of all pools, then those of a knock-out among the first of each."""

    def __init__(
        self, seeds: Sequence[int], *, pools: int, qualify: int, sides: int, advance: int
    ) -> None:
        """`seeds` has all entrants, the highest seed first; `qualify` of each pool go on.

        `advance` is how many of a table go on in a knock-out of three sides and more.
        """
        self._seeds = seeds
        self._pools = divide_entrants(seeds, pools)
        self._qualify = qualify
        self._sides = sides
        self._advance = advance

    @property
    def pool_bouts(self) -> int:
        """How many tables the pools have."""
        return sum(comb(len(pool), self._sides) for pool in self._pools)

    def count_bouts(self) -> int:
        """Return how many bouts there are at most."""
        qualified = self._seeds[: len(self._pools) * self._qualify]
        return self.pool_bouts + self._make_knock_out(qualified, ()).count_bouts()

    def pair(self, rounds: Sequence[Sequence[Bout]], gone: Collection[int]) -> tuple[Bout, ...]:
        """Return the bouts after these rounds; none: it is over."""
        if not rounds:
            return tuple(
                Bout(table=table, stage=BoutStage.POOL, round=number, advance=0)
                for number, pool in enumerate(self._pools, start=1)
                for table in combinations(pool, self._sides)
            )
        # They follow from the bouts of the pools alone, and so stay the same in every round.
        qualified = _find_qualified(
            tuple(rounds[0]), tuple(self._seeds), self._qualify, self._sides
        )
        if len(qualified) < self._sides:
            return ()
        return self._make_knock_out(qualified, rounds[0]).pair(rounds[1:], gone)

    def _make_knock_out(
        self, seeds: Sequence[int], before: Sequence[Bout]
    ) -> KnockOut | TableKnockOut:
        if self._sides == 2:
            return KnockOut(seeds)
        return TableKnockOut(seeds, sides=self._sides, advance=self._advance, before=before)


@lru_cache(maxsize=16)
def _find_qualified(
    bouts: tuple[Bout, ...], seeds: tuple[int, ...], qualify: int, sides: int
) -> tuple[int, ...]:
    pools = list_pools([bouts], seeds)
    return tuple(rank_qualified(pools, seeds, qualify=qualify, sides=sides))

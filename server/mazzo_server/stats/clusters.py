"""Adds up the scores of entrants in the mirror groups of their tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

__all__ = ["Cluster", "Sums", "Tables", "average_tables", "group_by_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The score of one entrant in one mirror group."""

    score: int  # sum of the deal scores over the counted deals
    deals: int  # counted deals


class Sums:
    """The sums over the mirror groups of one table; groups without counted deals are left out.

    Entrants are numbered by their place at the table, in the order of its key in `Tables`.
    """

    __slots__ = ("_pairs", "deals", "deals_squared", "groups", "products", "score_deals", "scores")

    def __init__(self, entrants: int) -> None:
        self.groups = 0  # n
        self.deals = 0  # Σ m
        self.deals_squared = 0  # Σ m²
        self.scores = [0] * entrants  # Σ y
        self.score_deals = [0] * entrants  # Σ y m
        self._pairs = tuple(combinations_with_replacement(range(entrants), 2))
        self.products = [0] * len(self._pairs)  # Σ y_a y_b for a ≤ b, by a, then b

    def add(self, scores: Sequence[int], *, deals: int) -> None:
        """Add a group: the score of each entrant over its counted deals, the same for all."""
        if not deals:
            return
        self.groups += 1
        self.deals += deals
        self.deals_squared += deals * deals
        for place, score in enumerate(scores):
            self.scores[place] += score
            self.score_deals[place] += score * deals
        for index, (a, b) in enumerate(self._pairs):
            self.products[index] += scores[a] * scores[b]

    def to_json(self) -> list[int]:
        """Return all sums, for `from_json`."""
        whole = [self.groups, self.deals, self.deals_squared]
        return whole + self.scores + self.score_deals + self.products

    @classmethod
    def from_json(cls, entrants: int, numbers: Sequence[int]) -> Sums:
        """Return the sums that `to_json` returned."""
        sums = cls(entrants)
        sums.groups, sums.deals, sums.deals_squared = numbers[:3]
        sums.scores = list(numbers[3 : 3 + entrants])
        sums.score_deals = list(numbers[3 + entrants : 3 + 2 * entrants])
        sums.products = list(numbers[3 + 2 * entrants :])
        return sums

    def compute_variance(self, weights: Mapping[int, int]) -> float:
        """Return s² of Σ weight · score per deal / Σ |weight|, over some places.

        The result is correctly rounded. Raises where there is one group.
        """
        score = sum(weight * self.scores[place] for place, weight in weights.items())
        score_deals = sum(weight * self.score_deals[place] for place, weight in weights.items())
        squares = sum(
            weights[a] * weights[b] * product * (1 if a == b else 2)
            for (a, b), product in zip(self._pairs, self.products, strict=True)
            if a in weights and b in weights
        )
        # Σ (y_i M − Y m_i)², where M is Σ m_i and Y is Σ y_i
        deviations = (
            squares * self.deals**2
            - 2 * score * score_deals * self.deals
            + score**2 * self.deals_squared
        )
        scale = sum(map(abs, weights.values()))
        return deviations * self.groups**2 / (self.deals**4 * (self.groups - 1) * scale**2)


Tables = Mapping[tuple[int, ...], Sums]
"""By the entrants of a table."""


def group_by_table(tables: Tables, entrant: int) -> list[tuple[int, Sums]]:
    """Return the tables where an entrant sat in a counted deal, with its place."""
    return [
        (table.index(entrant), sums)
        for table, sums in tables.items()
        if entrant in table and sums.groups
    ]


def average_tables(own: Sequence[tuple[int, Sums]]) -> Fraction:
    """Return Σ r_p / the number of tables, exactly."""
    scores: Counter[int] = Counter()  # by the deals of tables, of which few differ
    for place, sums in own:
        scores[sums.deals] += sums.scores[place]
    return sum((Fraction(score, deals) for deals, score in scores.items()), Fraction()) / len(own)

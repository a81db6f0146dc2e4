"""Decides who goes on from a bout.

A bout is played in *looks*: 10 mirror groups, then up to 20, 40, and so on to the most. After each
look its entrants are ordered by score per deal. The first k go on as soon as each of them is better
than each of the others with a probability (Student's t with the groups as clusters, see
`mazzo_server.stats.comparisons`) of at least

    1 − (1 − P) / (N (N − 1) L)

for N entrants, L planned looks, and the confidence P that was asked for. That is Bonferroni's bound
over all looks, and both directions of every pair: that a bout sends on one who is really worse than
one whom it sends home, and says that it is sure, happens at most with a probability of about 1 − P.
"About", since few groups of one table are only nearly normal: `tests/pairing` measures it.

In a pool every bout is played to the most, so that the scores of all can be compared.

After the most groups the score per deal decides alone, and among equal scores the higher seed. An
entrant that was withdrawn or retired comes last in a bout that is not decided yet, and the others
stand by what was played.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from mazzo_server.pairing.bracket import Bout, BoutReason, BoutStage
from mazzo_server.stats import compute_probability_better

__all__ = ["DuelRule"]

_FIRST_LOOK: Final = 10  # groups; fewer may all be alike by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelRule:
    """When to look, and how sure a decision must be."""

    confidence: float  # 0.5 < P < 1
    sides: int
    most: int  # groups of a bout

    @property
    def looks(self) -> tuple[int, ...]:
        """The number of groups of a bout at each planned look, ascending."""
        looks, groups = [], _FIRST_LOOK
        while groups < self.most:
            looks.append(groups)
            groups *= 2
        return (*looks, self.most)

    @property
    def level(self) -> float:
        """The probability that decides a bout."""
        pairs = self.sides * (self.sides - 1)
        return 1 - (1 - self.confidence) / (pairs * len(self.looks))

    def find_target(self, groups: int) -> int:
        """Return to how many groups a bout of so many is played next."""
        return next((look for look in self.looks if look > groups), self.most)

    def judge(self, bout: Bout, gone: Collection[int]) -> Bout:
        """Return the bout, decided if that can be; `gone` were withdrawn or retired."""
        if bout.order:
            return bout
        if bout.is_bye:
            return replace(bout, order=bout.table, reason=BoutReason.BYE)
        order = self._rank(bout, gone)
        left = tuple(entrant for entrant in bout.seated if entrant in gone)
        if not bout.groups and not left:
            return bout
        if bout.stage is BoutStage.POOL:
            return self._judge_pool_bout(bout, order, left)
        first, others = order[: bout.advance], order[bout.advance :]
        certainty = self._compute_certainty(bout, first, others)
        bout = replace(bout, certainty=certainty)
        if left:
            return replace(bout, order=order, reason=BoutReason.WALKOVER, left=left)
        if certainty is not None and certainty >= self.level:
            return replace(bout, order=order, reason=BoutReason.CONFIDENCE)
        if bout.groups < self.most:
            return bout
        is_level = bout.find_score(first[-1]) == bout.find_score(others[0])
        reason = BoutReason.SEEDING if is_level else BoutReason.SCORE
        return replace(bout, order=order, reason=reason)

    def _judge_pool_bout(self, bout: Bout, order: tuple[int, ...], left: tuple[int, ...]) -> Bout:
        """Return a bout of a pool, where all play the same number of groups."""
        if left:
            return replace(bout, order=order, reason=BoutReason.WALKOVER, left=left)
        if bout.groups < self.most:
            return bout
        return replace(bout, order=order, reason=BoutReason.SCORE)

    def _rank(self, bout: Bout, gone: Collection[int]) -> tuple[int, ...]:
        sums, seated = bout.read_sums(), bout.seated

        def merit(entrant: int) -> tuple[bool, int, int]:
            # All have the same deals.
            score = sums.scores[seated.index(entrant)]
            return entrant in gone, -score, bout.table.index(entrant)

        return tuple(sorted(bout.table, key=merit))

    def _compute_certainty(
        self, bout: Bout, first: tuple[int, ...], others: tuple[int, ...]
    ) -> float | None:
        tables = {bout.seated: bout.read_sums()}
        found = [
            compute_probability_better(tables, one, other) for one, other in product(first, others)
        ]
        known = [probability for probability in found if probability is not None]
        return min(known) if len(known) == len(found) else None

"""The rule of who plays next on a ladder.

Each table begins with a pair, chosen for the first of these reasons that applies:

1. *Waiting*: an entrant has waited for one and a half mean intervals; in one, all would play once
   if they played equally often. It meets who needs groups, see 2, or else the neighbour of most
   use.
2. *New*: an entrant has fewer than 30 groups, the fewest first. It meets the one about whom least
   is known (the largest σ).
3. *Unknown*, every fourth table: the two about whom least is known meet.
4. *Doubtful*: the neighbours of most use meet. Neighbours are at most three places apart in the
   order by μ.

The use of a pair is the sum of both entrants' *doubts* times e^(−Δμ² / 2c²), which is greatest
where the outcome is open; c² = 2β² + σ₁² + σ₂² is the variance of the difference in a game. The
doubt about an entrant is the sum over all others of Φ(−|Δμ| / s) · s with s² = σ₁² + σ₂²: how
probably the two stand in the wrong order, times how much is unknown about them.

Results of the last batches are not known yet. Until they are, each planned game shrinks the two σ²
by what a game between equals tells (Herbrich, Minka and Graepel 2007): σ² becomes
σ² (1 − w σ² / c²) with w = 2/π.

Two versions of one bot are no neighbours, and sit at no table together.

A larger table is filled with those who have met its entrants least, then who has waited longest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

from mazzo_server.pairing.ladder.state import LadderState
from mazzo_server.pairing.seats import TableEntrants
from mazzo_server.stats import BETA

__all__ = ["ENOUGH_GROUPS", "LEVEL_SHARE", "ChosenTable", "Reason", "choose_tables"]

ENOUGH_GROUPS: Final = 30
"""Groups of an entrant, after which it is no longer new."""
LEVEL_SHARE: Final = 0.55
"""Of the groups, that the better of two scores at most who are level; a draw counts half."""

_MOST_INTERVALS: Final = 1.5  # that an entrant waits; one passes where all play equally often
_REACH: Final = 3  # places between neighbours
_EVERY: Final = 4  # one of so many tables is for those about whom least is known
_TOLD: Final = 2 / math.pi  # of the difference's variance, by a game between equals
_ROOT_2: Final = math.sqrt(2)


class Reason(StrEnum):
    """Why the first two of a table play, see above."""

    WAITING = "waiting"
    NEW = "new"
    UNKNOWN = "unknown"
    DOUBTFUL = "doubtful"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenTable:
    """Who plays next, and why."""

    table: TableEntrants
    reason: Reason
    pair: tuple[int, int]  # for which it was chosen


def choose_tables(
    state: LadderState, bots: Mapping[int, str], *, sides: int, count: int
) -> list[ChosenTable]:
    """Return the next `count` tables of those present, with the results that the state knows.

    `bots` has the bot of each of them, which is of at least as many bots as there are `sides`.
    """
    return _Chooser(state, bots, sides=sides).choose(count)


class _Chooser:
    """Chooses the tables of a batch, one after the other."""

    def __init__(self, state: LadderState, bots: Mapping[int, str], *, sides: int) -> None:
        present = sorted(bots)
        self._bots = bots
        ratings = {entrant: state.find_rating(entrant) for entrant in present}
        self._order = sorted(present, key=lambda entrant: (-ratings[entrant].mu, entrant))
        self._places = {entrant: place for place, entrant in enumerate(self._order)}
        self._mu = {entrant: rating.mu for entrant, rating in ratings.items()}
        self._variance = {entrant: rating.sigma**2 for entrant, rating in ratings.items()}
        self._sides = sides
        self._groups = state.groups
        self._played = {entrant: state.played[entrant] for entrant in present}
        self._latest = {entrant: state.latest.get(entrant, 0) for entrant in present}
        self._met = state.met.copy() if sides > 2 else state.met
        for batch in state.open_batches:
            for table in batch:
                self._plan(table)
        self._doubt = {entrant: self._sum_doubt(entrant) for entrant in self._order}

    def choose(self, count: int) -> list[ChosenTable]:
        """Return the next tables."""
        tables = []
        for _ in range(count):
            reason, pair = self._choose_pair()
            table = self._fill(pair)
            tables.append(ChosenTable(table=table, reason=reason, pair=pair))
            self._groups += 1
            for entrant in table:
                self._played[entrant] += 1
                self._latest[entrant] = self._groups
            if self._sides > 2:
                self._met.update(combinations(table, 2))
            self._plan_in_doubts(table)
        return tables

    def _choose_pair(self) -> tuple[Reason, tuple[int, int]]:
        longest = min(self._order, key=lambda entrant: (self._latest[entrant], entrant))
        newest = min(self._order, key=lambda entrant: (self._played[entrant], entrant))
        interval = len(self._order) / self._sides
        is_due = self._groups - self._latest[longest] >= _MOST_INTERVALS * interval
        has_new = self._played[newest] < ENOUGH_GROUPS
        if is_due and has_new and self._may_meet(longest, newest):
            return Reason.WAITING, (longest, newest)
        if is_due:
            pairs = ((longest, near) for near in self._list_near(longest))
            return Reason.WAITING, self._find_most_useful(pairs)
        if has_new:
            return Reason.NEW, (newest, self._find_least_known(self._list_opponents([newest])))
        if self._groups % _EVERY == _EVERY - 1:
            first = self._find_least_known(self._order)
            return Reason.UNKNOWN, (first, self._find_least_known(self._list_opponents([first])))
        return Reason.DOUBTFUL, self._find_most_useful(
            (entrant, near) for entrant in self._order for near in self._list_near(entrant)
        )

    def _fill(self, pair: Iterable[int]) -> TableEntrants:
        table = list(pair)
        while len(table) < self._sides:
            table.append(
                min(
                    self._list_opponents(table),
                    key=lambda entrant: (
                        sum(self._met[_sort(entrant, other)] for other in table),
                        self._latest[entrant],
                        entrant,
                    ),
                )
            )
        return tuple(sorted(table))

    def _may_meet(self, one: int, other: int) -> bool:
        return self._bots[one] != self._bots[other]

    def _list_opponents(self, table: Sequence[int]) -> list[int]:
        """Return who may play with all of these, by μ."""
        taken = {self._bots[entrant] for entrant in table}
        return [entrant for entrant in self._order if self._bots[entrant] not in taken]

    def _find_least_known(self, entrants: Iterable[int]) -> int:
        return max(entrants, key=lambda entrant: (self._variance[entrant], -entrant))

    def _list_near(self, entrant: int) -> list[int]:
        """Return up to three neighbours above it and three below it."""
        opponents = self._list_opponents([entrant])
        place = sum(self._places[other] < self._places[entrant] for other in opponents)
        return opponents[max(place - _REACH, 0) : place + _REACH]

    def _find_most_useful(self, pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
        return max(pairs, key=self._tell_use)

    def _tell_use(self, pair: tuple[int, int]) -> float:
        one, other = pair
        spread = 2 * BETA**2 + self._variance[one] + self._variance[other]
        openness = math.exp(-((self._mu[one] - self._mu[other]) ** 2) / (2 * spread))
        return (self._doubt[one] + self._doubt[other]) * openness

    def _tell_doubt(self, one: int, other: int) -> float:
        unknown = math.sqrt(self._variance[one] + self._variance[other])
        lead = abs(self._mu[one] - self._mu[other])
        return math.erfc(lead / unknown / _ROOT_2) / 2 * unknown

    def _sum_doubt(self, entrant: int) -> float:
        return sum(self._tell_doubt(entrant, other) for other in self._order if other != entrant)

    def _plan(self, table: TableEntrants) -> None:
        """Take from what is unknown what a game will tell of those who are present."""
        before = {entrant: self._variance[entrant] for entrant in table if entrant in self._places}
        for one, other in combinations(before, 2):
            spread = 2 * BETA**2 + before[one] + before[other]
            for entrant in (one, other):
                self._variance[entrant] *= 1 - _TOLD * before[entrant] / spread

    def _plan_in_doubts(self, table: TableEntrants) -> None:
        """Plan a game, and keep up the doubts."""
        others = [entrant for entrant in self._order if entrant not in table]
        for other in others:
            self._doubt[other] -= sum(self._tell_doubt(other, entrant) for entrant in table)
        self._plan(table)
        for other in others:
            self._doubt[other] += sum(self._tell_doubt(other, entrant) for entrant in table)
        for entrant in table:
            self._doubt[entrant] = self._sum_doubt(entrant)


def _sort(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)

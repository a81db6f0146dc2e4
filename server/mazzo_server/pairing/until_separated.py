"""A round robin that goes on where the order of its entrants is still in doubt.

It is played in *looks*. Before the first look every table plays a few mirror groups. Before each
later look, the tables that are still of use play on until they have twice as many. A table is of
use when one of its entrants is not *separated* from a neighbour in the order by score per deal.
Play ends when all neighbours are separated, or when each table of use has played its largest number
of groups.

Neighbours are separated when the upper one is better with a probability (Student's t with the
groups as clusters, see `mazzo_server.stats.intervals`) of at least

    1 − (1 − P) / (n + 2 (L − 1))

for n entrants, L planned looks and the confidence P for the whole order. For two entrants that is
Bonferroni's bound over all looks and both directions, with the same level at each look as in
Pocock's design (Jennison & Turnbull, Group Sequential Methods, 2000, chapter 2). For more, the last
look may put any of n neighbours, of whom no more than half are disjoint pairs, in either wrong
order. An earlier look mostly matters where a single pair is left in doubt, since a pair that was
separated by luck plays on against those that are not. That is no proof: `make bench-ranking` finds
by simulation how often the order is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, pairwise
from math import comb
from typing import Final, Self

from mazzo_server.model import Change, Definition
from mazzo_server.pairing.base import MOST_GROUPS, Group, GroupResult
from mazzo_server.pairing.presence import list_founders, list_present
from mazzo_server.pairing.seats import Seats, TableEntrants
from mazzo_server.stats import Sums, Tables, compute_mean_score, compute_probability_better

__all__ = ["Played", "SeparationRule", "UntilSeparated", "find_separation_level"]

_FIRST_OF_TABLE = 4  # groups before the first look, to estimate a variance
_FIRST_OF_ENTRANT = 30  # groups before the first look, for a nearly normal mean


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparationRule:
    """When to look, and how sure a separation must be."""

    confidence: float  # that no neighbours are separated in the wrong order; 0.5 < P < 1
    sides: int
    entrants: int  # at the beginning
    most: int  # groups of a table

    @classmethod
    def of(cls, definition: Definition, *, sides: int) -> Self:
        """Return the rule of a tournament that is played until separated."""
        assert definition.until_separated is not None
        return cls(
            confidence=definition.until_separated,
            sides=sides,
            entrants=len(list_founders(len(definition.entrants), definition.changes)),
            most=definition.groups,
        )

    @property
    def looks(self) -> tuple[int, ...]:
        """The number of groups of each table of use at each planned look, ascending."""
        tables = comb(self.entrants - 1, self.sides - 1)  # tables of an entrant
        groups = max(_FIRST_OF_TABLE, -(-_FIRST_OF_ENTRANT // tables))
        looks = []
        while groups < self.most:
            looks.append(groups)
            groups *= 2
        return (*looks, self.most)

    def level(self, entrants: int) -> float:
        """Return the probability that separates neighbours among so many entrants."""
        return 1 - (1 - self.confidence) / (entrants + 2 * (len(self.looks) - 1))


def find_separation_level(definition: Definition, *, sides: int) -> float | None:
    """Return the level for all entrants of a tournament; None where it is not until separated."""
    if definition.until_separated is None:
        return None
    return SeparationRule.of(definition, sides=sides).level(len(definition.entrants))


@dataclass(slots=True, kw_only=True)
class Played:
    """The results of all looks so far."""

    looks: int = 0
    groups: int = 0  # in all, including void ones
    of_table: Counter[TableEntrants] = field(default_factory=Counter)  # groups, including void ones
    tables: dict[TableEntrants, Sums] = field(default_factory=dict)
    withdrawn: set[int] = field(default_factory=set)

    def add(self, results: Sequence[GroupResult]) -> None:
        """Add all groups of a look."""
        self.looks += 1
        self.groups += len(results)
        for result in results:
            self.of_table[result.table] += 1
            self.withdrawn |= result.withdrawn
            if result.ranks is None:
                continue
            if result.table not in self.tables:
                self.tables[result.table] = Sums(len(result.table))
            scores = [result.scores[entrant] for entrant in result.table]
            self.tables[result.table].add([own.score for own in scores], deals=scores[0].deals)


class UntilSeparated:
    """A pairing until separated; within a look, group r of all tables comes before r + 1.

    Groups have the seeds and seatings that they have in the round robin of the same entrants.

    An entrant that joins takes part from the next look on: its tables first play as many groups as
    the look asks for. A retired entrant plays no more, and keeps its place in the order. A
    withdrawn entrant leaves the order at the next look; what was played before stays as it was, so
    that the schedule does not change.
    """

    is_adaptive: Final = True

    def __init__(
        self, seats: Seats, *, rule: SeparationRule, changes: Sequence[Change] = ()
    ) -> None:
        """Make the pairing; `seats` are those of all entrants, including those that join later."""
        self._seats = seats
        self._names = seats.names
        self._rule = rule
        self._changes = changes
        self._founders = list_founders(len(self._names), changes)

    def total(self) -> int:
        """Return the number of groups if every table plays the most."""
        return comb(len(self._names), self._rule.sides) * self._rule.most

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """Return the rest of the look of group `first`, at most `MOST_GROUPS`."""
        played = Played()
        while due := list(self.due(played)):
            start = played.groups
            if first < start + len(due):
                wanted = islice(due, first - start, first - start + MOST_GROUPS)
                return tuple(
                    self._seats.group(number, table, number_at_table)
                    for number, (table, number_at_table) in enumerate(wanted, first)
                )
            look = results[start : start + len(due)]
            assert len(look) == len(due), "expected the results of all groups before the first"
            played.add(look)
        return ()

    def due(self, played: Played) -> Iterator[tuple[TableEntrants, int]]:
        """Return the tables of the next look, with the number of each group at its table."""
        present, joined = self._present(played.groups)
        playing = sorted(present - played.withdrawn)
        doubtful = self._doubtful(played, joined)
        looks = self._rule.looks
        target = looks[min(played.looks, len(looks) - 1)]
        tables = [
            table
            for table in combinations(playing, self._rule.sides)
            if played.of_table[table] < target and not doubtful.isdisjoint(table)
        ]
        for number_at_table in range(target):
            for table in tables:
                if played.of_table[table] <= number_at_table:
                    yield table, number_at_table

    def _doubtful(self, played: Played, joined: set[int]) -> set[int]:
        """Return who has not played yet, or is not separated from a neighbour."""
        seen = {entrant for table in played.of_table for entrant in table}
        order = self._order(seen - played.withdrawn, played.tables)
        level = self._rule.level(len(joined))
        doubtful = joined - seen
        for upper, lower in pairwise(order):
            probability = compute_probability_better(played.tables, upper, lower)
            if probability is None or probability < level:
                doubtful |= {upper, lower}
        return doubtful

    def _order(self, entrants: set[int], tables: Tables) -> list[int]:
        """Return the order by score per deal, then name; without a counted deal comes last."""

        def merit(entrant: int) -> float:
            mean = compute_mean_score(tables, entrant)
            return float("-inf") if mean is None else mean

        by_name = sorted(entrants, key=self._names.__getitem__)
        return sorted(by_name, key=merit, reverse=True)

    def _present(self, position: int) -> tuple[set[int], set[int]]:
        """Return who plays in a look that begins at this group, and who was there by then."""
        present = list_present(position, entrants=len(self._names), changes=self._changes)
        late = (each for each in self._changes if each.joins and each.first_group <= position)
        return set(present), {*self._founders, *(change.entrant for change in late)}

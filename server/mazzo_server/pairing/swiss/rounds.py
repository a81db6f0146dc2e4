"""A Swiss tournament: in each round, entrants meet that have done equally well so far.

A table plays a few mirror groups in a round. In a group of N sides the entrant in place p (from 0,
ties averaged) has the share (N − 1 − p) / (N − 1); the sum of shares over the groups gives the
places in the round, and these, by the same formula, the entrant's points for the round. So with two
sides a won round is 1 point, a drawn one ½, a lost one 0.

A bye is worth a full point. So is a round in which all groups of an entrant were void, since
another entrant at its table was withdrawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import gcd
from typing import Final

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Change, Entrant, Mirror
from mazzo_server.pairing.base import Group, GroupResult
from mazzo_server.pairing.presence import list_founders, list_present
from mazzo_server.pairing.seats import Seats, TableEntrants
from mazzo_server.pairing.swiss.sides import SwissSides

__all__ = ["Swiss", "SwissRound", "count_round_points", "share_places"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissRound:
    """A round, as far as it is known."""

    first: int  # number of the round's first group
    tables: tuple[TableEntrants, ...]
    byes: tuple[int, ...]
    # By entrant, including those with byes and void tables; empty until the round is over.
    points: Mapping[int, Fraction]
    void: tuple[TableEntrants, ...]  # tables without a group that counts
    # For each table, its entrants in the order of the places of its design; empty where every round
    # is even for each of them anyhow.
    players: tuple[TableEntrants, ...] = ()


class Swiss:
    """Rounds that avoid repeated meetings as far as possible.

    With two sides a round is the best perfect matching by these criteria in turn: fewest second
    byes; fewest pairs in which an entrant would be at one side 3 seatings more than at the other
    (none where each round is even); fewest rematches; lowest points of the bye; smallest sum of the
    squared differences in points. The seed decides between equals. With more sides the byes are
    given first, to the lowest of those with fewest byes. The others sit in the order of their
    points, and exchange places as long as that makes repeated meetings, then differences in points,
    fewer.

    Changes count from the first round that begins at or after them. An entrant that joins has 0
    points. A withdrawn entrant is not paired again. Earlier pairings stay: so `results` must be
    those with which the round ended, even where a withdrawal made a group void afterwards.
    """

    is_adaptive: Final = True

    def __init__(
        self,
        *,
        variant: str,
        entrants: Sequence[Entrant],
        sides: int,
        groups_per_table: int,
        mirror: Mirror,
        seed: bytes,
        rounds: int | None = None,
        changes: Sequence[Change] = (),
    ) -> None:
        """Check the arguments; by default there is one round more than a sole winner needs.

        Raises `InvalidInputError` like `RoundRobin`.
        """
        self.seats = Seats(
            variant=variant, entrants=entrants, sides=sides, mirror=mirror, seed=seed
        )
        if groups_per_table < 1:
            raise InvalidInputError(f"expected at least 1 group a table, got {groups_per_table}")
        self._changes = changes
        founders = len(list_founders(len(self.seats.names), changes))
        if founders < sides:
            raise InvalidInputError(f"{variant} needs at least {sides} bots, got {founders}")
        self._sides = sides
        length = sides // gcd(sides, mirror.count_seatings(sides))  # of a pass, in groups
        self._period = 2 * length
        self._is_even = groups_per_table % length == 0
        self._groups = groups_per_table
        self._rounds = rounds or (founders - 1).bit_length() + 1

    def total(self) -> int:
        """Return the number of mirror groups if no entrant is withdrawn or retired."""
        return self._rounds * self._groups * (len(self.seats.names) // self._sides)

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """Return the rest of the round of group number `first`; () at the end."""
        rounds = self.history(results)
        for place, paired in enumerate(rounds):
            if first < paired.first + len(paired.tables) * self._groups:
                met = Counter(table for earlier in rounds[:place] for table in earlier.tables)
                groups = [
                    (table, place, met[table] * self._groups + number)
                    for number in range(self._groups)
                    for place, table in enumerate(paired.tables)
                ]
                numbers = range(paired.first, paired.first + len(groups))
                return tuple(
                    replace(
                        self.seats.group(
                            number,
                            table,
                            own_number,
                            self.seats.arranged(paired.players[place], own_number)
                            if paired.players
                            else None,
                        ),
                        swiss_round=numbers,
                    )
                    for number, (table, place, own_number) in zip(numbers, groups, strict=True)
                    if number >= first
                )
        return ()

    def history(self, results: Sequence[GroupResult]) -> list[SwissRound]:
        """Return the rounds so far; the last one may not be over."""
        rounds: list[SwissRound] = []
        withdrawn: set[int] = set()
        taken = SwissSides(self.seats, sides=self._sides, groups=self._groups, period=self._period)
        first = 0
        for number in range(self._rounds):
            here = list_present(first, entrants=len(self.seats.names), changes=self._changes)
            present = [entrant for entrant in here if entrant not in withdrawn]
            if len(present) < self._sides:
                break
            tables, byes = self._pair(number, present, rounds, taken)
            players = () if self._is_even else tuple(map(taken.sit, tables))
            size = len(tables) * self._groups
            played = results[first : first + size]
            if len(played) < size:
                rounds.append(
                    SwissRound(
                        first=first, tables=tables, byes=byes, points={}, void=(), players=players
                    )
                )
                break
            points = dict.fromkeys(byes, Fraction(1))
            void = []
            for place, table in enumerate(tables):
                counted = [result.ranks for result in played[place :: len(tables)]]
                ranks = [each for each in counted if each is not None]
                for result in played[place :: len(tables)]:
                    withdrawn |= result.withdrawn
                if not ranks:
                    void.append(table)
                    points |= dict.fromkeys(table, Fraction(1))
                    continue
                points |= count_round_points(map(share_places, ranks))
            rounds.append(
                SwissRound(
                    first=first,
                    tables=tables,
                    byes=byes,
                    points=points,
                    void=tuple(void),
                    players=players,
                )
            )
            first += size
        return rounds

    def _pair(
        self,
        number: int,
        present: Sequence[int],
        rounds: Sequence[SwissRound],
        taken: SwissSides,
    ) -> tuple[tuple[TableEntrants, ...], tuple[int, ...]]:
        unit = 2 * (self._sides - 1)  # of a point; shares are whole multiples of 1 / unit
        points = {
            entrant: int(
                unit * sum((past.points.get(entrant, Fraction(0)) for past in rounds), Fraction(0))
            )
            for entrant in present
        }
        byes = Counter(entrant for past in rounds for entrant in past.byes)
        met = Counter(
            pair for past in rounds for table in past.tables for pair in combinations(table, 2)
        )
        draw = self.seats.draw(f"swiss {number}")
        # One after another, so that a later entrant changes nobody's lot.
        pairs = () if self._is_even or self._sides > 2 else combinations(present, 2)
        uneven = frozenset(pair for pair in pairs if taken.are_uneven(pair))
        lots = [draw.word() for _ in self.seats.names]
        # By points, the best first; lots decide between equals.
        order = sorted(present, key=lambda entrant: (-points[entrant], lots[entrant]))
        return _pair_round(
            self._sides,
            tuple((entrant, points[entrant], byes[entrant]) for entrant in order),
            frozenset((pair, times) for pair, times in met.items()),
            uneven,
        )


def count_round_points(shares: Iterable[Mapping[int, Fraction]]) -> dict[int, Fraction]:
    """Return the points of a table's entrants for a round, from their shares of its groups."""
    total: dict[int, Fraction] = {}
    for each in shares:
        for entrant, share in each.items():
            total[entrant] = total.get(entrant, Fraction(0)) + share
    return share_places(
        {entrant: sum(other > own for other in total.values()) for entrant, own in total.items()}
    )


def share_places(ranks: Mapping[int, int]) -> dict[int, Fraction]:
    """Return shares from 1 for the first to 0 for the last; ties have the mean of their places."""
    last = len(ranks) - 1
    equals = Counter(ranks.values())
    return {
        entrant: (last - rank - Fraction(equals[rank] - 1, 2)) / last
        for entrant, rank in ranks.items()
    }


@lru_cache(maxsize=128)
def _pair_round(
    sides: int,
    order: tuple[tuple[int, int, int], ...],  # entrant, points, byes
    meetings: frozenset[tuple[tuple[int, int], int]],
    uneven: frozenset[tuple[int, int]],  # pairs that would make sides too uneven; of two sides only
) -> tuple[tuple[TableEntrants, ...], tuple[int, ...]]:
    """Return the tables and the byes of a round, the table of the best first."""
    met = dict(meetings)
    tables, byes = _match(order, met, uneven) if sides == 2 else _seat_in_order(sides, order, met)
    places = {entrant: place for place, (entrant, _, _) in enumerate(order)}
    tables = sorted(tables, key=lambda table: sorted(places[entrant] for entrant in table))
    return tuple(tuple(sorted(table)) for table in tables), tuple(byes)


_Order = Sequence[tuple[int, int, int]]
_Met = Mapping[tuple[int, int], int]


def _count_times(met: _Met, one: int, other: int) -> int:
    return met.get((min(one, other), max(one, other)), 0)


def _match(
    order: _Order, met: _Met, uneven: Collection[tuple[int, int]]
) -> tuple[list[list[int]], list[int]]:
    # NetworkX takes a while to import, and only this function needs it.
    import networkx

    number = len(order)
    most = max(points for _, points, _ in order)
    # Each cost is more than the sum of all later costs can be.
    near = number  # a step in the order, in which lots decide between equals
    apart = near * number * number
    low = apart * (most * most + 1) * number
    again = low * (most + 1)
    rounds = 1 + max([*met.values(), *(byes for _, _, byes in order)], default=0)
    one_sided = again * rounds * number
    bye = one_sided * number
    graph = networkx.Graph()
    for (place, (one, points, _)), (below, (other, less, _)) in combinations(enumerate(order), 2):
        # Among equals the upper half meets the lower half, all at similar distances.
        cost = _count_times(met, one, other) * again + (points - less) ** 2 * apart
        cost += one_sided * ((min(one, other), max(one, other)) in uneven)
        graph.add_edge(one, other, weight=cost + number - (below - place))
    if number % 2:
        for place, (one, points, byes) in enumerate(order):
            graph.add_edge(one, -1, weight=byes * bye + points * low + number - place)
    matching = [sorted(edge) for edge in networkx.min_weight_matching(graph)]
    tables = [edge for edge in matching if edge[0] >= 0]
    return tables, [other for one, other in matching if one < 0]


def _seat_in_order(sides: int, order: _Order, met: _Met) -> tuple[list[list[int]], list[int]]:
    left_over = len(order) % sides
    from_below = sorted(enumerate(order), key=lambda row: (row[1][2], row[1][1], -row[0]))
    byes = [entrant for _, (entrant, _, _) in from_below[:left_over]]
    seated = [row for row in order if row[0] not in byes]
    points = {entrant: own for entrant, own, _ in seated}
    tables = [
        [entrant for entrant, _, _ in seated[start : start + sides]]
        for start in range(0, len(seated), sides)
    ]

    def cost(table: Iterable[int]) -> tuple[int, int]:
        pairs = list(combinations(table, 2))
        return (
            sum(_count_times(met, one, other) ** 2 for one, other in pairs),
            sum((points[one] - points[other]) ** 2 for one, other in pairs),
        )

    def both(one: Sequence[int], other: Sequence[int]) -> tuple[int, int]:
        (again, apart), (also, further) = cost(one), cost(other)
        return again + also, apart + further

    better = True
    while better:
        better = False
        for one, other in combinations(tables, 2):
            before = both(one, other)
            for i in range(sides):
                for j in range(sides):
                    one[i], other[j] = other[j], one[i]
                    if (after := both(one, other)) < before:
                        before, better = after, True
                    else:
                        one[i], other[j] = other[j], one[i]
    return tables, byes

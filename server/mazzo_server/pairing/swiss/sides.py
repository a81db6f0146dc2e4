"""Decides who takes which sides in a Swiss tournament, so that they are even over all of it."""

from __future__ import annotations

from itertools import combinations

from mazzo_server.pairing.seats import Seats, TableEntrants

__all__ = ["SwissSides"]

_MOST = 2  # seatings that a side may be ahead of another


class SwissSides:
    """The sides that the entrants take, round after round.

    When a table first meets, its entrants get the places in the table's design for which the sides
    taken so far, including void groups, are most even. Later groups of the table continue that
    design.
    """

    def __init__(self, seats: Seats, *, sides: int, groups: int, period: int) -> None:
        """Begin without rounds; `groups` is the number of groups of a table in a round.

        After `period` groups the design begins anew; any `period` groups in a row are even.
        """
        self._seats = seats
        self._sides = sides
        self._groups = groups
        self._period = period
        self._all_counts: dict[int, list[list[int]]] = {}  # by the number of a round's first group
        self._players: dict[TableEntrants, TableEntrants] = {}
        self._meetings: dict[TableEntrants, int] = {}
        self._taken = {entrant: [0] * sides for entrant in range(len(seats.names))}

    def sit(self, table: TableEntrants) -> TableEntrants:
        """Note that a table plays a round; return its entrants in the order of their places."""
        players, taken = self._next(table)
        self._players[table] = players
        self._meetings[table] = self._meetings.get(table, 0) + 1
        self._taken |= taken
        return players

    def are_uneven(self, table: TableEntrants) -> bool:
        """Tell whether an entrant would have a side too often if this table of two played now."""
        had = (self._taken[entrant] for entrant in table)
        if all(max(sides) - min(sides) < _MOST for sides in had):
            return False  # a round makes the difference larger by one at most
        _, taken = self._next(table)
        return any(max(sides) - min(sides) > _MOST for sides in taken.values())

    def _next(self, table: TableEntrants) -> tuple[TableEntrants, dict[int, list[int]]]:
        first = self._meetings.get(table, 0) * self._groups
        counts = self._counts(first % self._period)
        known = self._players.get(table)
        players = list(known or self._seats.seatings(table, 0)[0])

        def after(place: int, entrant: int) -> list[int]:
            had = self._taken[entrant]
            return [one + more for one, more in zip(had, counts[place], strict=True)]

        def cost(place: int, entrant: int) -> int:
            sides = after(place, entrant)
            return sum((side - min(sides)) ** 4 for side in sides)

        better = known is None
        while better:
            better = False
            for i, j in combinations(range(self._sides), 2):
                one, other = players[i], players[j]
                if cost(i, other) + cost(j, one) < cost(i, one) + cost(j, other):
                    players[i], players[j] = other, one
                    better = True
        return tuple(players), {
            entrant: after(place, entrant) for place, entrant in enumerate(players)
        }

    def _counts(self, first: int) -> list[list[int]]:
        """Return by place and side how often the groups of a round have the place there."""
        if first in self._all_counts:
            return self._all_counts[first]
        places = tuple(range(self._sides))
        counts = self._all_counts[first] = [[0] * self._sides for _ in places]
        for number in range(first, first + self._groups % self._period):
            for row in self._seats.arranged(places, number):
                for side, place in enumerate(row):
                    counts[place][side] += 1
        return counts

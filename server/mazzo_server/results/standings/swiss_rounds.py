"""The rounds of a Swiss tournament, as they count in its standings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

from mazzo_server.model import Change
from mazzo_server.pairing import (
    Group,
    SwissRound,
    SwissRow,
    count_round_points,
    list_present,
    rank_swiss,
    share_places,
)

__all__ = ["SwissSums"]


class SwissSums:
    """The sums from which the points are computed: for each table in each round."""

    def __init__(self) -> None:
        self._rounds: dict[int, _Round] = {}  # by the number of the first group

    def add(self, group: Group, ranks: Mapping[int, int] | None) -> None:
        """Add a group that is over; None: it is void."""
        assert group.swiss_round is not None
        numbers = group.swiss_round
        own = self._rounds.setdefault(numbers.start, _Round(len(numbers)))
        own.open -= 1
        shares = own.tables.setdefault(group.table, {})
        for entrant, share in share_places(ranks or {}).items():
            shares[entrant] = shares.get(entrant, Fraction(0)) + share

    def to_json(self) -> list[Any]:
        """Return the whole state as values that JSON can hold, for `from_json`."""
        return [
            [
                first,
                own.open,
                [
                    [table, [str(shares[entrant]) for entrant in table if shares]]
                    for table, shares in own.tables.items()
                ],
            ]
            for first, own in self._rounds.items()
        ]

    @classmethod
    def from_json(cls, state: Sequence[Any]) -> Self:
        """Return the sums of which `to_json` returned the state."""
        sums = cls()
        for first, open_, tables in state:
            own = sums._rounds[first] = _Round(open_)
            for table, shares in tables:
                own.tables[tuple(table)] = dict(zip(table, map(Fraction, shares), strict=False))
        return sums

    def make_rows(
        self, *, entrants: int, withdrawn: Collection[int], changes: Sequence[Change]
    ) -> tuple[SwissRow, ...]:
        """Return the rows of entrants that were not withdrawn, over the rounds that are over."""
        rounds = [
            own.make_round(first, list_present(first, entrants=entrants, changes=changes))
            for first, own in sorted(self._rounds.items())
            if not own.open
        ]
        return rank_swiss(rounds, range(entrants), withdrawn)


class _Round:
    __slots__ = ("open", "tables")

    def __init__(self, open_: int) -> None:
        self.open = open_  # groups that are not over
        # By table and entrant: the sum of the shares; empty where all groups are void.
        self.tables: dict[tuple[int, ...], dict[int, Fraction]] = {}

    def make_round(self, first: int, present: Collection[int]) -> SwissRound:
        seated = Counter(entrant for table in self.tables for entrant in table)
        byes = tuple(entrant for entrant in present if entrant not in seated)
        void = tuple(table for table, shares in self.tables.items() if not shares)
        points = dict.fromkeys([*byes, *(one for table in void for one in table)], Fraction(1))
        for shares in self.tables.values():
            points |= count_round_points([shares])
        return SwissRound(
            first=first, tables=tuple(self.tables), byes=byes, points=points, void=void
        )

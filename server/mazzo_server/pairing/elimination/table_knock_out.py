"""A knock-out at tables of three and more: the first k of a table go on.

The last N that are left, as many as a table has sides, play the final, and its places are the first
places of all. Before it every round leaves as many as fill the tables of the next one, where that
can be: N, then N² / k, and so on as long as these are whole numbers. Who has no seat for that has a
bye, the highest seeds first; and where k at each table would be too few, one more goes on from the
tables of the highest seeds.

Seats are given in turns from the highest seed, so that tables are equally strong. Entrants of
different tables are exchanged as long as that makes meetings of those who sat together in the round
before fewer, then other meetings, then differences between the tables. So two meet again in the
next round only where it has fewer tables than go on from theirs.

Where fewer than a table needs are left, since some were withdrawn or retired, the best of those
that are out come back for the final.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from mazzo_server.pairing.bracket import Bout, BoutStage
from mazzo_server.pairing.elimination.places import rank_places

__all__ = ["TableKnockOut"]

_Pairs = frozenset[tuple[tuple[int, int], int]]  # of entrants, and how often they met


class TableKnockOut:
    """The rounds of a knock-out of three sides and more."""

    def __init__(
        self, seeds: Sequence[int], *, sides: int, advance: int, before: Sequence[Bout] = ()
    ) -> None:
        """`seeds` has all entrants, the highest seed first; `advance` of a table go on.

        In the bouts of a stage `before` entrants have met already.
        """
        self._seeds = seeds
        self._places = {entrant: place for place, entrant in enumerate(seeds)}
        self._sides = sides
        self._advance = advance
        self._before = before

    def count_bouts(self) -> int:
        """Return the largest number of bouts, also if entrants leave."""
        most = [0] * self._sides + [1]
        for field in range(self._sides + 1, len(self._seeds) + 1):
            tables, out = self._divide(field)
            most.append(max(most[-1], tables + most[field - out]))
        return most[len(self._seeds)]

    def pair(self, rounds: Sequence[Sequence[Bout]], gone: Collection[int]) -> tuple[Bout, ...]:
        """Return the bouts after these rounds; none: it is over."""
        if rounds and rounds[-1][0].stage is BoutStage.FINAL:
            return ()
        field = [entrant for entrant in self._list_field(rounds) if entrant not in gone]
        if len(field) < self._sides:
            places = rank_places(rounds, self._seeds)
            back = [one for one in places if one not in gone and one not in field]
            field += back[: self._sides - len(field)]
        if len(field) < self._sides:
            return ()
        field.sort(key=self._places.__getitem__)
        number = len(rounds) + 1
        if len(field) == self._sides:
            final = Bout(table=tuple(field), stage=BoutStage.FINAL, round=number, advance=1)
            return (final,)
        tables, out = self._divide(len(field))
        free = len(field) - tables * self._sides
        met = [self._before, *rounds]
        seated = _seat_tables(
            tuple(field[free:]), tables, _count_met(met[-1:]), _count_met(met[:-1])
        )
        each, more = divmod(out, tables)
        sizes = [self._sides - each - (place >= tables - more) for place in range(tables)]
        return (
            *(
                Bout(table=(entrant,), stage=BoutStage.ROUND, round=number, advance=1)
                for entrant in field[:free]
            ),
            *(
                Bout(table=table, stage=BoutStage.ROUND, round=number, advance=size)
                for table, size in zip(seated, sizes, strict=True)
            ),
        )

    def _list_field(self, rounds: Sequence[Sequence[Bout]]) -> Iterable[int]:
        if not rounds:
            return self._seeds
        return (entrant for bout in rounds[-1] for entrant in bout.order[: bout.advance])

    def _divide(self, field: int) -> tuple[int, int]:
        """Return at how many tables so many play, and how many of them go out."""
        whole = self._sides  # the largest number that fills all tables, now or in the next round
        while whole * self._sides % self._advance == 0:
            larger = whole * self._sides // self._advance
            if larger > field or larger % self._sides:
                break
            whole = larger
        out = self._sides - self._advance  # of a table
        if whole == field:
            tables = field // self._sides
            return tables, tables * out
        tables = min(field // self._sides, -(-(field - whole) // out))
        return tables, min(tables * out, field - whole)


def _count_met(rounds: Sequence[Sequence[Bout]]) -> _Pairs:
    tables = (bout.seated for bouts in rounds for bout in bouts)
    return frozenset(Counter(pair for table in tables for pair in combinations(table, 2)).items())


@lru_cache(maxsize=128)
def _seat_tables(
    field: tuple[int, ...], tables: int, last: _Pairs, earlier: _Pairs
) -> tuple[tuple[int, ...], ...]:
    """Return the tables of a field that is in the order of seeds, that of the best first."""
    before, others = dict(last), dict(earlier)
    places = {entrant: place for place, entrant in enumerate(field)}
    turns = [[*range(tables)], [*reversed(range(tables))]]
    seated: list[list[int]] = [[] for _ in range(tables)]
    for place, entrant in enumerate(field):
        turn, step = divmod(place, tables)
        seated[turns[turn % 2][step]].append(entrant)

    def cost(*both: Sequence[int]) -> tuple[int, int, int]:
        pairs = [(min(pair), max(pair)) for table in both for pair in combinations(table, 2)]
        return (
            sum(before.get(pair, 0) for pair in pairs),
            sum(others.get(pair, 0) ** 2 for pair in pairs),
            sum(sum(places[entrant] for entrant in table) ** 2 for table in both),
        )

    better = bool(before or others)
    while better:
        better = False
        for one, other in combinations(seated, 2):
            least = cost(one, other)
            for i in range(len(one)):
                for j in range(len(other)):
                    one[i], other[j] = other[j], one[i]
                    if (after := cost(one, other)) < least:
                        least, better = after, True
                    else:
                        one[i], other[j] = other[j], one[i]
    tables_found = [tuple(sorted(table, key=places.__getitem__)) for table in seated]
    return tuple(sorted(tables_found, key=lambda table: [places[entrant] for entrant in table]))

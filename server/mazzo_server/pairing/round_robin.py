"""Schedules in which every entrant meets every other, or all meet one of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby, islice
from math import comb, gcd
from typing import Final

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Change, Entrant, Mirror
from mazzo_server.pairing.base import MOST_GROUPS, Group, GroupResult
from mazzo_server.pairing.choice import choose_balanced
from mazzo_server.pairing.even_sides import share_sides
from mazzo_server.pairing.presence import list_founders
from mazzo_server.pairing.seats import Seatings, Seats, TableEntrants

__all__ = ["RoundRobin", "count_groups"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leg:
    """The part of the schedule from one change of the entrants to the next."""

    first: int  # number of its first group
    tables: Sequence[TableEntrants]
    done: Sequence[int]  # by table: how many of its groups were scheduled before


class RoundRobin:
    """Every combination of entrants, one for each side, meets in the same number of groups.

    With a *hero*, only its own combinations meet: a gauntlet. With a number of tables below that of
    the combinations, a balanced choice of at least so many meets.

    The schedule has group 0 of every table, then group 1 of every table, and so on, so that a
    tournament cut short has treated all alike. After a change of the entrants it goes through
    these numbers from 0 again, and has all groups of tables of present entrants that were not
    scheduled before. An entrant that joins adds every combination with those present. In a choice,
    it adds a balanced choice of tables, as many as each of the others has.

    Each entrant takes every side equally often, give or take one, at each of its tables. Over all
    tables this holds among the entrants that were there from the start, and among those that join.
    """

    is_adaptive: Final = False

    def __init__(
        self,
        *,
        variant: str,
        entrants: Sequence[Entrant],
        sides: int,
        groups_per_table: int,
        mirror: Mirror,
        seed: bytes,
        tables: int | None = None,
        hero: str = "",
        changes: Sequence[Change] = (),
    ) -> None:
        """Check the arguments; `variant` serves only for messages.

        Raises `InvalidInputError` for too few bots, a repeated name, no groups or tables at all, a
        hero that does not take part, or a mirror mode with too many seatings.
        """
        self._seats = Seats(
            variant=variant, entrants=entrants, sides=sides, mirror=mirror, seed=seed
        )
        names = self._seats.names
        self._changes = sorted(changes, key=lambda change: change.first_group)
        self._founders = list_founders(len(names), changes)
        if len(self._founders) < sides:
            raise InvalidInputError(
                f"{variant} needs at least {sides} bots, got {len(self._founders)}"
            )
        if groups_per_table < 1:
            raise InvalidInputError(f"expected at least 1 group a table, got {groups_per_table}")
        if tables is not None and tables < 1:
            raise InvalidInputError(f"expected at least 1 table, got {tables}")
        if hero and hero not in names:
            raise InvalidInputError(
                f"hero: expected one of the bots that take part ({', '.join(names)}), got {hero!r}"
            )
        self._always = (names.index(hero),) if hero else ()
        self._sides = sides
        self._groups_per_table = groups_per_table
        self._most = tables
        seatings = mirror.count_seatings(sides)
        turns = 1 if mirror is Mirror.ALL else sides // gcd(sides, seatings)
        # From this number on, a table's seatings do not give every side to everybody.
        self._uneven = groups_per_table - groups_per_table % turns
        self._open: dict[int, Iterator[Group]] = {}  # iterators by the number of their next group

    def total(self) -> int:
        """Return the number of mirror groups in the schedule, as now known."""
        if not self._changes:
            return self._number_of_tables * self._groups_per_table
        return self._legs[-1].first + self._length(self._legs[-1])

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """Return the next groups in order, at most `MOST_GROUPS`, and none after a change."""
        # The call that asks for an iterator's next group takes it over, so a long tournament does
        # not begin again at each batch; two threads never have the same one.
        groups = self._open.pop(first, None) or self._groups(first)
        ahead = (leg.first - first for leg in self._legs if leg.first > first)
        most = min(MOST_GROUPS, *ahead, MOST_GROUPS)
        batch = tuple(islice(groups, most))
        if batch:
            self._open = {first + len(batch): groups}
        return batch

    def _groups(self, first: int) -> Iterator[Group]:
        number = first
        for number_at_table, table in self._walk(first):
            seatings = None
            if number_at_table >= self._uneven:
                seatings = self._shared[table, number_at_table]
            yield self._seats.group(number, table, number_at_table, seatings)
            number += 1

    def _walk(self, first: int) -> Iterator[tuple[int, TableEntrants]]:
        """Return the number at its table, and the table, of each group from number `first` on."""
        if not self._changes:  # no need to list the tables
            skipped, offset = divmod(first, self._number_of_tables)
            for number in range(skipped, self._groups_per_table):
                for table in islice(self._founding(), offset, None):
                    yield number, table
                offset = 0
            return
        ends = [leg.first for leg in self._legs[1:]]
        for leg, end in zip(self._legs, [*ends, None], strict=True):
            if end is None or first < end:
                start = max(first, leg.first)
                length = None if end is None else end - start
                yield from islice(self._walk_leg(leg, start - leg.first), length)

    def _length(self, leg: _Leg) -> int:
        return sum(self._groups_per_table - done for done in leg.done)

    def _walk_leg(self, leg: _Leg, offset: int) -> Iterator[tuple[int, TableEntrants]]:
        in_order = sorted(leg.done)
        for number in range(self._groups_per_table):
            open_tables = bisect_right(in_order, number)
            if offset >= open_tables:
                offset -= open_tables
                continue
            pairs = zip(leg.tables, leg.done, strict=True)
            left = ((number, table) for table, done in pairs if done <= number)
            yield from islice(left, offset, None)
            offset = 0

    @cached_property
    def _number_of_tables(self) -> int:
        others = [index for index in self._founders if index not in self._always]
        every = comb(len(others), self._sides - len(self._always))
        if self._most is None or every <= self._most:
            return every
        return len(self._chosen_tables)

    @cached_property
    def _chosen_tables(self) -> Sequence[TableEntrants]:
        """The founders' tables, where they are not all combinations."""
        assert self._most is not None
        return list(self._combine(self._founders, self._always, self._most))

    def _founding(self) -> Iterable[TableEntrants]:
        """Return the founders' tables, in order; listed only where they are a choice."""
        if self._most is None:
            return self._combine(self._founders, self._always, None)
        return self._chosen_tables

    def _combine(
        self, present: Iterable[int], always: Sequence[int], at_least: int | None
    ) -> Iterator[TableEntrants]:
        """Return all tables of present entrants with all of `always`, or a balanced choice."""
        others = [index for index in present if index not in always]
        size = self._sides - len(always)
        if at_least is None or comb(len(others), size) <= at_least:
            choice: Iterable[TableEntrants] = combinations(others, size)
        else:
            order = self._seats.draw("choice").shuffle(len(others))
            circle = [others[place] for place in order]
            choice = (
                tuple(circle[place] for place in table)
                for table in choose_balanced(len(others), size, at_least)
            )
        if always or at_least is not None:
            return (tuple(sorted((*always, *table))) for table in choice)
        return iter(choice)

    @cached_property
    def _blocks(self) -> tuple[Sequence[Sequence[TableEntrants]], Sequence[_Leg]]:
        """The founders' tables, the tables each joining added, and the schedule's legs."""
        founding = list(self._founding())
        blocks: list[Sequence[TableEntrants]] = [founding]
        legs = [_Leg(first=0, tables=founding, done=[0] * len(founding))]
        done = dict.fromkeys(founding, 0)  # groups by table, of all tables that ever played
        present = set(self._founders)
        # The number of tables of an entrant; in a gauntlet, of one that is not the hero.
        seats = len(founding) * (self._sides - len(self._always))
        usual = -(-seats // max(1, len(self._founders) - len(self._always)))
        for position, changes in groupby(self._changes, key=lambda change: change.first_group):
            first = min(position, legs[-1].first + self._length(legs[-1]))
            for number, table in islice(self._walk_leg(legs[-1], 0), first - legs[-1].first):
                done[table] = number + 1
            for change in changes:
                if not change.joins:
                    present.discard(change.entrant)
                    continue
                present.add(change.entrant)
                always = sorted({*self._always, change.entrant})
                added: list[TableEntrants] = []
                if present.issuperset(always) and len(present) >= self._sides:
                    limit = None if self._most is None else usual
                    tables = self._combine(sorted(present), always, limit)
                    added = [table for table in tables if table not in done]
                blocks.append(added)
                done.update(dict.fromkeys(added, 0))
            left = [
                table
                for table, groups in done.items()
                if groups < self._groups_per_table and present.issuperset(table)
            ]
            legs.append(_Leg(first=first, tables=left, done=[done[table] for table in left]))
        return blocks, legs

    @property
    def _legs(self) -> Sequence[_Leg]:
        return self._blocks[1] if self._changes else ()

    @cached_property
    def _shared(self) -> dict[tuple[TableEntrants, int], Seatings]:
        """The seatings of the last groups, in which no table gives every side to everybody."""
        shared = {}
        last = range(self._uneven, self._groups_per_table)
        for tables in self._blocks[0]:
            keys = [(table, number) for table in tables for number in last]
            own = [self._seats.seatings(*key) for key in keys]
            rows = [list(seating) for seatings in own for seating in seatings]
            groups = [
                (place // len(last), place % len(last))
                for place, seatings in enumerate(own)
                for _ in seatings
            ]
            share_sides(rows, groups)
            even = iter(rows)
            for key, seatings in zip(keys, own, strict=True):
                shared[key] = tuple(tuple(next(even)) for _ in seatings)
        return shared


def count_groups(deals: int, *, seatings: int, deals_per_match: int) -> int:
    """Return how many whole groups a table needs for at least `deals` deals, over all seatings.

    Raises `InvalidInputError` unless at least one deal is asked for.
    """
    if deals < 1:
        raise InvalidInputError(f"expected at least 1 deal, got {deals}")
    return -(-deals // (seatings * deals_per_match))

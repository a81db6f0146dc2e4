"""The schedule of a round robin: every set of entrants that fits the table meets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import comb
from typing import Final

from mazzo.shuffle import Stream
from mazzo_server.definition import Entrant, Mirror
from mazzo_server.errors import InvalidInputError
from mazzo_server.pairing.base import MOST_GROUPS, Group, GroupResult
from mazzo_server.pairing.seatings import pattern, seatings_per_group

__all__ = ["RoundRobin", "groups_for_deals"]


class RoundRobin:
    """Every combination of entrants, one for each side, meets in the same number of groups.

    The schedule has round 0 of every table, then round 1 of every table, and so on, so that
    a tournament cut short has treated all alike.

    The match seed is SHA-256 of `mazzo-group/1`, the tournament's seed, for each entrant of
    the table in order of their names the name in UTF-8 and a zero byte, and the round as 8
    bytes, big end first. Versions are left out: a new version of a bot meets the same deals
    under the same chosen seed. What a table plays does not depend on who else takes part.
    """

    adaptive: Final = False

    def __init__(
        self,
        *,
        variant: str,
        entrants: Sequence[Entrant],
        sides: int,
        groups_per_table: int,
        mirror: Mirror,
        seed: bytes,
    ) -> None:
        """Check what was given; `variant` stands in messages only.

        Raises `InvalidInputError` for too few bots, a name that stands there twice, no
        groups at all, or a mirror mode with too many seatings.
        """
        assert sides >= 2
        names = [entrant.name for entrant in entrants]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInputError(f"expected every bot once, got {name!r} twice")
        if len(names) < sides:
            raise InvalidInputError(f"{variant} needs at least {sides} bots, got {len(names)}")
        if groups_per_table < 1:
            raise InvalidInputError(f"expected at least 1 group a table, got {groups_per_table}")
        seatings_per_group(mirror, sides)
        self.names = names
        self._sides = sides
        self._rounds = groups_per_table
        self._mirror = mirror
        self._seed = seed

    def total(self) -> int:
        """The number of mirror groups in the schedule."""
        return comb(len(self.names), self._sides) * self._rounds

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """The next groups in schedule order, at most `MOST_GROUPS`; () at the end."""
        return tuple(islice(self._groups(first), MOST_GROUPS))

    def group(self, number: int, table: tuple[int, ...], round_number: int) -> Group:
        """The group of this round of a table, as number `number` of a schedule."""
        design = pattern(self._mirror, self._sides, round_number)
        by_name = sorted(table, key=self.names.__getitem__)
        draw = Stream(self._hash(b"mazzo-seating/1", by_name, design.cycle), "places")
        players = [by_name[index] for index in draw.shuffle(self._sides)]
        return Group(
            number=number,
            table=table,
            round=round_number,
            seed=self._hash(b"mazzo-group/1", by_name, round_number),
            seatings=tuple(tuple(players[place] for place in row) for row in design.rows),
        )

    def _groups(self, first: int) -> Iterator[Group]:
        tables = comb(len(self.names), self._sides)
        number = first
        for round_number in range(first // tables, self._rounds):
            in_order = combinations(range(len(self.names)), self._sides)
            for table in islice(in_order, number - round_number * tables, None):
                yield self.group(number, table, round_number)
                number += 1

    def _hash(self, purpose: bytes, by_name: Sequence[int], number: int) -> bytes:
        names = b"".join(self.names[index].encode() + b"\x00" for index in by_name)
        return hashlib.sha256(purpose + self._seed + names + number.to_bytes(8, "big")).digest()


def groups_for_deals(deals: int, *, seatings: int, deals_per_match: int) -> int:
    """How many whole groups a table needs to play at least `deals` deals, over all seatings.

    Raises `InvalidInputError` unless at least one deal is asked for.
    """
    if deals < 1:
        raise InvalidInputError(f"expected at least 1 deal, got {deals}")
    return -(-deals // (seatings * deals_per_match))

"""The schedule of a round robin: every set of entrants that fits the table meets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from math import comb

from mazzo.shuffle import Stream
from mazzo_server.definition import Entrant, Mirror
from mazzo_server.errors import InvalidInputError
from mazzo_server.pairing.seatings import pattern, seatings_per_group

__all__ = ["Group", "RoundRobin", "groups_for_deals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A mirror group: one match seed, played by one table of entrants in several seatings."""

    number: int  # in the schedule, from 0
    table: tuple[int, ...]  # indices of the entrants, ascending
    round: int  # number of the group at its table, from 0
    seed: bytes = field(repr=False)  # of the match, 32 bytes; the same in all seatings
    seatings: tuple[tuple[int, ...], ...]  # by seating: the index of the entrant at each side

    def by_seat(self, seating: int, sides: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """The index of the entrant in each seat; `sides` has the seats of each side."""
        entrants = zip(self.seatings[seating], sides, strict=True)
        seats = {seat: entrant for entrant, side in entrants for seat in side}
        return tuple(seats[seat] for seat in range(len(seats)))


class RoundRobin:
    """Every combination of entrants, one for each side, meets in the same number of groups.

    The schedule has round 0 of every table, then round 1 of every table, and so on, so that
    a tournament cut short has treated all alike.

    The match seed is SHA-256 of `mazzo-group/1`, the tournament's seed, for each entrant of
    the table in order of their names the name in UTF-8 and a zero byte, and the round as 8
    bytes, big end first. Versions are left out: a new version of a bot meets the same deals
    under the same chosen seed. What a table plays does not depend on who else takes part.
    """

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
        self._names = names
        self._sides = sides
        self._rounds = groups_per_table
        self._mirror = mirror
        self._seed = seed

    def total(self) -> int:
        """The number of mirror groups in the schedule."""
        return comb(len(self._names), self._sides) * self._rounds

    def groups(self, first: int = 0) -> Iterator[Group]:
        """The groups in schedule order from number `first` on, made as they are asked for."""
        tables = comb(len(self._names), self._sides)
        number = first
        for round_number in range(first // tables, self._rounds):
            design = pattern(self._mirror, self._sides, round_number)
            in_order = combinations(range(len(self._names)), self._sides)
            for table in islice(in_order, number - round_number * tables, None):
                by_name = sorted(table, key=self._names.__getitem__)
                draw = Stream(self._hash(b"mazzo-seating/1", by_name, design.cycle), "places")
                players = [by_name[index] for index in draw.shuffle(self._sides)]
                yield Group(
                    number=number,
                    table=table,
                    round=round_number,
                    seed=self._hash(b"mazzo-group/1", by_name, round_number),
                    seatings=tuple(tuple(players[place] for place in row) for row in design.rows),
                )
                number += 1

    def _hash(self, purpose: bytes, by_name: Sequence[int], number: int) -> bytes:
        names = b"".join(self._names[index].encode() + b"\x00" for index in by_name)
        return hashlib.sha256(purpose + self._seed + names + number.to_bytes(8, "big")).digest()


def groups_for_deals(deals: int, *, seatings: int, deals_per_match: int) -> int:
    """How many whole groups a table needs to play at least `deals` deals, over all seatings.

    Raises `InvalidInputError` unless at least one deal is asked for.
    """
    if deals < 1:
        raise InvalidInputError(f"expected at least 1 deal, got {deals}")
    return -(-deals // (seatings * deals_per_match))

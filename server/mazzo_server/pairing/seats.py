"""What each group of a table plays: its match seed, and who sits where."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from mazzo.shuffle import Stream
from mazzo_server.definition import Entrant, Mirror
from mazzo_server.errors import InvalidInputError
from mazzo_server.pairing.base import Group
from mazzo_server.pairing.seatings import pattern, seatings_per_group

__all__ = ["Seatings", "Seats", "Table"]

Table = tuple[int, ...]
"""The indices of the entrants that meet, ascending."""

Seatings = tuple[tuple[int, ...], ...]
"""By seating: the index of the entrant at each side."""


class Seats:
    """The match seed and the seatings of each group of a table.

    The match seed is SHA-256 of `mazzo-group/1`, the tournament's seed, for each entrant of
    the table in order of their names the name in UTF-8 and a zero byte, and the round as 8
    bytes, big end first. Versions are left out: a new version of a bot meets the same deals
    under the same chosen seed. What a table plays does not depend on who else takes part.
    """

    def __init__(
        self, *, variant: str, entrants: Sequence[Entrant], sides: int, mirror: Mirror, seed: bytes
    ) -> None:
        """Check what was given; `variant` stands in messages only.

        Raises `InvalidInputError` for a name that stands there twice, or a mirror mode with
        too many seatings.
        """
        assert sides >= 2
        self.names = [entrant.name for entrant in entrants]
        for name in self.names:
            if self.names.count(name) > 1:
                raise InvalidInputError(f"expected every bot once, got {name!r} twice")
        if len(self.names) < sides:
            raise InvalidInputError(f"{variant} needs at least {sides} bots, got {len(self.names)}")
        seatings_per_group(mirror, sides)
        self._sides = sides
        self._mirror = mirror
        self._seed = seed

    def group(
        self, number: int, table: Table, round_number: int, seatings: Seatings | None = None
    ) -> Group:
        """A group of the table, in these seatings or in its own."""
        by_name = sorted(table, key=self.names.__getitem__)
        return Group(
            number=number,
            table=table,
            round=round_number,
            seed=self._hash(b"mazzo-group/1", by_name, round_number),
            seatings=seatings or self._seatings(by_name, round_number),
        )

    def seatings(self, table: Table, round_number: int) -> Seatings:
        """Of a group: the entrants at each side, by seating."""
        return self._seatings(sorted(table, key=self.names.__getitem__), round_number)

    def draw(self, purpose: str) -> Stream:
        """Random numbers for something other than cards and seats."""
        return Stream(self._seed, purpose)

    def _seatings(self, by_name: list[int], round_number: int) -> Seatings:
        design = pattern(self._mirror, self._sides, round_number)
        draw = Stream(self._hash(b"mazzo-seating/1", by_name, design.cycle), "places")
        players = [by_name[index] for index in draw.shuffle(self._sides)]
        return tuple(tuple(players[place] for place in row) for row in design.rows)

    def _hash(self, purpose: bytes, by_name: Sequence[int], number: int) -> bytes:
        names = b"".join(self.names[index].encode() + b"\x00" for index in by_name)
        return hashlib.sha256(purpose + self._seed + names + number.to_bytes(8, "big")).digest()

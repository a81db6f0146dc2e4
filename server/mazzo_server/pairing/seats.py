"""Decides the match seed of each group of a table, and who sits where."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Final, TypeVar

from mazzo.shuffle import Stream
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Entrant, Mirror
from mazzo_server.pairing.base import Group
from mazzo_server.pairing.seatings import make_pattern

__all__ = ["Seatings", "Seats", "TableEntrants"]

TableEntrants = tuple[int, ...]
"""The indices of the entrants that meet, ascending."""

Seatings = tuple[tuple[int, ...], ...]
"""By seating: the index of the entrant at each side."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_MOST_REMEMBERED: Final = 10_000  # tables


class Seats:
    """The match seed and the seatings of each group of a table.

    The match seed is the SHA-256 of these bytes: `mazzo-group/1`; the tournament's seed; for each
    entrant of the table, in order of names, the name in UTF-8 and a zero byte; and the group's
    number at its table as 8 bytes, big end first. Versions are left out: a new version of a bot
    meets the same deals under the same chosen seed; but on a ladder the name has it (`a@3`), and a
    group's number at its table is that in the season. A table's groups do not depend on the other
    entrants.
    """

    def __init__(
        self,
        *,
        variant: str,
        entrants: Sequence[Entrant],
        sides: int,
        mirror: Mirror,
        seed: bytes,
        least: int | None = None,
    ) -> None:
        """Check the arguments; `variant` serves only for messages.

        There are at `least` so many entrants, or as many as sides.

        Raises `InvalidInputError` for a repeated name, or a mirror mode with too many seatings.
        """
        assert sides >= 2
        least = sides if least is None else least
        self.names = [entrant.name for entrant in entrants]
        for name in self.names:
            if self.names.count(name) > 1:
                raise InvalidInputError(f"expected every bot once, got {name!r} twice")
        if len(self.names) < least:
            raise InvalidInputError(f"{variant} needs at least {least} bots, got {len(self.names)}")
        mirror.count_seatings(sides)
        self._sides = sides
        self._seed = seed
        self._pattern = lru_cache(maxsize=16)(partial(make_pattern, mirror, sides))
        self._players: dict[
            tuple[TableEntrants, int], TableEntrants
        ] = {}  # by table and cycle, in order of places
        self._texts: dict[TableEntrants, bytes] = {}  # by table: the names, as they are hashed

    def group(
        self,
        number: int,
        table: TableEntrants,
        number_at_table: int,
        seatings: Seatings | None = None,
    ) -> Group:
        """Return a group of the table, in these seatings or in its own."""
        return Group(
            number=number,
            table=table,
            number_at_table=number_at_table,
            seed=self._hash(b"mazzo-group/1", table, number_at_table),
            seatings=seatings or self.seatings(table, number_at_table),
        )

    def seatings(self, table: TableEntrants, number_at_table: int) -> Seatings:
        """Return the entrants at each side, by seating, for a group of the table."""
        design = self._pattern(number_at_table)
        key = (table, design.cycle)
        players = self._players.get(key)
        if players is None:
            draw = Stream(self._hash(b"mazzo-seating/1", table, design.cycle), "places")
            by_name = sorted(table, key=self.names.__getitem__)
            players = tuple(by_name[index] for index in draw.shuffle(self._sides))
            _remember(self._players, key, players)
        return tuple([tuple([players[place] for place in row]) for row in design.rows])

    def arranged(self, players: TableEntrants, number_at_table: int) -> Seatings:
        """Return the seatings of a group whose entrants take the design's places in this order."""
        rows = self._pattern(number_at_table).rows
        return tuple([tuple([players[place] for place in row]) for row in rows])

    def draw(self, purpose: str) -> Stream:
        """Return random numbers for a purpose other than cards and seats."""
        return Stream(self._seed, purpose)

    def _hash(self, purpose: bytes, table: TableEntrants, number: int) -> bytes:
        names = self._texts.get(table)
        if names is None:
            by_name = sorted(self.names[index] for index in table)
            names = b"".join(name.encode() + b"\x00" for name in by_name)
            _remember(self._texts, table, names)
        return hashlib.sha256(purpose + self._seed + names + number.to_bytes(8, "big")).digest()


def _remember(cache: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    if len(cache) >= _MOST_REMEMBERED:
        cache.clear()
    cache[key] = value

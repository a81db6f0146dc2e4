"""Decides which bots of an arena meet, on which cards, and in which seats."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from math import comb
from typing import TypeVar

from mazzo.game import Variant
from mazzo.match import MatchFormat
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Entrant, Mirror, make_usual_format
from mazzo_server.pairing import (
    Group,
    RoundRobin,
    count_groups,
    list_groups,
    make_pattern,
)

__all__ = ["Schedule", "sort_groups"]

_Played = TypeVar("_Played")
_MOST_TABLES = 10_000
_FEWEST_BOTS = 2


class Schedule:
    """The mirror groups of an arena: a function of its seed, variant and number of bots.

    With at least as many bots as the variant has sides it is the round robin of tournaments: every
    combination of bots plays, in seatings in which each takes every side. With fewer, every bot
    sits *alone* among copies of every other one, on every side in turn. The table of such a group
    has two entries: first the lone bot, then the bot on all other sides.

    Bots are identified by their numbers, so another bot in the same place meets the same cards. All
    tables play their first group before any plays its second.

    With the bots' `names` it is the schedule of a tournament of bots with these names.
    """

    def __init__(
        self,
        variant: Variant,
        bots: int,
        *,
        deals: int,
        seed: bytes,
        match_format: MatchFormat | None = None,
        names: Sequence[str] = (),
    ) -> None:
        """Make a schedule in which every table plays at least `deals` deals, in whole groups.

        Without a match format a match has as many deals as there are sides; a match with a target
        counts as one deal. Raises `InvalidInputError` for fewer than two bots, no deals, or too
        many tables.
        """
        sides = len(variant.sides)
        if bots < _FEWEST_BOTS:
            raise InvalidInputError(f"expected at least {_FEWEST_BOTS} bots, got {bots}")
        self.alone = bots < sides
        self.match_format = match_format or make_usual_format(sides)
        planned = self.match_format.planned_deals or 1
        self.seatings = Mirror.ROTATIONS.count_seatings(sides)
        self._seed = seed
        self._sides = sides
        self._pairs = list(permutations(range(bots), 2)) if self.alone else []
        self.tables = len(self._pairs) or comb(bots, sides)
        if self.tables > _MOST_TABLES:
            raise InvalidInputError(
                f"expected at most {_MOST_TABLES:,} tables, got {self.tables:,}: {bots} bots make "
                f"too many combinations of {sides}; let fewer play"
            )
        self.groups_per_table = count_groups(deals, seatings=self.seatings, deals_per_match=planned)
        self.total = self.tables * self.groups_per_table
        self.deals = self.total * self.seatings * planned
        names = names or [f"{number:06}" for number in range(bots)]
        # The numbers of the bots in the order of their names, as entrants of tournaments are.
        self.by_name = sorted(range(bots), key=names.__getitem__)
        self._round_robin = None
        if not self.alone:
            self._round_robin = RoundRobin(
                variant=str(variant),
                entrants=[
                    Entrant(name=names[bot], version=1, content_hash="") for bot in self.by_name
                ],
                sides=sides,
                groups_per_table=self.groups_per_table,
                mirror=Mirror.ROTATIONS,
                seed=seed,
            )

    def groups(self) -> Iterator[Group]:
        """Return all groups in order, made as they are needed."""
        if self._round_robin is not None:
            groups = list_groups(self._round_robin)
            is_by_name = self.by_name == sorted(self.by_name)
            yield from groups if is_by_name else map(self._number_bots, groups)
            return
        for number in range(self.total):
            yield self._make_lone_group(number)

    def _number_bots(self, group: Group) -> Group:
        """Return a group of entrants with the numbers of the bots."""
        return replace(
            group,
            table=tuple(sorted([self.by_name[entrant] for entrant in group.table])),
            seatings=tuple(
                [tuple([self.by_name[entrant] for entrant in row]) for row in group.seatings]
            ),
        )

    def _make_lone_group(self, number: int) -> Group:
        number_at_table, table = divmod(number, len(self._pairs))
        lone, other = self._pairs[table]
        label = f"{lone}/{other}/{number_at_table}".encode()
        rows = make_pattern(Mirror.ROTATIONS, self._sides, number_at_table).rows
        return Group(
            number=number,
            table=(lone, other),
            number_at_table=number_at_table,
            seed=hashlib.sha256(b"mazzo-arena/1" + self._seed + label).digest(),
            seatings=tuple(tuple(other if place else lone for place in row) for row in rows),
        )


def sort_groups(played: Iterable[tuple[Group, _Played]]) -> Iterator[tuple[Group, _Played]]:
    """Yield groups of a schedule, which come in any order, by number: each once all before came."""
    waiting: dict[int, tuple[Group, _Played]] = {}
    following = 0
    for group, outcomes in played:
        waiting[group.number] = group, outcomes
        while following in waiting:
            yield waiting.pop(following)
            following += 1

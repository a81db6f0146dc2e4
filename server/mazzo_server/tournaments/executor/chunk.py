"""A chunk: whole mirror groups, with all that is needed to play them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mazzo_server.pairing import Group
from mazzo_server.play import MatchRules, PlannedMatch, PlannedSeat

__all__ = ["Chunk", "ChunkGroup"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkGroup:
    """A mirror group of a chunk."""

    group: Group
    # By entrant of the table: the number of its groups before this one in the schedule, up to a
    # bound; budgets of notes follow from it.
    groups_before: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Mirror groups with all their seatings; some of their matches may be over already."""

    rules: MatchRules
    groups: tuple[ChunkGroup, ...]  # in order of their numbers
    seatings: int
    finished: frozenset[tuple[int, int]]  # (group, seating) of the matches that are already over
    withdrawn: frozenset[int]  # entrants whose matches are no longer played

    @property
    def first(self) -> int:
        """The number of the first group."""
        return self.groups[0].group.number

    @property
    def end(self) -> int:
        """One more than the number of the last group."""
        return self.groups[-1].group.number + 1

    def count_instances(self) -> int:
        """Return how many instances of bots play a seating of all groups."""
        sides = self.rules.sides
        return len({part for item in self.groups for part in item.group.parts_by_seat(0, sides)})

    def cut(self, first: int, end: int) -> Chunk:
        """Return those groups whose numbers are in a range, in a chunk that may be empty."""
        groups = tuple(item for item in self.groups if first <= item.group.number < end)
        return replace(self, groups=groups)

    def list_matches(self, seating: int) -> list[PlannedMatch]:
        """Return the matches of a seating that must be played, in order."""
        return [
            self._plan(item, seating)
            for item in self.groups
            if (item.group.number, seating) not in self.finished
            and not self.withdrawn.intersection(item.group.table)
        ]

    def _plan(self, item: ChunkGroup, seating: int) -> PlannedMatch:
        group = item.group
        before = dict(zip(group.table, item.groups_before, strict=True))
        return PlannedMatch(
            group=group.number,
            seating=seating,
            seed=group.seed,
            seats=tuple(
                [
                    PlannedSeat(entrant=entrant, part=part, groups_before=before[entrant])
                    for entrant, part in group.parts_by_seat(seating, self.rules.sides)
                ]
            ),
        )

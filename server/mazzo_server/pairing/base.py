"""The interface of pairing schemes: the next mirror groups follow from earlier results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from mazzo_server.pairing.bracket import BracketLook
from mazzo_server.stats import Cluster

__all__ = ["MOST_GROUPS", "Group", "GroupResult", "Pairing", "list_groups"]

MOST_GROUPS: Final = 2000
"""That a pairing gives at a time where it does not look at results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A mirror group: one match seed, played by one table of entrants in several seatings."""

    number: int  # in the schedule, from 0
    table: tuple[int, ...]  # indices of the entrants, ascending
    number_at_table: int  # among the groups of its table, from 0; on a ladder `number` once more
    seed: bytes = field(repr=False)  # of the match, 32 bytes; the same in all seatings
    seatings: tuple[tuple[int, ...], ...]  # by seating: the index of the entrant at each side
    # In a Swiss tournament: the numbers of all groups of the group's round.
    swiss_round: range | None = None
    # In a knock-out or a double elimination: the bracket before the look of the group.
    look: BracketLook | None = field(default=None, repr=False)

    def by_seat(self, seating: int, sides: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """Return the index of the entrant in each seat; `sides` has the seats of each side."""
        return tuple(entrant for entrant, _ in self.parts_by_seat(seating, sides))

    def parts_by_seat(
        self, seating: int, sides: Sequence[Sequence[int]]
    ) -> tuple[tuple[int, int], ...]:
        """Return by seat the entrant and its own seat's number: partners are two processes."""
        entrants = zip(self.seatings[seating], sides, strict=True)
        seats = {
            seat: (entrant, part) for entrant, side in entrants for part, seat in enumerate(side)
        }
        return tuple(seats[seat] for seat in range(len(seats)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """The result of a mirror group that was played in all its seatings, or is void."""

    table: tuple[int, ...]  # the table of the group
    # By entrant: 0 is best, ties share; None where the group is void, since one of its entrants was
    # withdrawn.
    ranks: Mapping[int, int] | None
    scores: Mapping[int, Cluster]  # by entrant, over the counted deals; empty where it is void
    withdrawn: frozenset[int] = frozenset()  # entrants withdrawn by the end of the round


class Pairing(Protocol):
    """A pure function from a tournament's definition, and the results so far, to its groups.

    The same input gives the same groups with the same seeds, however often it is asked.
    """

    @property
    def is_adaptive(self) -> bool:
        """Whether `next` reads results."""

    def total(self) -> int:
        """Return the number of all mirror groups; where results decide, the most possible."""

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """Return the groups after the first `first`, as far as no further result is needed.

        There are at most `MOST_GROUPS` where the pairing is not adaptive; none: it is over.
        `results` are those of all groups before `first`, in schedule order; only an adaptive
        pairing needs them.
        """


def list_groups(pairing: Pairing, first: int = 0) -> Iterator[Group]:
    """Make the groups from number `first` on as needed, of a pairing that is not adaptive."""
    assert not pairing.is_adaptive
    while batch := pairing.next(first):
        yield from batch
        first += len(batch)

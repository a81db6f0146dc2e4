"""What the tests of pairing schemes share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from mazzo_server.model import Entrant, Mirror
from mazzo_server.pairing import Group, RoundRobin

__all__ = ["SIDES_AND_MIRRORS", "check_groups", "entrants", "meetings", "schedule", "sides_taken"]

SIDES_AND_MIRRORS = [
    (sides, mirror)
    for sides in range(2, 13)
    for mirror in Mirror
    if mirror is not Mirror.ALL or sides <= 4
]


def entrants(number: int) -> tuple[Entrant, ...]:
    return tuple(
        Entrant(name=f"bot-{index:02}", version=1, content_hash="0" * 64) for index in range(number)
    )


def schedule(number: int, sides: int, **options: Any) -> RoundRobin:
    """A round robin of so many entrants, one group a table unless it is said."""
    given: dict[str, Any] = {
        "groups_per_table": 1,
        "mirror": Mirror.ROTATIONS,
        "seed": bytes(range(32)),
    }
    return RoundRobin(
        variant=f"frap/{sides}", entrants=entrants(number), sides=sides, **given | options
    )


def check_groups(groups: Sequence[Group], sides: int, mirror: Mirror) -> None:
    """What holds of every scheme: nobody sits twice, no deal is met twice."""
    assert [group.number for group in groups] == list(range(len(groups)))
    for group in groups:
        assert len(set(group.table)) == sides
        assert list(group.table) == sorted(group.table)
        assert len(set(group.seatings)) == len(group.seatings) == mirror.count_seatings(sides)
        assert all(sorted(seating) == list(group.table) for seating in group.seatings)
    assert len({(group.table, group.number_at_table) for group in groups}) == len(groups)
    assert len({group.seed for group in groups}) == len(groups)


def meetings(groups: Sequence[Group], number: int) -> Counter[tuple[int, int]]:
    """How often every pair of entrants sat at one table."""
    counts = Counter(dict.fromkeys(combinations(range(number), 2), 0))
    for group in groups:
        counts.update(combinations(group.table, 2))
    return counts


def sides_taken(groups: Sequence[Group], number: int, sides: int) -> list[list[int]]:
    """By entrant: how many seatings it had at each side."""
    taken = [[0] * sides for _ in range(number)]
    for group in groups:
        for seating in group.seatings:
            for side, entrant in enumerate(seating):
                taken[entrant][side] += 1
    return taken

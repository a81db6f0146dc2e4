"""Who takes part from the start, and who at which point of the schedule."""

from __future__ import annotations

from mazzo_server.model import Change
from mazzo_server.pairing.presence import list_founders, list_present

CHANGES = (
    Change(entrant=0, first_group=3, joins=False),
    Change(entrant=3, first_group=5, joins=True),
    Change(entrant=3, first_group=9, joins=False),
)


def test_founders_are_those_who_do_not_join_later() -> None:
    """Promise: a founder stays one when it is retired, and who joins is none when it leaves."""
    assert list_founders(4, CHANGES) == [0, 1, 2]
    assert list_founders(4, CHANGES[::-1]) == [0, 1, 2]
    assert list_founders(3, ()) == [0, 1, 2]


def test_changes_count_from_their_group_on() -> None:
    present = {group: list_present(group, entrants=4, changes=CHANGES) for group in (0, 3, 5, 8, 9)}
    assert present == {0: [0, 1, 2], 3: [1, 2], 5: [1, 2, 3], 8: [1, 2, 3], 9: [1, 2]}

"""Entrants that join a tournament while it is played, and that are retired from it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.model import Change, Mirror
from mazzo_server.pairing import list_groups
from support.pairing_checks import check_groups, schedule, sides_taken


@st.composite
def changes_of(draw: st.DrawFn, number: int, sides: int) -> list[Change]:
    """Entrants join one after the other, the last ones of the list; some are retired."""
    late = draw(st.integers(0, number - sides))
    found, first = [], 0
    for entrant in range(number - late, number):
        first += draw(st.integers(0, 25))
        found.append(Change(entrant=entrant, first_group=first, joins=True))
    for entrant in draw(st.sets(st.integers(0, number - 1), max_size=3)):
        joined = next((c.first_group for c in found if c.entrant == entrant), 0)
        first = joined + draw(st.integers(0, 40))
        found.append(Change(entrant=entrant, first_group=first, joins=False))
    return found


@given(st.integers(2, 5), st.integers(0, 4), st.integers(1, 4), st.sampled_from(Mirror), st.data())
def test_whoever_is_present_catches_up(
    sides: int, more: int, rounds: int, mirror: Mirror, data: st.DataObject
) -> None:
    """Promise: at the end each table of present entrants has played every round, once; and a
    group is the same, whenever it is scheduled."""
    if mirror is Mirror.ALL and sides > 4:
        mirror = Mirror.OFF
    number = sides + more
    changes = data.draw(changes_of(number, sides))
    whole = schedule(number, sides, mirror=mirror, groups_per_table=rounds, changes=changes)
    groups = list(list_groups(whole))
    check_groups(groups, sides, mirror)
    assert len(groups) == whole.total()
    retired = {change.entrant: change.first_group for change in changes if not change.joins}
    joined = {change.entrant: change.first_group for change in changes if change.joins}
    for group in groups:
        for entrant in group.table:
            assert group.number < retired.get(entrant, len(groups))
    present = [entrant for entrant in range(number) if entrant not in retired]
    played = Counter(group.table for group in groups)
    for table in combinations(present, sides):
        assert played[table] == rounds
    plain = schedule(number, sides, mirror=mirror, groups_per_table=rounds)
    seeds = {(group.table, group.number_at_table): group.seed for group in list_groups(plain)}
    assert all(seeds[group.table, group.number_at_table] == group.seed for group in groups)
    if not retired:
        for entrant, taken in enumerate(sides_taken(groups, number, sides)):
            own_joins = sum(other >= entrant for other in joined)
            assert max(taken) - min(taken) <= 1 + own_joins


def test_a_late_entrant_waits_for_its_place() -> None:
    """Promise: it plays from its first group on, its opponents' old rounds first."""
    change = Change(entrant=3, first_group=4, joins=True)
    groups = list(list_groups(schedule(4, 2, groups_per_table=2, changes=[change])))
    assert [(group.number_at_table, group.table) for group in groups] == [
        *((0, table) for table in ((0, 1), (0, 2), (1, 2))),
        *((1, table) for table in ((0, 1),)),
        *((0, table) for table in ((0, 3), (1, 3), (2, 3))),
        *((1, table) for table in ((0, 2), (1, 2), (0, 3), (1, 3), (2, 3))),
    ]


def test_a_retired_entrant_plays_no_more() -> None:
    """Promise: what it has played stays in the schedule, and the others play on."""
    change = Change(entrant=1, first_group=2, joins=False)
    groups = list(list_groups(schedule(4, 2, changes=[change])))
    assert [group.table for group in groups] == [(0, 1), (0, 2), (0, 3), (2, 3)]


def test_the_last_but_one_retires() -> None:
    """Promise: where too few are left the tournament is over, and knows it."""
    retire = [Change(entrant=entrant, first_group=1, joins=False) for entrant in (0, 1)]
    whole = schedule(3, 2, groups_per_table=9, changes=retire)
    assert whole.total() == 1
    assert len(whole.next(0)) == 1
    assert whole.next(1) == ()


def test_a_batch_ends_where_the_entrants_change() -> None:
    """Promise: what is in play at a time has one set of entrants."""
    change = Change(entrant=3, first_group=4, joins=True)
    whole = schedule(4, 2, groups_per_table=2, changes=[change])
    assert [group.number for group in whole.next(1)] == [1, 2, 3]
    assert [group.number for group in whole.next(4)] == list(range(4, 12))


def test_a_change_adds_to_what_was_scheduled_and_moves_nothing() -> None:
    """Promise: what was played before a change is what was scheduled without it."""
    before = list(list_groups(schedule(3, 2, groups_per_table=5, mirror=Mirror.OFF)))
    change = Change(entrant=3, first_group=7, joins=True)
    after = schedule(4, 2, groups_per_table=5, mirror=Mirror.OFF, changes=[change])
    assert list(list_groups(after))[:7] == before[:7]


@given(st.integers(2, 4), st.integers(6, 12), st.integers(1, 3), st.data())
def test_joining_a_choice(sides: int, number: int, rounds: int, data: st.DataObject) -> None:
    """Promise: who joins a choice gets as many tables as the others had, or up to a turn more."""
    first = data.draw(st.integers(0, 30))
    change = Change(entrant=number - 1, first_group=first, joins=True)
    tables = data.draw(st.integers(1, 2 * number))
    whole = schedule(number, sides, groups_per_table=rounds, tables=tables, changes=[change])
    groups = list(list_groups(whole))
    assert len(groups) == whole.total()
    check_groups(groups, sides, Mirror.ROTATIONS)
    appearances = Counter(entrant for group in groups for entrant in group.table)
    founders = {appearances[entrant] for entrant in range(number - 1)}
    assert len(founders) == 1
    usual = schedule(number - 1, sides, groups_per_table=rounds, tables=tables).total()
    assert appearances[number - 1] >= usual * sides / (number - 1)


@given(st.integers(2, 4), st.integers(0, 3), st.integers(1, 5), st.sampled_from(Mirror), st.data())
def test_a_schedule_can_be_entered_anywhere(
    sides: int, more: int, rounds: int, mirror: Mirror, data: st.DataObject
) -> None:
    """Promise: the same groups, whoever asks, from wherever, and however often."""
    number = sides + more
    options = {
        "mirror": mirror,
        "groups_per_table": rounds,
        "changes": data.draw(changes_of(number, sides)),
        "tables": data.draw(st.none() | st.integers(1, number)),
    }
    groups = list(list_groups(schedule(number, sides, **options)))
    asked = schedule(number, sides, **options)
    for first in data.draw(st.lists(st.integers(0, len(groups) + 1), min_size=1, max_size=8)):
        batch = list(asked.next(first))
        assert batch == groups[first : first + len(batch)]
        assert bool(batch) == (first < len(groups))

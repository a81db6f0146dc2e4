"""The schedule of a round robin, the seatings of its mirror groups, and changes of its entrants."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import combinations, islice, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Change, Entrant, Mirror
from mazzo_server.pairing import (
    Group,
    RoundRobin,
    count_groups,
    list_groups,
    make_pattern,
)
from support.pairing_checks import check_groups, schedule, sides_taken

SEED = bytes(range(32))
SIDES_AND_MIRRORS = [
    (sides, mirror)
    for sides in range(2, 13)
    for mirror in Mirror
    if mirror is not Mirror.ALL or sides <= 4
]


def bots(*names: str, version: int = 1) -> tuple[Entrant, ...]:
    return tuple(Entrant(name=name, version=version, content_hash="0" * 64) for name in names)


def round_robin(
    *names: str,
    sides: int = 2,
    rounds: int = 1,
    mirror: Mirror = Mirror.ROTATIONS,
    seed: bytes = SEED,
    version: int = 1,
) -> RoundRobin:
    return RoundRobin(
        variant=f"frap/{sides}",
        entrants=bots(*names, version=version),
        sides=sides,
        groups_per_table=rounds,
        mirror=mirror,
        seed=seed,
    )


@st.composite
def round_robins(draw: st.DrawFn) -> tuple[RoundRobin, int, int, int, Mirror]:
    """A round robin, its number of entrants, its sides, its rounds and its mirror mode."""
    sides, mirror = draw(st.sampled_from([(s, m) for s, m in SIDES_AND_MIRRORS if s <= 8]))
    entrants = draw(st.integers(sides, sides + 2))
    rounds = draw(st.integers(1, 9))
    seed = draw(st.binary(min_size=32, max_size=32))
    names = [f"bot-{index}" for index in range(entrants)]
    schedule = round_robin(*names, sides=sides, rounds=rounds, mirror=mirror, seed=seed)
    return schedule, entrants, sides, rounds, mirror


@given(round_robins())
def test_every_combination_meets_equally_often(
    drawn: tuple[RoundRobin, int, int, int, Mirror],
) -> None:
    """Promise: every set of entrants that fits the table meets in the same number of groups."""
    schedule, entrants, sides, rounds, mirror = drawn
    groups = list(list_groups(schedule))
    assert len(groups) == schedule.total()
    meetings = Counter(group.table for group in groups)
    assert meetings == dict.fromkeys(combinations(range(entrants), sides), rounds)
    assert {len(group.seatings) for group in groups} == {mirror.count_seatings(sides)}


@given(round_robins())
def test_the_schedule_is_round_after_round(
    drawn: tuple[RoundRobin, int, int, int, Mirror],
) -> None:
    """Promise: numbers run from 0, and a tournament cut short has treated all tables alike."""
    schedule, entrants, sides, rounds, _ = drawn
    groups = list(list_groups(schedule))
    assert [group.number for group in groups] == list(range(len(groups)))
    tables = list(combinations(range(entrants), sides))
    assert [(group.number_at_table, group.table) for group in groups] == [
        (number, table) for number in range(rounds) for table in tables
    ]


@given(round_robins())
def test_nobody_sits_twice_at_a_table(drawn: tuple[RoundRobin, int, int, int, Mirror]) -> None:
    """Promise: each seating has every entrant of the table once, and no two are the same."""
    for group in list_groups(drawn[0]):
        assert all(sorted(seating) == list(group.table) for seating in group.seatings)
        assert len(set(group.seatings)) == len(group.seatings)


@given(round_robins())
def test_seats_are_shared_evenly(drawn: tuple[RoundRobin, int, int, int, Mirror]) -> None:
    """Promise: at its table an entrant takes every side equally often, give or take one."""
    schedule, entrants, sides, _, mirror = drawn
    taken = {
        table: Counter({(entrant, side): 0 for entrant in table for side in range(sides)})
        for table in combinations(range(entrants), sides)
    }
    for group in list_groups(schedule):
        for seating in group.seatings:
            taken[group.table].update((entrant, side) for side, entrant in enumerate(seating))
    exact = mirror is Mirror.ALL or (mirror is Mirror.ROTATIONS and sides <= 6)
    for counts in taken.values():
        assert max(counts.values()) - min(counts.values()) <= (0 if exact else 1)


@given(round_robins())
def test_no_two_groups_share_a_seed(drawn: tuple[RoundRobin, int, int, int, Mirror]) -> None:
    """Promise: nobody meets a deal twice, except in the mirrored seatings of one group."""
    seeds = [group.seed for group in list_groups(drawn[0])]
    assert len(set(seeds)) == len(seeds)
    assert {len(seed) for seed in seeds} == {32}


def test_the_schedule_is_pinned() -> None:
    """Promise: a stored definition gives the same groups under every later version."""
    schedule = round_robin("anna", "bruno", "carla", "dario", sides=3, rounds=2)
    first, *_, last = list_groups(schedule)
    assert first == Group(
        number=0,
        table=(0, 1, 2),
        number_at_table=0,
        seed=hashlib.sha256(
            b"mazzo-group/1" + SEED + b"anna\x00bruno\x00carla\x00" + bytes(8)
        ).digest(),
        seatings=((0, 2, 1), (2, 1, 0), (1, 0, 2)),
    )
    assert (last.number, last.table, last.number_at_table) == (7, (1, 2, 3), 1)
    assert last.seatings == ((2, 3, 1), (3, 1, 2), (1, 2, 3))


def test_a_seed_is_not_shown() -> None:
    """Promise: secrets are never in `repr`."""
    (group,) = list_groups(round_robin("anna", "bruno"))
    assert "seed" not in repr(group)


def test_a_table_depends_on_its_names_only() -> None:
    """Promise: a new version, or more bots beside them, changes no deal and no seating."""

    def plays(schedule: RoundRobin, names: tuple[str, ...]) -> dict[object, object]:
        return {
            (tuple(sorted(names[index] for index in group.table)), group.number_at_table): (
                group.seed,
                [[names[index] for index in seating] for seating in group.seatings],
            )
            for group in list_groups(schedule)
        }

    few, many = ("bruno", "carla", "emma"), ("dario", "emma", "bruno", "anna", "carla")
    old = plays(round_robin(*few, rounds=3), few)
    new = plays(round_robin(*many, rounds=3, version=2), many)
    assert old.items() <= new.items()


def test_the_seed_decides_who_begins() -> None:
    """Promise: no entrant is favoured by its name: all first seatings come up."""
    for sides, mirror in ((2, Mirror.ROTATIONS), (3, Mirror.OFF)):
        names = ("anna", "bruno", "carla")[:sides]
        firsts = Counter(
            round_robin(*names, sides=sides, mirror=mirror, seed=bytes([n]) * 32)
            .next(0)[0]
            .seatings[0]
            for n in range(120)
        )
        assert firsts.keys() == set(permutations(range(sides)))
        assert min(firsts.values()) >= 120 / len(firsts) / 3


def test_a_long_schedule_is_lazy() -> None:
    """Promise: a schedule costs what is asked of it."""
    schedule = round_robin(*(f"bot-{n:03}" for n in range(200)), sides=6, rounds=1000)
    assert schedule.total() == 82_408_626_300_000
    assert [group.number for group in islice(list_groups(schedule), 3)] == [0, 1, 2]


@pytest.mark.parametrize("sides", range(2, 7))
def test_rotations_keep_the_neighbours(sides: int) -> None:
    """Promise: up to 6 sides a group has all rotations of one cyclic order."""
    for number in range(20):
        rows = make_pattern(Mirror.ROTATIONS, sides, number).rows
        orders = {row[row.index(0) :] + row[: row.index(0)] for row in rows}
        assert len(rows) == sides
        assert len(orders) == 1


@pytest.mark.parametrize("sides", range(3, 7))
def test_neighbours_are_balanced(sides: int) -> None:
    """Promise: who sits behind whom is even over a pass, and nearly so within one."""
    behind = Counter(dict.fromkeys(permutations(range(sides), 2), 0))
    number = 0
    while (design := make_pattern(Mirror.ROTATIONS, sides, number)).cycle == 0:
        order = design.rows[0]
        behind.update(zip(order, order[1:] + order[:1], strict=True))
        assert max(behind.values()) - min(behind.values()) <= 1 + (sides % 2 == 0)
        if number % 2 == 1:
            assert all(behind[a, b] == behind[b, a] for a, b in behind)
        number += 1
    assert number == (sides - 1) * (2 - sides % 2)
    assert len(set(behind.values())) == 1


@pytest.mark.parametrize("sides", range(7, 13))
def test_six_seatings_of_a_large_table_are_spread(sides: int) -> None:
    """Promise: above 6 sides each entrant has six different sides in a group, front and back."""
    for number in range(2 * sides):
        rows = make_pattern(Mirror.ROTATIONS, sides, number).rows
        assert len(rows) == 6
        for place in range(sides):
            taken = [row.index(place) for row in rows]
            assert len(set(taken)) == 6
            assert abs(sum(taken) / 6 - (sides - 1) / 2) <= 1


@pytest.mark.parametrize("sides", range(3, 13))
def test_single_seatings_balance_the_neighbours(sides: int) -> None:
    """Promise: without mirroring too, over a cycle everybody sits behind everybody."""
    behind: Counter[tuple[int, int]] = Counter()
    number = 0
    while (design := make_pattern(Mirror.OFF, sides, number)).cycle == 0:
        (row,) = design.rows
        behind.update(zip(row, row[1:] + row[:1], strict=True))
        number += 1
    assert number == 2 * sides
    counts = [behind[pair] for pair in permutations(range(sides), 2)]
    assert min(counts) >= 2
    assert max(counts) <= 4


def test_all_has_every_permutation() -> None:
    """Promise: `all` is every permutation, up to 4 sides, and refused above."""
    assert set(make_pattern(Mirror.ALL, 4, 5).rows) == set(permutations(range(4)))
    with pytest.raises(InvalidInputError, match="at most 4 sides for mirror 'all', got 5"):
        round_robin(*"abcde", sides=5, mirror=Mirror.ALL)


def test_too_few_bots_are_refused() -> None:
    """Promise: the message says how many bots the variant needs."""
    with pytest.raises(InvalidInputError, match=r"^frap/3 needs at least 3 bots, got 2$"):
        round_robin("anna", "bruno", sides=3)


def test_a_bot_enters_once() -> None:
    """Promise: a name stands for one entrant, since seeds are drawn by name."""
    with pytest.raises(InvalidInputError, match="got 'anna' twice"):
        round_robin("anna", "bruno", "anna")


def test_no_groups_are_refused() -> None:
    """Promise: a tournament that would play nothing is not made."""
    with pytest.raises(InvalidInputError, match="at least 1 group a table, got 0"):
        round_robin("anna", "bruno", rounds=0)


@pytest.mark.parametrize(
    ("deals", "seatings", "deals_per_match", "groups"),
    [(1, 2, 2, 1), (4, 2, 2, 1), (5, 2, 2, 2), (1000, 2, 2, 250), (100, 6, 6, 3), (7, 1, 1, 7)],
)
def test_groups_for_deals(deals: int, seatings: int, deals_per_match: int, groups: int) -> None:
    """Promise: the deals asked for are rounded up to whole groups."""
    assert count_groups(deals, seatings=seatings, deals_per_match=deals_per_match) == groups


def test_no_deals_are_refused() -> None:
    """Promise: zero deals are an error, not an empty tournament."""
    with pytest.raises(InvalidInputError, match="at least 1 deal, got 0"):
        count_groups(0, seatings=2, deals_per_match=2)


# Entrants that join while it is played, and that are retired.


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
    """Promise: a schedule that is entered at another place, or asked again, has the same groups."""
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

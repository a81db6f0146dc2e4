"""Round robins and gauntlets over a balanced choice of tables."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Mirror
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.choice import choose_balanced
from support.pairing_checks import SIDES_AND_MIRRORS, check_groups, meetings, schedule, sides_taken


def check_choice(members: int, size: int, at_least: int) -> None:
    tables = choose_balanced(members, size, at_least)
    every = comb(members, size)
    assert len(set(tables)) == len(tables)
    assert len(tables) == every or (len(tables) % members == 0 and at_least <= len(tables) < every)
    assert {len(set(table)) for table in tables} == {size}
    seats = Counter(member for table in tables for member in table)
    assert set(seats.values()) == {len(tables) * size // members}
    assert seats.keys() == set(range(members))
    met = Counter(dict.fromkeys(combinations(range(members), 2), 0))
    for table in tables:
        met.update(combinations(table, 2))
    mean = len(tables) * comb(size, 2) / max(1, comb(members, 2))
    assert all(abs(times - mean) <= 1 for times in met.values())


@given(st.integers(2, 40), st.integers(2, 12), st.integers(1, 3))
def test_a_choice_is_balanced(members: int, size: int, turns: int) -> None:
    """Promise: all appear equally often, and no pair is more than one off the mean."""
    check_choice(max(members, size), size, turns * members)


@pytest.mark.prove
def test_every_choice_is_balanced() -> None:
    """The same, of every number of entrants and of seats, whatever number is asked for."""
    for size in range(2, 13):
        for members in range(size, 41):
            for at_least in (1, members + 1, 3 * members, 7 * members - 1):
                check_choice(members, size, at_least)


def check_schedule(
    number: int, sides: int, mirror: Mirror, rounds: int, tables: int | None
) -> None:
    played = schedule(number, sides, mirror=mirror, groups_per_table=rounds, tables=tables)
    groups = list(list_groups(played))
    check_groups(groups, sides, mirror)
    assert len(groups) == played.total()
    appearances = Counter(entrant for group in groups for entrant in group.table)
    assert len(set(appearances.values())) == 1
    assert len(appearances) == number
    mean = len(groups) * comb(sides, 2) / comb(number, 2)
    assert all(abs(times - mean) <= rounds for times in meetings(groups, number).values())
    for taken in sides_taken(groups, number, sides):
        assert max(taken) - min(taken) <= 1
    per_table = Counter(group.table for group in groups)
    assert set(per_table.values()) == {rounds}


@given(
    st.sampled_from(SIDES_AND_MIRRORS), st.integers(2, 16), st.integers(1, 4), st.integers(1, 30)
)
def test_a_round_robin_of_chosen_tables(
    shape: tuple[int, Mirror], number: int, rounds: int, tables: int
) -> None:
    """Promise: whatever the mirror mode, each meets each and takes each side equally often."""
    sides, mirror = shape
    check_schedule(max(sides, number), sides, mirror, rounds, tables)


@pytest.mark.prove
def test_every_round_robin() -> None:
    """The same for 2 to 40 entrants and 2 to 12 sides in every mirror mode."""
    for sides, mirror in SIDES_AND_MIRRORS:
        for number in range(sides, 41):
            rounds = 1 + number % 3
            check_schedule(number, sides, mirror, rounds, 2 * number)
            if comb(number, sides) <= 1000:
                check_schedule(number, sides, mirror, rounds, None)


def check_gauntlet(
    number: int, sides: int, mirror: Mirror, rounds: int, tables: int | None, hero: int
) -> None:
    played = schedule(
        number,
        sides,
        mirror=mirror,
        groups_per_table=rounds,
        tables=tables,
        hero=f"bot-{hero:02}",
    )
    groups = list(list_groups(played))
    check_groups(groups, sides, mirror)
    assert len(groups) == played.total()
    assert all(hero in group.table for group in groups)
    met = meetings(groups, number)
    assert len({times for pair, times in met.items() if hero in pair}) == 1
    others = [times for pair, times in met.items() if hero not in pair]
    mean = sum(others) / max(1, len(others))
    assert all(abs(times - mean) <= rounds for times in others)
    for taken in sides_taken(groups, number, sides):
        assert max(taken) - min(taken) <= 1


@given(
    st.sampled_from(SIDES_AND_MIRRORS),
    st.integers(2, 16),
    st.integers(1, 4),
    st.none() | st.integers(1, 30),
    st.data(),
)
def test_a_gauntlet(
    shape: tuple[int, Mirror], number: int, rounds: int, tables: int | None, data: st.DataObject
) -> None:
    """Promise: the hero sits at every table, and meets all others equally often."""
    sides, mirror = shape
    number = max(sides, min(number, 9 if tables is None else number))
    check_gauntlet(number, sides, mirror, rounds, tables, data.draw(st.integers(0, number - 1)))


@pytest.mark.prove
def test_every_gauntlet() -> None:
    """The same for 2 to 40 entrants and 2 to 12 sides in every mirror mode."""
    for sides, mirror in SIDES_AND_MIRRORS:
        for number in range(sides, 41):
            rounds, hero = 1 + number % 3, number * number // 3 % number
            check_gauntlet(number, sides, mirror, rounds, 2 * number, hero)
            if comb(number - 1, sides - 1) <= 1000:
                check_gauntlet(number, sides, mirror, rounds, None, hero)


def test_as_many_tables_as_there_are_combinations_are_all_of_them() -> None:
    assert schedule(6, 3, tables=20).total() == 20
    assert schedule(6, 3, tables=10**6).next(0) == schedule(6, 3).next(0)


def test_the_seed_decides_who_stands_where_in_the_circle() -> None:
    """Promise: no pair is favoured by its names."""
    firsts = {schedule(20, 4, tables=20, seed=bytes([n]) * 32).next(0)[0].table for n in range(20)}
    assert len(firsts) == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tables": 0}, "at least 1 table, got 0"),
        ({"hero": "zoe"}, "hero: expected one of the bots that take part .* got 'zoe'"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        schedule(4, 2, **options)

"""Swiss tournaments: who meets whom from round to round."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Change, Mirror
from mazzo_server.pairing import Group, GroupResult
from mazzo_server.pairing.swiss import Swiss, SwissRound, share_places
from support.pairing_checks import SIDES_AND_MIRRORS, check_groups, entrants, meetings, sides_taken


def swiss(number: int, sides: int = 2, **options: Any) -> Swiss:
    given: dict[str, Any] = {
        "groups_per_table": 1,
        "mirror": Mirror.ROTATIONS,
        "seed": bytes(range(32)),
    }
    return Swiss(variant=f"frap/{sides}", entrants=entrants(number), sides=sides, **given | options)


def result(group: Group, order: Sequence[int] | None, withdrawn: int | None = None) -> GroupResult:
    """The result of a group, its entrants ranked as in `order`; None: void."""
    return GroupResult(
        table=group.table,
        ranks=None
        if order is None
        else {e: sorted(group.table, key=order.index).index(e) for e in group.table},
        scores={},
        withdrawn=frozenset(() if withdrawn is None else [withdrawn]),
    )


def play(played: Swiss, generator: random.Random) -> tuple[list[Group], list[GroupResult]]:
    """Play to the end; who wins is drawn, ties too."""
    groups: list[Group] = []
    results: list[GroupResult] = []
    while batch := played.next(len(groups), results):
        groups += batch
        for group in batch:
            ranks = {entrant: generator.randrange(3) for entrant in group.table}
            ranks = {e: sum(other < own for other in ranks.values()) for e, own in ranks.items()}
            results.append(GroupResult(table=group.table, ranks=ranks, scores={}))
    return groups, results


def points_before(rounds: Sequence[SwissRound], number: int) -> list[Counter[int]]:
    """By round: the points of each entrant before it."""
    total: Counter[int] = Counter(dict.fromkeys(range(number), 0))
    found = []
    for each in rounds:
        found.append(Counter(total))
        for entrant, points in each.points.items():
            total[entrant] += points  # type: ignore[assignment]
    return found


def matchings(members: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair members off; of an odd number one is left over."""
    if len(members) < 2:
        yield []
        return
    for bye in range(len(members)) if len(members) % 2 else (None,):
        rest = [member for place, member in enumerate(members) if place != bye]
        for place in range(1, len(rest)):
            for more in matchings([*rest[1:place], *rest[place + 1 :]]):
                yield [(rest[0], rest[place]), *more]


@pytest.mark.parametrize("number", range(2, 9))
def test_pairings_are_the_best_there_are(number: int) -> None:
    """Promise: second byes, rematches, the points of the bye, and differences in points are,
    in this order, the least possible (against every matching)."""
    played = swiss(number, rounds=number + 1)
    _, results = play(played, random.Random(number))
    rounds = played.history(results)
    met: Counter[frozenset[int]] = Counter()
    byes: Counter[int] = Counter()
    for each, points in zip(rounds, points_before(rounds, number), strict=True):

        def cost(pairs: Sequence[Sequence[int]], points: Counter[int] = points) -> tuple[Any, ...]:
            left = set(range(number)).difference(*pairs)
            return (
                sum(byes[entrant] for entrant in left),
                sum(met[frozenset(pair)] for pair in pairs),
                sum(points[entrant] for entrant in left),
                sum((points[one] - points[other]) ** 2 for one, other in pairs),
            )

        assert cost(each.tables) == min(map(cost, matchings(range(number))))
        met.update(frozenset(table) for table in each.tables)
        byes.update(each.byes)


def check_rounds(number: int, sides: int, mirror: Mirror, groups: int, seed: int) -> None:
    played = swiss(number, sides, mirror=mirror, groups_per_table=groups)
    scheduled, results = play(played, random.Random(seed))
    check_groups(scheduled, sides, mirror)
    assert len(scheduled) == played.total()
    byes: Counter[int] = Counter(dict.fromkeys(range(number), 0))
    for each in played.history(results):
        sat = sorted([entrant for table in each.tables for entrant in table] + list(each.byes))
        assert sat == list(range(number))
        assert len(each.byes) == number % sides
        byes.update(each.byes)
        assert max(byes.values()) - min(byes.values()) <= 1
        assert all(each.points[entrant] == 1 for entrant in each.byes)
        assert sum(each.points.values()) == len(each.byes) + len(each.tables) * Fraction(sides, 2)


@given(st.sampled_from(SIDES_AND_MIRRORS), st.integers(2, 24), st.integers(1, 3), st.integers())
def test_every_round_has_everybody_once(
    shape: tuple[int, Mirror], number: int, groups: int, seed: int
) -> None:
    """Promise: at a table or with a bye; nobody has a second bye before all had one."""
    sides, mirror = shape
    check_rounds(max(number, sides), sides, mirror, groups, seed)


@pytest.mark.prove
def test_every_swiss_tournament() -> None:
    """The same for 2 to 40 entrants and 2 to 12 sides in every mirror mode."""
    for sides, mirror in SIDES_AND_MIRRORS:
        for number in range(sides, 41):
            check_rounds(number, sides, mirror, 1 + number % 3, number)


def test_no_rematch_in_as_many_rounds_as_there_are_opponents() -> None:
    """Promise: with even numbers of entrants the first rounds never need a rematch."""
    for number in (8, 16, 40):
        played = swiss(number)
        groups, _ = play(played, random.Random(number))
        assert max(meetings(groups, number).values()) == 1


@given(st.integers(2, 12), st.integers(2, 4), st.integers(1, 3), st.integers())
def test_a_round_can_be_asked_for_from_anywhere(
    number: int, sides: int, groups: int, seed: int
) -> None:
    """Promise: the same input gives the same groups, by another object and in any order."""
    number = max(number, sides)
    played = swiss(number, sides, groups_per_table=groups)
    scheduled, results = play(played, random.Random(seed))
    again = swiss(number, sides, groups_per_table=groups)
    for first in reversed(range(len(scheduled))):
        batch = again.next(first, results[:first])
        assert list(batch) == scheduled[first : first + len(batch)]
        assert batch


def test_the_strongest_wins() -> None:
    """Promise: where the better one always wins, the best is first alone with every point."""
    played = swiss(32)
    groups: list[Group] = []
    results: list[GroupResult] = []
    strength = list(range(32))
    while batch := played.next(len(groups), results):
        groups += batch
        results += [result(group, strength) for group in batch]
    points = Counter[int]()
    for each in played.history(results):
        points.update({entrant: int(2 * share) for entrant, share in each.points.items()})
    assert points.most_common(1) == [(0, 12)]
    assert [share for _, share in points.most_common(2)][1] < 12


def test_a_withdrawn_entrant_is_paired_no_more() -> None:
    """Promise: its opponent has a full point for that round, and plays on."""
    played = swiss(4, rounds=3)
    first = played.next(0)
    gone, stays = first[0].table
    results = [result(first[0], None, withdrawn=gone), result(first[1], range(4))]
    rounds = played.history(results)
    assert rounds[0].void == (first[0].table,)
    assert rounds[0].points[stays] == 1
    assert len(rounds[1].tables) == 1
    assert gone not in {*rounds[1].tables[0], *rounds[1].byes}


def test_changes_count_from_the_next_round() -> None:
    """Promise: who joins or is retired within a round does so after it."""
    changes = [
        Change(entrant=4, first_group=1, joins=True),
        Change(entrant=0, first_group=1, joins=False),
    ]
    played = swiss(5, rounds=2, changes=changes)
    first = played.next(0)
    assert sorted(entrant for group in first for entrant in group.table) == [0, 1, 2, 3]
    second = played.next(2, [result(group, range(5)) for group in first])
    assert sorted(entrant for group in second for entrant in group.table) == [1, 2, 3, 4]


def test_places_to_shares() -> None:
    half = Fraction(1, 2)
    assert share_places({7: 0, 3: 1}) == {7: 1, 3: 0}
    assert share_places({7: 0, 3: 0}) == {7: half, 3: half}
    assert share_places({0: 0, 1: 1, 2: 1, 3: 3}) == {0: 1, 1: half, 2: half, 3: 0}


def test_no_groups() -> None:
    with pytest.raises(InvalidInputError, match="at least 1 group"):
        swiss(4, groups_per_table=0)


def test_too_few_bots() -> None:
    with pytest.raises(InvalidInputError, match="needs at least 3 bots, got 2"):
        swiss(2, 3)


def test_every_pair_of_a_small_field_meets_before_any_meets_again() -> None:
    """Promise: a Swiss of as many rounds as opponents is a round robin, if it can be."""
    played = swiss(4, rounds=3)
    groups, _ = play(played, random.Random(4))
    assert sorted(group.table for group in groups) == sorted(combinations(range(4), 2))


@pytest.mark.slow
@given(st.integers(2, 24), st.integers(1, 9), st.integers(0, 9), st.integers())
def test_two_sides_are_even_over_the_tournament(
    number: int, groups: int, more: int, seed: int
) -> None:
    """Promise: with mirror "off" nobody is at one side 3 seatings more than at the other, and
    the sides are even at each table."""
    rounds = (number - 1).bit_length() + 1 + more
    played = swiss(number, mirror=Mirror.OFF, groups_per_table=groups, rounds=rounds)
    scheduled, _ = play(played, random.Random(seed))
    for taken in sides_taken(scheduled, number, 2):
        assert max(taken) - min(taken) <= 2
    for table in {group.table for group in scheduled}:
        own = [group for group in scheduled if group.table == table]
        for entrant in table:
            taken = sides_taken(own, number, 2)[entrant]
            assert max(taken) - min(taken) <= 1


@given(
    st.sampled_from([3, 4, 5, 7, 8, 12]),
    st.integers(0, 18),
    st.integers(1, 4),
    st.sampled_from([Mirror.OFF, Mirror.ROTATIONS]),
    st.integers(),
)
def test_more_sides_are_even_over_the_tournament(
    sides: int, more: int, groups: int, mirror: Mirror, seed: int
) -> None:
    """Promise: within 3 seatings in the default number of rounds, mirrored or not."""
    number = sides + more
    played = swiss(number, sides, mirror=mirror, groups_per_table=groups)
    scheduled, _ = play(played, random.Random(seed))
    check_groups(scheduled, sides, mirror)
    for taken in sides_taken(scheduled, number, sides):
        assert max(taken) - min(taken) <= 3

"""Pools before a knock-out: who is in which, in which order they end, and who meets whom then."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Definition, PairingScheme
from mazzo_server.pairing import (
    Bout,
    BoutReason,
    BoutStage,
    Bracket,
    Group,
    list_pools,
    make_elimination,
    make_pairing,
    rank_places,
)
from support.brackets import PlayedBracket, define_bracket, play_bracket, score_by_chance
from support.pairing_checks import check_groups


def define(number: int, pools: int, qualify: int, *, sides: int = 2, groups: int = 1) -> Definition:
    return define_bracket(number, sides, pools=pools, qualify=qualify, groups=groups)


@st.composite
def definitions(draw: st.DrawFn) -> Definition:
    """Pools and knock-outs of all shapes."""
    sides = draw(st.sampled_from([2, 2, 2, 3, 4]))
    number = draw(st.integers(max(4, sides), 64 if sides == 2 else 24))
    pools = draw(st.integers(1, number // sides))
    # Tables of a pool are all its combinations.
    if sides > 2:
        pools = max(pools, -(-number // 8))
        pools = min(pools, number // sides)
    least = number // pools
    qualify = draw(st.integers(-(-sides // pools), min(least, 6)))
    return define(number, pools, qualify, sides=sides)


def find_pools(definition: Definition) -> list[list[int]]:
    """Return the entrants of each pool, forth and back by seed; a second implementation."""
    pools = definition.pools or 1
    row = [*range(pools), *reversed(range(pools))]
    found: list[list[int]] = [[] for _ in range(pools)]
    for place, entrant in enumerate(definition.seeds):
        found[row[place % len(row)]].append(entrant)
    return found


def check_laws(played: PlayedBracket) -> None:
    """Check what holds of every such bracket, whoever left it."""
    definition, bracket = played.definition, played.bracket
    sides, number = len(definition.sides), len(definition.entrants)
    assert definition.qualify is not None
    check_groups(played.groups, sides, definition.mirror)
    assert bracket.is_over
    assert len(played.groups) <= make_pairing(replace(definition, changes=())).total()
    first, *rest = bracket.rounds
    pools = find_pools(definition)
    assert [(bout.round, bout.table) for bout in first] == [
        (place, table)
        for place, pool in enumerate(pools, start=1)
        for table in combinations(pool, sides)
    ]
    for bout in first:
        assert bout.stage is BoutStage.POOL
        if bout.reason is BoutReason.WALKOVER:
            assert bout.left
            assert set(bout.left) <= played.gone
        else:
            assert (bout.groups, bout.left) == (definition.groups, ())
    assert not any(bout.stage is BoutStage.POOL for bouts in rest for bout in bouts)
    on = {entrant for bouts in rest[:1] for bout in bouts for entrant in bout.table}
    standing = list_pools(bracket.rounds, definition.seeds)
    for pool in standing:
        present = [row for row in pool.rows if not row.has_left]
        assert [*pool.rows[: len(present)]] == present
        scores = [row.score for row in present if row.score is not None]
        assert scores == sorted(scores, reverse=True)
        wanted = {row.entrant for row in present[: definition.qualify]}
        assert not rest or wanted <= on
        assert not on & ({row.entrant for row in pool.rows} - wanted)
        for row in present:
            assert row.score == find_score(first, row.entrant)
    places = rank_places(bracket.rounds, definition.seeds)
    assert sorted(places) == list(range(number))
    if rest:
        assert {*places[: len(on)]} == on


def find_score(bouts: tuple[Bout, ...], entrant: int) -> Fraction | None:
    """Return the score per deal over the tables without anybody who left; from the definition."""
    left = {one for bout in bouts for one in bout.left}
    own = [bout for bout in bouts if entrant in bout.table and not left & {*bout.table}]
    deals = sum(bout.read_sums().deals for bout in own)
    scores = sum(bout.read_sums().scores[bout.seated.index(entrant)] for bout in own)
    return Fraction(scores, deals) if deals else None


def count_early_meetings(played: PlayedBracket) -> int:
    """Return how many pairs of one pool met in the first round of the knock-out."""
    pool_of = {
        entrant: place
        for place, pool in enumerate(find_pools(played.definition))
        for entrant in pool
    }
    return sum(
        pool_of[one] == pool_of[other]
        for bouts in played.bracket.rounds[1:2]
        for bout in bouts
        for one, other in combinations(bout.table, 2)
    )


@given(definitions(), st.integers())
def test_the_laws_of_pools(definition: Definition, seed: int) -> None:
    """Promise: for 4 to 64 entrants, pools by seed, a round robin in each, the first of each go
    on, and nobody meets one of its own pool in the next round unless there is but one pool."""
    played = play_bracket(definition, score_by_chance(random.Random(seed)))
    check_laws(played)
    if len(definition.sides) == 2 and definition.pools != 1:
        assert not count_early_meetings(played)


@settings(max_examples=40)
@given(
    definitions(),
    st.sampled_from([1, 12]),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 63), st.booleans()), max_size=12),
    st.integers(),
)
def test_anybody_may_leave_at_any_time(
    definition: Definition, groups: int, leaving: list[tuple[int, int, bool]], seed: int
) -> None:
    """Promise: who leaves goes on to nothing, nobody takes its place, and the laws hold."""
    number = len(definition.entrants)
    leave = [(look, entrant % number, void) for look, entrant, void in leaving]
    definition = replace(definition, groups=min(groups, 12 if number < 16 else 1))
    check_laws(play_bracket(definition, score_by_chance(random.Random(seed)), leave=leave))


@pytest.mark.prove
def test_every_number_of_entrants_and_pools() -> None:
    """The same for all of them, undisturbed and with some who leave."""
    by = random.Random(5)
    for number in range(4, 65):
        for pools in range(1, number // 2 + 1):
            for qualify in range(-(-2 // pools), min(number // pools, 5) + 1):
                definition = define(number, pools, qualify)
                leave = [
                    (by.randrange(5), by.randrange(number), by.random() < 0.5)
                    for _ in range(by.choice([0, 3]))
                ]
                played = play_bracket(definition, score_by_chance(by), leave=leave)
                check_laws(played)
                if not leave and pools > 1:
                    assert not count_early_meetings(played)


@given(definitions(), st.integers())
@settings(max_examples=30)
@pytest.mark.slow
def test_a_look_can_be_asked_for_from_anywhere(definition: Definition, seed: int) -> None:
    """Promise: the same input gives the same groups, by another object and in any order."""
    played = play_bracket(definition, score_by_chance(random.Random(seed)))
    for first in range(len(played.groups) - 1, -1, -max(1, len(played.groups) // 10)):
        batch = make_elimination(definition).next(first, played.results[:first])
        assert list(batch) == played.groups[first : first + len(batch)]
        assert batch
    assert Bracket.from_json(played.bracket.to_json()) == played.bracket


def test_the_favourites() -> None:
    """Promise: without upsets the pools and the bracket are those of the rule, worked by hand."""

    def score(group: Group) -> tuple[int, int]:
        # The more the two differ, the more; so that firsts differ, too.
        one, other = group.table
        return (10 + other - one, one - other - 10)

    played = play_bracket(define(8, 2, 2), score)
    assert find_pools(played.definition) == [[0, 3, 4, 7], [1, 2, 5, 6]]
    pools = list_pools(played.bracket.rounds, range(8))
    assert [[row.entrant for row in pool.rows] for pool in pools] == [[0, 3, 4, 7], [1, 2, 5, 6]]
    # Deals are those of both seatings: each pair has 2 sides × 2 seatings of them.
    assert pools[0].rows[0].score == Fraction(13 + 14 + 17, 12)
    # 2 has −11 + 13 + 14, 3 has −13 + 11 + 14, but 0 has met 3 already: the two are exchanged.
    semis, finals = played.bracket.rounds[1:]
    assert [bout.table for bout in semis] == [(0, 2), (1, 3)]
    assert [bout.table for bout in finals] == [(0, 1), (3, 2)]
    # The thirds come before the fourths: 4 has −14 − 11 + 13, 5 has −14 − 13 + 11.
    assert rank_places(played.bracket.rounds, range(8)) == (*range(8),)


@pytest.mark.parametrize("pools", [2, 4, 8, 16])
def test_first_and_second_of_a_pool_meet_in_the_final_at_the_earliest(pools: int) -> None:
    """Promise: where two of each of a power of two of pools go on."""
    for seed in range(3 if pools > 8 else 20):
        played = play_bracket(define(4 * pools, pools, 2), score_by_chance(random.Random(seed)))
        pool_of = {
            entrant: place
            for place, pool in enumerate(find_pools(played.definition))
            for entrant in pool
        }
        for bouts in played.bracket.rounds[1:-1]:
            assert not any(len({pool_of[one] for one in bout.table}) == 1 for bout in bouts)


def test_tables_have_as_few_of_one_pool_as_can_be() -> None:
    """Promise: where one of each pool can sit at each table, it does."""
    for seed in range(20):
        played = play_bracket(define(9, 3, 2, sides=3), score_by_chance(random.Random(seed)))
        assert [len(bout.table) for bout in played.bracket.rounds[1]] == [3, 3]
        assert not count_early_meetings(played)


def test_level_scores_go_by_seed() -> None:
    played = play_bracket(define(4, 1, 2), lambda group: (0, 0))
    (pool,) = list_pools(played.bracket.rounds, range(4))
    assert [row.entrant for row in pool.rows] == [0, 1, 2, 3]
    assert played.bracket.rounds[1][0].table == (0, 1)


def test_all_bouts_of_pools_have_as_many_groups() -> None:
    """Promise: also where it is clear soon who is better, since scores are compared."""
    definition = define(4, 1, 2, groups=30)

    def score(group: Group) -> tuple[int, int]:
        by = group.number_at_table % 3
        return (50 + by, -50 - by)

    played = play_bracket(definition, score)
    counts = Counter(bout.groups for bout in played.bracket.rounds[0])
    assert counts == {30: 6}
    final = played.bracket.rounds[1][0]
    assert (final.groups, final.reason) == (10, BoutReason.CONFIDENCE)
    # They have met before, and no deal is met twice.
    assert {group.number_at_table for group in played.groups if group.table == (0, 1)} == {
        *range(40)
    }


def test_who_leaves_takes_its_results_along() -> None:
    """Promise: in a pool its tables count for nobody, and the next one goes on."""

    def score(group: Group) -> tuple[int, int]:
        return (-40, 40) if group.table == (0, 2) else (1, -1)

    played = play_bracket(define(4, 1, 2, groups=20), score, leave=[(1, 0, False)])
    (pool,) = list_pools(played.bracket.rounds, range(4))
    assert [(row.entrant, row.has_left) for row in pool.rows] == [
        *((1, False), (2, False), (3, False), (0, True)),
    ]
    assert played.bracket.rounds[1][0].table == (1, 2)
    assert rank_places(played.bracket.rounds, range(4)) == (1, 2, 3, 0)


@pytest.mark.parametrize("left", [1, 2, 3, 4])
def test_pools_in_which_few_are_left(left: int) -> None:
    """Promise: it ends whoever leaves, and nobody is put in the place of one who left."""
    leave = [(0, entrant, False) for entrant in range(left)]
    played = play_bracket(define(4, 1, 2), lambda group: (1, -1), leave=leave)
    assert len(played.bracket.rounds) == (2 if left < 3 else 1)
    assert rank_places(played.bracket.rounds, range(4))[: 4 - left] == (*range(left, 4),)


@pytest.mark.parametrize(
    ("number", "sides", "options", "message"),
    [
        (7, 2, {"pools": 4, "qualify": 1}, "expected 2 bots or more in each of 4 pools"),
        (8, 2, {"pools": 2, "qualify": 5}, "expected 5 bots or more in each of 2 pools"),
        (8, 2, {"pools": 1, "qualify": 1}, "that 2 or more go on, got 1"),
        (12, 4, {"pools": 3, "qualify": 1}, "that 4 or more go on, got 1"),
        (128, 2, {"pools": 1, "qualify": 2}, "at most 2016 tables in all pools, got 8128"),
    ],
)
def test_what_has_no_pools(number: int, sides: int, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make_pairing(define_bracket(number, sides, **options))


def test_pools_are_for_a_knock_out() -> None:
    definition = define_bracket(8, scheme=PairingScheme.DOUBLE_ELIMINATION, pools=2, qualify=2)
    with pytest.raises(InvalidInputError, match="pools: expected only in a knock-out"):
        make_pairing(definition)

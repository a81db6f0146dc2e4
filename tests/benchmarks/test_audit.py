"""Bar 4 in small: what `make bench-audit` measures with real games, and that it finds a fault."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from bench.audit import FIELD, SETUPS, Pools, Setup, draw_tables, find_pairs, make_field, play
from bench.colluders import Kind, Scheme, play_group

BRISCOLA = SETUPS[0]
TABLES = list(combinations(range(FIELD), BRISCOLA.seats))


@pytest.fixture(scope="module")
def honest() -> Pools:
    """Six mirror groups a table."""
    return play(BRISCOLA, make_field(BRISCOLA, 0), TABLES, groups=6)


def test_one_that_dumps_points_is_found_and_honest_bots_are_not(honest: Pools) -> None:
    """Bar 4, always: the pair stands out, nobody else does, and nobody without it."""
    both = [table for table in TABLES if {5, 6} <= {*table}]
    scheme = Scheme(kind=Kind.DUMP, giver=5, taker=6)
    planted = play(BRISCOLA, make_field(BRISCOLA, 0), both, groups=6, scheme=scheme)
    for number in range(3):
        random = Random(number)
        tables = draw_tables({**honest, **planted}, groups=8, random=random)
        assert find_pairs(tables) == {(5, 6)}
        assert find_pairs(draw_tables(honest, groups=8, random=random)) == set()


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.variant)
def test_colluders_play_as_honest_bots_where_the_partner_does_not_sit(setup: Setup) -> None:
    """Law: a scheme changes nothing at other tables, and what is dumped moves to the partner."""
    field = make_field(setup, 0)
    scheme = Scheme(kind=Kind.DUMP, giver=5, taker=6)
    alone, both = (0, 1, 2, 3, 5)[-setup.seats :], (1, 2, 3, 5, 6)[-setup.seats :]
    assert play_group(setup.variant, field, alone, number=0, scheme=scheme) == play_group(
        setup.variant, field, alone, number=0
    )
    plain = [play_group(setup.variant, field, both, number=number) for number in range(4)]
    dumped = [
        play_group(setup.variant, field, both, number=number, scheme=scheme) for number in range(4)
    ]
    giver, taker = both.index(5), both.index(6)
    assert sum(group[taker] - group[giver] for group in dumped) > sum(
        group[taker] - group[giver] for group in plain
    )


def test_fields_differ_and_are_the_same_every_time() -> None:
    """Promise: strong and weak bots are mixed, each number is a field of its own."""
    fields = [make_field(setup, number) for setup in SETUPS for number in range(6)]
    assert all(len(field) == FIELD for field in fields)
    assert fields == [make_field(setup, number) for setup in SETUPS for number in range(6)]
    assert len({tuple(field.values()) for field in fields[:6]}) == 6

"""Knock-outs and double eliminations: who plays whom, who goes on, and who comes where."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Change, Definition, Mirror, PairingScheme
from mazzo_server.pairing import (
    Bout,
    BoutReason,
    BoutStage,
    Bracket,
    Group,
    make_elimination,
    make_pairing,
    rank_places,
)
from support.brackets import PlayedBracket, define_bracket, play_bracket, score_by_chance
from support.pairing_checks import check_groups

DOUBLE = PairingScheme.DOUBLE_ELIMINATION


def make_definition(sides: int, number: int, *, double: bool, groups: int = 1) -> Definition:
    scheme = DOUBLE if double else PairingScheme.KNOCK_OUT
    return define_bracket(max(number, sides), sides, scheme=scheme, groups=groups)


def list_bouts(bracket: Bracket) -> list[Bout]:
    return [bout for bouts in bracket.rounds for bout in bouts]


def count_losses(rounds: Sequence[Sequence[Bout]]) -> Counter[int]:
    """Return how often each entrant did not go on from a bout; the match for third place counts
    nothing."""
    return Counter(
        entrant
        for bouts in rounds
        for bout in bouts
        if bout.stage is not BoutStage.THIRD_PLACE
        for entrant in bout.order[bout.advance :]
    )


def check_laws(played: PlayedBracket) -> None:
    """Check what holds of every bracket, whoever left it."""
    definition, bracket = played.definition, played.bracket
    sides, number = len(definition.sides), len(definition.entrants)
    lives = 2 if definition.pairing is DOUBLE else 1
    check_groups(played.groups, sides, definition.mirror)
    assert bracket.is_over
    pairing = make_pairing(replace(definition, changes=()))
    assert len(played.groups) <= pairing.total()
    for place, bouts in enumerate(bracket.rounds):
        check_round(played, bracket.rounds[:place], bouts, lives)
    for bout in list_bouts(bracket):
        assert sorted(bout.order) == sorted(bout.table)
        assert len(bout.table) in (1, sides)
        assert bout.is_bye == (bout.reason is BoutReason.BYE)
        if bout.reason is BoutReason.WALKOVER:
            assert bout.order[-1] in played.gone
            # Who left before is in no bout of those who have lost, nor in a last one.
            assert bout.groups or bout.stage not in (BoutStage.LOSERS, BoutStage.RESET)
    places = rank_places(bracket.rounds, definition.seeds)
    assert sorted(places) == list(range(number))
    # Who has lost less often, or in a later round, is never behind.
    last = {
        entrant: place
        for place, bouts in enumerate(bracket.rounds)
        for bout in bouts
        for entrant in bout.table
    }
    assert [last.get(one, -1) for one in places] == sorted(
        (last.get(one, -1) for one in places), reverse=True
    )


def check_round(
    played: PlayedBracket,
    before: Sequence[Sequence[Bout]],
    bouts: Sequence[Bout],
    lives: int,
) -> None:
    """Check that who has not lost enough plays on, or waits unbeaten, and nobody else does."""
    everybody = set(range(len(played.definition.entrants)))
    losses = count_losses(before)
    alive = {entrant for entrant in everybody if losses[entrant] < lives}
    here = Counter(entrant for bout in bouts for entrant in bout.table)
    assert max(here.values()) == 1
    stages = {bout.stage for bout in bouts}
    third = {one for bout in bouts if bout.stage is BoutStage.THIRD_PLACE for one in bout.table}
    back = {*here} - alive - third
    missing = alive - {*here} - played.gone
    if len(played.definition.sides) == 2:
        assert not back
    elif back:  # too few were left for a table
        assert stages == {BoutStage.FINAL}
        assert len(alive - played.gone) < len(played.definition.sides)
    if lives == 1:
        assert not missing
    else:
        assert all(not losses[entrant] for entrant in missing)
        assert not missing or BoutStage.LOSERS in stages


def check_no_needless_rematch(played: PlayedBracket) -> None:
    """Check that nobody meets again in a bout unless that must be."""
    sides = len(played.definition.sides)
    met: Counter[frozenset[int]] = Counter()
    for before, bouts in zip([(), *played.bracket.rounds], played.bracket.rounds, strict=False):
        if played.definition.pairing is DOUBLE:
            beaten = [bout for bout in bouts if bout.stage is BoutStage.LOSERS]
            again = sum(met[frozenset(bout.table)] for bout in beaten)
            byes = [bout.table[0] for bout in beaten if bout.is_bye]
            pool = [one for bout in beaten for one in bout.table if one not in byes]
            if len(pool) <= 8:
                least = min(
                    (sum(met[frozenset(pair)] for pair in way) for way in list_matchings(pool)),
                    default=0,
                )
                assert again == least
            assert all(
                not met[frozenset(bout.table)] for bout in bouts if bout.stage is BoutStage.WINNERS
            )
        elif sides == 2:
            assert not any(met[frozenset(bout.table)] for bout in bouts)
        else:
            tables = [set(bout.table) for bout in bouts if not bout.is_bye]
            for earlier in before:
                on = {*earlier.order[: earlier.advance]}.intersection(*[set().union(*tables)])
                if not earlier.is_bye and len(on) <= len(tables):
                    assert all(len(on & table) <= 1 for table in tables)
        met.update(frozenset(bout.table) for bout in bouts if bout.groups)


def list_matchings(members: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Return every way to pair members off."""
    if not members:
        yield []
    for place in range(1, len(members)):
        for more in list_matchings([*members[1:place], *members[place + 1 :]]):
            yield [(members[0], members[place]), *more]


SHAPES = st.one_of(
    st.tuples(st.just(2), st.booleans()),
    st.tuples(st.integers(3, 6), st.just(False)),
)


@given(SHAPES, st.integers(2, 64), st.sampled_from([1, 1, 1, 12]), st.integers())
def test_the_laws_of_brackets(shape: tuple[int, bool], number: int, groups: int, seed: int) -> None:
    """Promise: for 2 to 64 entrants, who has not lost enough plays on, nobody meets again before
    it must be, places are a strict order, and `total` is never exceeded."""
    definition = make_definition(shape[0], number, double=shape[1], groups=groups)
    played = play_bracket(definition, score_by_chance(random.Random(seed)))
    check_laws(played)
    check_no_needless_rematch(played)


@settings(max_examples=40)
@given(
    SHAPES,
    st.integers(2, 64),
    st.sampled_from([1, 1, 12]),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 63), st.booleans()), max_size=12),
    st.integers(),
)
def test_anybody_may_leave_at_any_time(
    shape: tuple[int, bool],
    number: int,
    groups: int,
    leaving: list[tuple[int, int, bool]],
    seed: int,
) -> None:
    """Promise: who is withdrawn or retired loses, its opponent goes on, and the laws hold."""
    definition = make_definition(shape[0], number, double=shape[1], groups=groups)
    number = len(definition.entrants)
    leave = [(look, entrant % number, void) for look, entrant, void in leaving]
    played = play_bracket(definition, score_by_chance(random.Random(seed)), leave=leave)
    check_laws(played)


@pytest.mark.prove
@pytest.mark.parametrize("double", [False, True], ids=["knock-out", "double elimination"])
def test_every_bracket(double: bool) -> None:
    """The same for each number of entrants, undisturbed and with some who leave."""
    by = random.Random(21)
    for sides in (2,) if double else range(2, 7):
        for number in range(sides, 65):
            for times in range(4):
                definition = make_definition(sides, number, double=double)
                leave = [
                    (by.randrange(8), by.randrange(number), by.random() < 0.5)
                    for _ in range(times and by.randrange(number))
                ]
                played = play_bracket(definition, score_by_chance(by), leave=leave)
                check_laws(played)
                if not leave:
                    check_no_needless_rematch(played)


@given(SHAPES, st.integers(2, 20), st.sampled_from([1, 12]), st.integers())
def test_a_look_can_be_asked_for_from_anywhere(
    shape: tuple[int, bool], number: int, groups: int, seed: int
) -> None:
    """Promise: the same input gives the same groups, by another object and in any order."""
    definition = make_definition(shape[0], number, double=shape[1], groups=groups)
    played = play_bracket(definition, score_by_chance(random.Random(seed)))
    step = max(1, len(played.groups) // 40)
    for first in range(len(played.groups) - 1, -1, -step):
        batch = make_elimination(definition).next(first, played.results[:first])
        assert list(batch) == played.groups[first : first + len(batch)]
        assert batch


def test_the_standard_bracket() -> None:
    """Promise: 1 meets the last, and without upsets the higher seed is always there."""
    played = play_bracket(define_bracket(8), lambda group: (1, -1))
    tables = [[bout.table for bout in bouts] for bouts in played.bracket.rounds]
    assert tables == [
        [(0, 7), (3, 4), (1, 6), (2, 5)],
        [(0, 3), (1, 2)],
        [(0, 1), (2, 3)],
    ]
    assert rank_places(played.bracket.rounds, range(8)) == (*range(8),)


def test_the_highest_seeds_have_byes() -> None:
    """Promise: where the number is no power of two, and nobody else has one."""
    for number in range(2, 65):
        rounds = play_bracket(define_bracket(number), lambda group: (1, -1)).bracket.rounds
        byes = [bout.table[0] for bout in rounds[0] if bout.is_bye]
        assert sorted(byes) == list(range(2 ** (number - 1).bit_length() - number))
        assert not any(bout.is_bye for bouts in rounds[1:] for bout in bouts)


def test_the_third_place_is_played_for() -> None:
    """Promise: beside the final, by those who lost the semi-finals."""
    played = play_bracket(define_bracket(4), lambda group: (-1, 1))
    assert [bout.stage for bout in played.bracket.rounds[-1]] == ["final", "third-place"]
    assert rank_places(played.bracket.rounds, range(4)) == (3, 2, 1, 0)


def test_an_unbeaten_finalist_must_be_beaten_twice() -> None:
    """Promise: who loses the grand final for the first time plays once more."""

    def score(group: Group) -> tuple[int, int]:
        is_final = group.look is not None and group.look.bracket.rounds[-1][0].stage in (
            BoutStage.GRAND_FINAL,
            BoutStage.RESET,
        )
        return (-1, 1) if is_final else (1, -1)

    played = play_bracket(define_bracket(8, scheme=DOUBLE), score)
    last = [bouts[0] for bouts in played.bracket.rounds[-2:]]
    assert [bout.stage for bout in last] == [BoutStage.GRAND_FINAL, BoutStage.RESET]
    assert last[0].table == last[1].table == (0, 1)
    assert rank_places(played.bracket.rounds, range(8))[:2] == (1, 0)
    assert len(played.groups) == make_pairing(played.definition).total()


def test_a_bout_ends_when_it_is_decided() -> None:
    """Promise: one that is much better needs ten groups, equals play them all; ties go by seed."""
    definition = define_bracket(4, groups=70)
    by = random.Random(7)

    def score(group: Group) -> list[int]:
        if 0 in group.table:
            noise = by.randrange(-2, 3)
            return [10 + noise, -10 - noise]
        return [5, -5] if group.number_at_table % 2 else [-5, 5]

    played = play_bracket(definition, score)
    first, second = played.bracket.rounds[0]
    assert (first.groups, first.reason) == (10, BoutReason.CONFIDENCE)
    assert (second.groups, second.reason) == (70, BoutReason.SEEDING)
    assert second.order == (1, 2)


@pytest.mark.parametrize(
    "sides", [2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
def test_a_sure_decision_is_seldom_wrong(sides: int) -> None:
    """Promise: among equals a bout is decided "surely" with at most the probability that it says,
    plus what chance allows."""
    definition = define_bracket(sides, sides, groups=40, mirror=Mirror.OFF)
    by = random.Random(5)
    times = 400
    sure = 0
    for _ in range(times):
        played = play_bracket(
            definition, lambda group: zero_sum([round(by.gauss(0, 12)) for _ in group.table])
        )
        sure += list_bouts(played.bracket)[0].reason is BoutReason.CONFIDENCE
    assert sure / times <= 0.05 + 2 * (0.05 * 0.95 / times) ** 0.5


def zero_sum(scores: list[int]) -> list[int]:
    return [len(scores) * own - sum(scores) for own in scores]


def test_a_retired_bot_loses() -> None:
    """Promise: at once where its bout is not decided, and else its next one; it keeps its place."""
    played = play_bracket(define_bracket(4), lambda group: (1, -1), leave=[(0, 0, False)])
    semis, finals = played.bracket.rounds
    assert semis[0].order == (3, 0)
    assert semis[0].reason is BoutReason.WALKOVER
    assert finals[1].reason is BoutReason.WALKOVER
    assert rank_places(played.bracket.rounds, range(4)) == (1, 3, 2, 0)


def test_two_that_leave_meet_nobody() -> None:
    """Promise: nothing is played by those who left, and the bracket still ends."""
    leave = [(0, entrant, True) for entrant in range(7)]
    for scheme in (PairingScheme.KNOCK_OUT, DOUBLE):
        played = play_bracket(define_bracket(8, scheme=scheme), lambda group: (1, -1), leave=leave)
        assert len(played.groups) == 4
        assert rank_places(played.bracket.rounds, range(8))[0] == 7


def test_the_best_come_back_where_a_table_would_be_empty() -> None:
    """Promise: a final of four has four, though one left that had reached it."""
    by = random.Random(2)

    def score(group: Group) -> list[int]:
        if 0 in group.table:  # decided at the first look
            return [60 + by.randrange(5), 20 + by.randrange(5), -30 - by.randrange(5), -60]
        return zero_sum([by.randrange(-30, 30) for _ in group.table])

    played = play_bracket(define_bracket(8, 4, groups=20), score, leave=[(1, 0, False)])
    first, final = played.bracket.rounds
    assert [bout.groups for bout in first] == [10, 20]
    assert 0 in first[0].order[:2]
    assert final[0].stage is BoutStage.FINAL
    assert len(final[0].table) == 4
    assert 0 not in final[0].table
    check_laws(played)


def test_half_of_a_table_goes_on() -> None:
    """Promise: tables fill in every round where they can."""
    for number, sizes in {16: [4, 2, 1], 9: [1, 2, 1], 5: [1, 1], 7: [1, 1, 1]}.items():
        played = play_bracket(define_bracket(number, 4), lambda group: (3, 1, -1, -3))
        tables = [sum(not bout.is_bye for bout in bouts) for bouts in played.bracket.rounds]
        assert tables == sizes


@pytest.mark.parametrize(
    ("number", "sides", "options", "message"),
    [
        (4, 4, {"scheme": DOUBLE}, "for two sides, and frap/4 has 4"),
        (4, 2, {"advance": 2}, "advance: expected 1 of the two sides"),
        (4, 4, {"advance": 4}, "advance: expected 1 to 3"),
        (300, 2, {}, "at most 256 bots"),
        (65, 2, {"scheme": DOUBLE}, "at most 64 bots"),
        (4, 2, {"seeds": (0, 1, 2, 2)}, "seeds: expected every bot once"),
        (4, 2, {"changes": (Change(entrant=3, first_group=2, joins=True),)}, "nobody to join"),
    ],
)
def test_what_has_no_bracket(
    number: int, sides: int, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make_pairing(define_bracket(number, sides, **options))  # type: ignore[arg-type]


def test_a_bracket_survives_writing() -> None:
    """Promise: what is kept is what was there."""
    played = play_bracket(define_bracket(7, groups=12), score_by_chance(random.Random(3)))
    assert Bracket.from_json(played.bracket.to_json()) == played.bracket


def test_meetings_of_tables_are_few() -> None:
    """Promise: no exchange of two entrants of a round makes repeated meetings fewer."""
    played = play_bracket(define_bracket(64, 4), score_by_chance(random.Random(1)))
    met: Counter[tuple[int, ...]] = Counter()
    for bouts in played.bracket.rounds:
        tables = [list(bout.table) for bout in bouts if not bout.is_bye]

        def count(tables: Sequence[Sequence[int]]) -> int:
            return sum(met[pair] for table in tables for pair in combinations(sorted(table), 2))

        before = count(tables)
        for one, other in combinations(range(len(tables)), 2):
            for i in range(4):
                for j in range(4):
                    a, b = [*tables[one]], [*tables[other]]
                    a[i], b[j] = b[j], a[i]
                    assert count([a, b]) >= count([tables[one], tables[other]])
        assert before == 0 or len(tables) == 1
        for table in tables:
            met.update(combinations(sorted(table), 2))


def test_nobody_plays_again_against_who_left() -> None:
    """Promise: an unbeaten finalist that leaves has lost; there is no second grand final."""
    played = play_bracket(
        define_bracket(2, scheme=DOUBLE), lambda group: (1, -1), leave=[(1, 0, False)]
    )
    assert [bouts[0].stage for bouts in played.bracket.rounds] == ["winners", "grand-final"]
    assert rank_places(played.bracket.rounds, range(2)) == (1, 0)

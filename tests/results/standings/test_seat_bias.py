"""The report on seats and turns: what is planted is found, and luck and strength are not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.simulated import Field, definition, play
from mazzo import GAMES
from mazzo_server.model import Mirror
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results.standings import SeatBias
from mazzo_server.results.standings.seat_bias import PlaceScore, SeatSums
from mazzo_server.stats import reject_by_holm
from results.standings.test_standings import Tournament
from support.strategies import all_variants


def report(field: Field, *, groups: int, mirror: Mirror = Mirror.ROTATIONS) -> SeatBias:
    sums = SeatSums(field.sides)
    for group in list_groups(make_pairing(definition(field, groups=groups, mirror=mirror))):
        sums.add(group, play(field, group))
    return sums.report()


def alarms(bias: SeatBias) -> list[PlaceScore]:
    return [place for place in (*bias.seats, *bias.turns) if place.alarm]


def test_by_hand() -> None:
    """Promise: each seat's and turn's mean over the groups, and Student's t of their deviations.

    One deal a match, seat 0 deals: seat 0 scores 70 and 60 in the seatings of group 0, 61 and
    61 in those of group 1: group means 65 and 61, of 60. Deviations 5 and 1: mean 3, standard
    error 2, t = 1.5 with one degree of freedom: p = 2 (1/2 − arctan(1.5)/π) = 0.37433.
    """
    tournament = Tournament("briscola/2", entrants=2, rounds=2)
    sums = SeatSums(tournament.sides)
    for group, seat_scores in zip(tournament.schedule, ((70, 60), (61, 61)), strict=True):
        matches = []
        for k, score in enumerate(seat_scores):
            first, second = group.seatings[k]
            scores = {first: (score,), second: (120 - score,)}
            matches.append(tournament.match(group, k, scores=scores, match_scores={0: 1, 1: 1}))
        sums.add(group, matches)
    bias = sums.report()
    assert (bias.blocks, bias.score_per_deal) == (2, 60)
    assert [(place.score_per_deal, place.deviation) for place in bias.seats] == [(63, 3), (57, -3)]
    assert [place.deviation for place in bias.turns] == [-3, 3]  # the dealer is the last to play
    assert bias.seats[0].p_value == pytest.approx(0.37433, abs=1e-5)
    assert not alarms(bias)


def test_blocks_of_different_size_by_hand() -> None:
    """Promise: a block weighs as much as any other, whatever number of deals it has.

    As above, but that the second group plays its deal three times.
    """
    tournament = Tournament("briscola/2", entrants=2, rounds=2)
    sums = SeatSums(tournament.sides)
    for group, seat_scores in zip(tournament.schedule, ((70, 60), (61, 61)), strict=True):
        matches = []
        for k, score in enumerate(seat_scores):
            first, second = group.seatings[k]
            deals = 1 + 2 * group.number
            scores = {first: (score,) * deals, second: (120 - score,) * deals}
            matches.append(tournament.match(group, k, scores=scores, match_scores={0: 1, 1: 1}))
        sums.add(group, matches)
    bias = sums.report()
    assert [place.deviation for place in bias.seats] == [3, -3]
    assert bias.seats[0].p_value == pytest.approx(0.37433, abs=1e-5)


def test_a_block_that_has_lost_a_group_is_left_out() -> None:
    """Promise: a group that never finished leaves no seat with more of a strong entrant."""
    field = Field(skills=(50.0, -50.0), seed=2, group_luck=0, card_luck=0, play_luck=0)
    sums = SeatSums(field.sides)
    tournament = definition(field, groups=8, mirror=Mirror.OFF)
    for group in list_groups(make_pairing(tournament)):
        if group.number_at_table not in (2, 5):
            sums.add(group, play(field, group))
    bias = sums.report()
    assert bias.blocks == 2
    assert [place.deviation for place in bias.seats] == [0, 0]


def test_holm_by_hand() -> None:
    """Promise: each p-value is held against 1 % shared by those that are not smaller."""
    assert reject_by_holm([0.5, 0.0049, 0.002, 0.0032], level=0.01) == [False, True, True, True]
    assert reject_by_holm([0.0026, 0.0026, 0.0026, 0.0026], level=0.01) == [False] * 4
    assert reject_by_holm([0.002, 0.0034, 0.0034, 0.009], level=0.01) == [True, False, False, False]


def test_without_two_blocks_nothing_is_said() -> None:
    """Promise: no number is made up."""
    field = Field(skills=(0.0, 0.0), seed=1)
    nothing = SeatSums(field.sides).report()
    assert (nothing.blocks, nothing.score_per_deal) == (0, None)
    assert all(place.deviation is None for place in nothing.seats)
    one = report(field, groups=1)
    assert one.blocks == 1
    assert all(place.p_value is None and place.deviation is not None for place in one.turns)


@given(st.integers(2, 9), st.integers(0, 2), st.sampled_from(Mirror), st.integers(0, 99), st.data())
def test_strength_is_no_seat(
    seats: int, more: int, mirror: Mirror, seed: int, data: st.DataObject
) -> None:
    """Promise: without luck, however different the entrants are, every seat and turn is level.

    So blocks are balanced in every mirror mode, and the estimate is that of the seats alone;
    a block that is not complete does not enter it.
    """
    if mirror is Mirror.ALL:
        seats = min(seats, 4)
    many = data.draw(st.tuples(*[st.integers(-5, 5)] * (seats + (more if seats < 6 else 0))))
    field = Field(
        skills=tuple(float(seats * skill) for skill in many),  # all shares are whole numbers
        seed=seed,
        seats=seats,
        deals=seats,
        group_luck=0,
        card_luck=0,
        play_luck=0,
    )
    bias = report(field, groups=2 * seats + 1, mirror=mirror)
    assert bias.blocks >= 2
    assert all(place.deviation == 0 for place in (*bias.seats, *bias.turns))
    assert bias.score_per_deal == 60
    assert not alarms(bias)


def test_a_forfeited_deal_makes_no_seat_look_strong() -> None:
    """Promise: a seating in which deals do not count weighs as much as the others.

    Entrant 0 always scores 100, and one of its two deals in seat 1 is forfeited.
    """
    tournament = Tournament("briscola/2", entrants=2, rounds=2)
    sums = SeatSums(tournament.sides)
    scores = {0: (100, 100), 1: (20, 20)}
    for group in tournament.schedule:
        matches = []
        for k, players in enumerate(group.seatings):
            forfeit = 0 if players[1] == 0 else None
            matches.append(
                tournament.match(
                    group, k, scores=scores, match_scores={0: 1, 1: 1}, forfeit=forfeit
                )
            )
        sums.add(group, matches)
    bias = sums.report()
    assert bias.blocks == 2
    assert [place.deviation for place in bias.seats] == [0, 0]


@pytest.mark.parametrize("mirror", [Mirror.ROTATIONS, Mirror.OFF])
def test_planted_biases_are_found(mirror: Mirror) -> None:
    """Bar 6: a seat and a turn that score more raise an alarm, with about what they are worth."""
    skills = (30.0, 10.0, -10.0, -30.0)
    seat = report(
        Field(skills=skills, seed=5, seat_worth=(4.0, -4.0), card_luck=10), groups=60, mirror=mirror
    )
    assert [place.alarm for place in (*seat.seats, *seat.turns)] == [True, True, False, False]
    assert seat.seats[0].deviation == pytest.approx(4, abs=2)
    turn = report(
        Field(skills=skills, seed=6, turn_worth=(3.0, 0.0, -3.0), seats=3, deals=3, card_luck=10),
        groups=60,
        mirror=mirror,
    )
    assert [place.alarm for place in turn.turns] == [True, False, True]
    assert not any(place.alarm for place in turn.seats)
    assert turn.turns[2].deviation == pytest.approx(-3, abs=1.5)


def clean_alarms(tournaments: int, *, groups: int, seed: int) -> int:
    """How many tournaments without any bias raise an alarm, entrants being very different."""
    random = Random(seed)
    raised = 0
    for number in range(tournaments):
        seats = (2, 2, 3, 4)[number % 4]
        field = Field(
            skills=tuple(random.gauss(0, 20) for _ in range(seats + 2)),
            seed=1000 * seed + number,
            seats=seats,
            deals=1 + number % 3,
        )
        mirror = Mirror.OFF if number % 8 < 4 else Mirror.ROTATIONS
        raised += bool(alarms(report(field, groups=groups, mirror=mirror)))
    return raised


def test_clean_tournaments_raise_no_alarm() -> None:
    """Bar 6 in small: of 40 clean tournaments hardly any raises an alarm (1 % each)."""
    assert clean_alarms(40, groups=8, seed=3) <= 3


@pytest.mark.prove
def test_a_hundred_clean_tournaments_raise_at_most_five_alarms() -> None:
    """Bar 6: at a family-wise level of 1 %."""
    assert clean_alarms(100, groups=30, seed=7) <= 5


def test_turns_of_sides_are_as_many_as_sides() -> None:
    """Law that the report relies on: after any dealer the sides first play in turns 0, 1, …"""
    for game in GAMES.values():
        for variant in all_variants(game):
            for dealer in range(variant.players):
                turns = [
                    min((seat - dealer - 1) % variant.players for seat in side)
                    for side in variant.sides
                ]
                assert sorted(turns) == list(range(len(variant.sides)))

"""Arenas at home: who meets whom in which seats, one match, and sums in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo import Action, Bot, View
from mazzo.bot import MatchEnded, MatchStarted
from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from mazzo.match import MatchFormat
from mazzo.shuffle import bot_seed, seating_salt
from mazzo.view import Clock
from mazzo_server.errors import InvalidInputError
from mazzo_server.home import clocked_seat
from mazzo_server.home.arena import ArenaTally, Figures, Schedule
from mazzo_server.home.arena.match import PARTS_OF_A_DEAL, Outcome, play_seating
from mazzo_server.home.arena.tally import Measure
from mazzo_server.model import TimeControl
from mazzo_server.pairing import Group

SEED = bytes(range(32))
VARIANTS = [Variant.of(game, players) for game in GAMES.values() for players in game.players]


class First(Bot):
    """The first legal action."""

    def act(self, view: View) -> Action:
        """Always the same in the same place."""
        return view.legal[0]


class Anything(Bot):
    """Any legal action."""

    def act(self, view: View) -> Action:
        """By its own dice."""
        return view.random.choice(view.legal)


def played(
    schedule: Schedule, variant: Variant, bots: Sequence[Bot]
) -> list[tuple[Group, list[Outcome]]]:
    """All groups of a schedule with their matches."""
    return [
        (
            group,
            [
                play_seating(
                    variant,
                    group,
                    seating,
                    bots=[bots[bot] for bot in group.by_seat(seating, variant.sides)],
                    match_format=str(schedule.match_format),
                )
                for seating in range(len(group.seatings))
            ],
        )
        for group in schedule.groups()
    ]


def tallied(variant: Variant, bots: Sequence[Bot], *, deals: int) -> ArenaTally:
    schedule = Schedule(variant, len(bots), deals=deals, seed=SEED)
    tally = ArenaTally(variant, len(bots), alone=schedule.alone)
    for group, outcomes in played(schedule, variant, bots):
        tally.add(group, outcomes)
    return tally


# Who meets whom


@given(variant=st.sampled_from(VARIANTS), bots=st.integers(2, 7), deals=st.integers(1, 90))
def test_every_bot_has_every_hand_of_a_deal(variant: Variant, bots: int, deals: int) -> None:
    """Promise: good cards help all bots alike; up to six sides in each group, over it elsewhere."""
    schedule = Schedule(variant, bots, deals=deals, seed=SEED)
    sides = len(variant.sides)
    groups = list(schedule.groups())
    assert len(groups) == schedule.total
    assert schedule.deals >= deals * schedule.tables
    for group in groups:
        for bot in group.table[:1] if schedule.alone else group.table:
            taken = [row.index(bot) for row in group.seatings]
            assert len(set(taken)) == len(taken) == min(sides, 6)
    tables = Counter(group.table for group in groups)
    assert len(tables) == schedule.tables
    assert set(tables.values()) == {schedule.groups_per_table}


@pytest.mark.parametrize(("text", "bots"), [("frap/4", 2), ("briscola-chiamata/5", 4)])
def test_with_fewer_bots_than_sides_each_sits_alone_among_copies_of_each_other(
    text: str, bots: int
) -> None:
    schedule = Schedule(parse_variant(text), bots, deals=1, seed=SEED)
    assert {group.table for group in schedule.groups()} == set(permutations(range(bots), 2))
    for group in schedule.groups():
        lone, other = group.table
        for row in group.seatings:
            assert sorted(row) == sorted([lone, *[other] * (len(row) - 1)])


@pytest.mark.parametrize("bots", [2, 5])
def test_no_two_groups_have_the_same_cards(bots: int) -> None:
    """Promise: groups are independent, so that their spread says how sure a mean is."""
    groups = list(Schedule(parse_variant("frap/5"), bots, deals=200, seed=SEED).groups())
    assert len({group.seed for group in groups}) == len(groups) > 5


def test_more_deals_go_on_where_fewer_ended() -> None:
    variant = parse_variant("briscola/2")
    few = list(Schedule(variant, 3, deals=20, seed=SEED).groups())
    many = list(Schedule(variant, 3, deals=40, seed=SEED).groups())
    assert many[: len(few)] == few
    other = Schedule(variant, 3, deals=20, seed=bytes(32)).groups()
    assert [group.seed for group in other] != [group.seed for group in few]


@pytest.mark.parametrize(("text", "bots"), [("briscola/2", 1), ("frap/6", 40)])
def test_an_arena_that_nobody_can_play_is_refused(text: str, bots: int) -> None:
    with pytest.raises(InvalidInputError, match="expected at"):
        Schedule(parse_variant(text), bots, deals=1, seed=SEED)


# One match


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_sums_of_a_match_are_those_of_all_sides(variant: Variant) -> None:
    """Deals won and places are shared out whole; every seat was asked, and nobody is late."""
    schedule = Schedule(variant, 2, deals=1, seed=SEED)
    group = next(schedule.groups())
    outcome = play_seating(
        variant, group, 0, bots=[Anything()] * variant.players, match_format="deals:3"
    )
    sides = len(variant.sides)
    assert outcome.deals == 3
    assert sum(outcome.won) == 3 * PARTS_OF_A_DEAL
    assert sum(outcome.places) == sides * (sides + 1)
    assert min(outcome.decisions) > 0
    assert not any(outcome.late)


class Told(First):
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.clocks: list[Clock | None] = []
        self.told: list[MatchStarted | MatchEnded] = []

    def act(self, view: View) -> Action:
        """As `First`."""
        self.clocks.append(view.clock)
        return super().act(view)

    def on_start(self, started: MatchStarted) -> None:
        """Kept."""
        self.told.append(started)

    def on_end(self, ended: MatchEnded) -> None:
        """Kept."""
        self.told.append(ended)


def test_a_bot_is_told_of_its_matches_and_has_other_dice_in_each_seating() -> None:
    """The dice of a tournament's seating of this number."""
    variant = parse_variant("frusta/2")
    group = next(Schedule(variant, 2, deals=1, seed=SEED).groups())
    for seating in range(2):
        told = Told()
        play_seating(variant, group, seating, bots=[told, First()], match_format="deals:1")
        started, ended = told.told
        assert isinstance(started, MatchStarted)
        assert isinstance(ended, MatchEnded)
        assert started.variant == variant
        assert started.seed == bot_seed(group.seed, seating_salt(group.seed, seating), 0)
        assert told.clocks == [None] * 20


def test_the_clock_runs_and_who_is_late_is_counted_and_plays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Law: late is more than the limit or the bank; each deal begins with a full bank."""
    now = 0.0

    def perf_counter() -> float:
        nonlocal now
        now += 0.375  # that every decision takes; like all here exact in binary
        return now

    monkeypatch.setattr(clocked_seat, "perf_counter", perf_counter)
    variant = parse_variant("briscola/2")
    control = TimeControl(bank=1.0, increment=0.25, limit=0.5)
    slow, other = Told(), First()
    outcome = play_seating(
        variant,
        next(Schedule(variant, 2, deals=1, seed=SEED).groups()),
        0,
        bots=[slow, other],
        match_format="deals:2",
        control=control,
    )
    clocks = [clock for clock in slow.clocks if clock is not None]
    assert len(clocks) == 40
    banks = [clock.bank for clock in clocks]
    assert banks[:20] == banks[20:]
    assert banks[:3] == [1.0, 0.875, 0.75]
    assert min(banks) == 0.25
    assert {(clock.increment, clock.limit) for clock in clocks} == {(0.25, 0.5)}
    assert outcome.late[0] == sum(bank < 0.375 for bank in banks) > 0
    assert outcome.micros[0] == 40 * 375_000
    assert play_seating(
        variant,
        next(Schedule(variant, 2, deals=1, seed=SEED).groups()),
        0,
        bots=[slow, other],
        match_format="deals:2",
        control=TimeControl(limit=0.2),
    ).late == (40, 40)


# The sums


@pytest.mark.parametrize("text", ["briscola/2", "briscola/4", "frusta/2", "briscola/3"])
def test_equal_bots_are_exactly_even(text: str) -> None:
    """Promise: of bots that play alike, whatever the cards, nothing is left of luck.

    Where cards are bound to seats or all dealt, and the bots do not talk at random.
    """
    variant = parse_variant(text)
    tally = tallied(variant, [First()] * len(variant.sides), deals=120)
    for bot in range(len(variant.sides)):
        ahead = tally.estimate_mean(Measure.LEAD, bot)
        assert (ahead.mean, ahead.low, ahead.high) == (0.0, 0.0, 0.0)
        assert tally.estimate_mean(Measure.WON, bot).mean == pytest.approx(1 / len(variant.sides))
    assert tally.compute_probability_better(0, 1) == 0.5


@given(data=st.data())
def test_the_order_in_which_groups_are_over_changes_nothing(data: st.DataObject) -> None:
    """Promise: results depend on seed and deals, not on processes."""
    done = _some_groups()
    variant = parse_variant("frap/4")
    tallies = [ArenaTally(variant, 2, alone=True) for _ in range(2)]
    for tally, order in zip(tallies, (done, data.draw(st.permutations(done))), strict=True):
        for group, outcomes in order:
            tally.add(group, outcomes)
    assert Figures.of(tallies[0], 2) == Figures.of(tallies[1], 2)


_GROUPS: list[tuple[Group, list[Outcome]]] = []


def _some_groups() -> list[tuple[Group, list[Outcome]]]:
    if not _GROUPS:
        variant = parse_variant("frap/4")
        schedule = Schedule(variant, 2, deals=64, seed=SEED)
        _GROUPS.extend(played(schedule, variant, [First(), Anything()]))
    return _GROUPS


def test_the_lone_one_s_lead_is_what_all_others_lack() -> None:
    """By hand from the outcomes: its mean score, its lead, its share, its place."""
    variant = parse_variant("frap/4")
    done = [item for item in _some_groups() if item[0].table == (0, 1)]
    tally = ArenaTally(variant, 2, alone=True)
    for item in done:
        tally.add(*item)
    scores, leads, won, places, deals = 0, 0.0, 0.0, 0.0, 0
    for group, outcomes in done:
        for row, outcome in zip(group.seatings, outcomes, strict=True):
            own = outcome.scores[row.index(0)]
            scores += own
            leads += own - (sum(outcome.scores) - own) / 3
            won += outcome.won[row.index(0)] / PARTS_OF_A_DEAL
            places += outcome.places[row.index(0)] / 2
            deals += outcome.deals
    matches = 4 * len(done)
    assert tally.estimate_mean(Measure.SCORE, 0).mean == pytest.approx(scores / deals)
    assert tally.estimate_mean(Measure.LEAD, 0).mean == pytest.approx(leads / deals)
    assert tally.estimate_mean(Measure.WON, 0).mean == pytest.approx(won / deals)
    assert tally.estimate_mean(Measure.PLACE, 0).mean == pytest.approx(places / matches)
    assert tally.estimate_mean(Measure.SCORE, 0, opponent=1) == tally.estimate_mean(
        Measure.SCORE, 0
    )
    assert tally.estimate_mean(Measure.SCORE, 1).mean is None


def test_more_confidence_is_a_wider_interval_about_the_same_mean() -> None:
    tally = tallied(parse_variant("briscola/2"), [First(), Anything()], deals=80)
    usual = tally.estimate_mean(Measure.LEAD, 0)
    wider = tally.estimate_mean(Measure.LEAD, 0, confidence=0.99)
    assert usual.low is not None
    assert wider.low is not None
    assert wider.mean == usual.mean
    assert wider.low < usual.low


def test_the_better_bot_is_first_and_each_pair_has_its_own_line() -> None:
    figures = Figures.of(
        tallied(parse_variant("briscola/2"), [First(), Anything(), First()], deals=200), 3
    )
    means = [line.score.mean or 0.0 for line in figures.lines]
    assert means == sorted(means, reverse=True)
    assert [line.rank for line in figures.lines] == [1, 2, 3]
    assert figures.lines[-1].probability_better_than_next is None
    assert len(figures.meetings) == 6
    between_equals = next(
        meeting for meeting in figures.meetings if {meeting.bot, meeting.opponent} == {0, 2}
    )
    assert between_equals.score.mean == 60
    assert between_equals.score.deals == 200


def test_meetings_are_left_out_where_nobody_wants_them() -> None:
    tally = tallied(parse_variant("briscola/2"), [First(), Anything()], deals=8)
    assert Figures.of(tally, 2, with_meetings=False) == replace(Figures.of(tally, 2), meetings=())


def test_before_ten_groups_there_is_no_interval_and_no_probability() -> None:
    """A bug of an earlier version: won 100.0 % ±0.0 %, P>next 100.0 % after three deals."""
    variant = parse_variant("briscola/2")
    tally = ArenaTally(variant, 2, alone=False)
    schedule = Schedule(variant, 2, deals=40, seed=SEED)
    for number, done in enumerate(played(schedule, variant, [First(), Anything()]), 1):
        tally.add(*done)
        figures = Figures.of(tally, 2)
        best, worst = figures.lines
        shown = [best.probability_better_than_next]
        for each in (best.score, best.won, best.place, worst.score, figures.meetings[0].won):
            assert each.mean is not None
            shown += [each.low, each.high, each.margin]
        assert {value is None for value in shown} == {number < 10}
    assert number == 10


def test_no_interval_goes_beyond_what_can_be() -> None:
    """Nineteen groups won, and one shared: a share of 97.5 ± 5.2 %, and a place likewise."""
    tally = ArenaTally(parse_variant("briscola/2"), 2, alone=False)
    for number in range(20):
        shared = number == 0
        outcome = Outcome(
            deals=1,
            scores=(60, 60) if shared else (61, 59),
            won=(PARTS_OF_A_DEAL // 2,) * 2 if shared else (PARTS_OF_A_DEAL, 0),
            places=(3, 3) if shared else (2, 4),
            decisions=(1, 1),
            late=(0, 0),
            micros=(1, 1),
        )
        group = Group(
            number=number, table=(0, 1), number_at_table=number, seed=b"", seatings=((0, 1),)
        )
        tally.add(group, [outcome])
    (best, worst) = Figures.of(tally, 2).lines
    assert (best.won.high, worst.won.low, best.place.low, worst.place.high) == (1, 0, 1, 2)
    assert (best.won.margin, worst.won.margin) == pytest.approx((0.0523, 0.0523), abs=1e-4)


def test_a_match_format_of_its_own_is_counted_as_planned() -> None:
    schedule = Schedule(
        parse_variant("briscola/2"), 2, deals=60, seed=SEED, match_format=MatchFormat("best-of", 3)
    )
    assert (schedule.groups_per_table, schedule.deals) == (10, 60)

"""Whether one bot is better: what a mirror group says about it, in every unit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.games import parse_variant
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.arena import Advantage, BotComparison, Question, Schedule, sort_groups
from mazzo_server.home.arena.match import PARTS_OF_A_DEAL, Outcome
from mazzo_server.stats import SequentialVerdict

SEED = bytes(range(32))
TWO, THREE = parse_variant("briscola/2"), parse_variant("briscola/3")


def make_outcome(
    scores: Sequence[int], won: Sequence[float] | None = None, deals: int = 2
) -> Outcome:
    parts = [round(share * PARTS_OF_A_DEAL) for share in won or [0] * len(scores)]
    nothing = (0,) * len(scores)
    return Outcome(
        deals=deals,
        scores=tuple(scores),
        won=tuple(parts),
        places=nothing,
        decisions=nothing,
        late=nothing,
        micros=nothing,
    )


def compare(
    question: Question, *groups: Sequence[Outcome], sides: int = 2, deals: int = 400
) -> BotComparison:
    variant = {2: TWO, 3: THREE}[sides]
    schedule = Schedule(variant, 2, deals=deals, seed=SEED)
    comparison = BotComparison(question, variant, bots=2, alone=schedule.alone)
    for group, outcomes in zip(schedule.groups(), groups, strict=False):
        # The outcomes are given with the first bot's, or the lone one's, side first.
        own = 0 if sides == 2 else group.table[0]
        turned = []
        for outcome, seating in zip(outcomes, group.seatings, strict=True):
            side = seating.index(own)
            scores, won = ([*of[1:]] for of in (outcome.scores, outcome.won))
            scores.insert(side, outcome.scores[0])
            won.insert(side, outcome.won[0])
            shares = [part / PARTS_OF_A_DEAL for part in won]
            turned.append(make_outcome(scores, shares, outcome.deals))
        comparison.add(group, turned)
    return comparison


def test_the_advantage_is_what_one_makes_more_than_the_other_with_the_same_cards() -> None:
    group = make_outcome([130, 110]), make_outcome([100, 140])
    found = compare(Question(low=0, high=1), group)
    assert found.test.mean == (65 - 55 + 50 - 70) / 2
    assert (found.test.count, found.groups, found.groups_a_value) == (1, 1, 1)


def test_matches_of_more_deals_count_for_more() -> None:
    group = make_outcome([30, 0], deals=3), make_outcome([0, 10], deals=1)
    assert compare(Question(low=0, high=1), group).test.mean == (30 - 10) / 4


def test_at_more_sides_each_is_alone_among_copies_of_the_other_once() -> None:
    new = make_outcome([60, 30, 30]), make_outcome([30, 45, 45]), make_outcome([30, 45, 45])
    old = make_outcome([20, 50, 50]), make_outcome([40, 40, 40]), make_outcome([30, 45, 45])
    found = compare(Question(low=0, high=1), new, sides=3)
    assert (found.test.count, found.groups) == (0, 1)
    found = compare(Question(low=0, high=1), new, old, sides=3)
    assert found.test.mean == pytest.approx((120 - 90) / 6)
    assert (found.test.count, found.groups, found.groups_a_value) == (1, 2, 2)


def test_by_win_share_the_points_do_not_count() -> None:
    question = Question(low=0, high=0.1, unit=Advantage.WIN_SHARE)
    group = make_outcome([1, 239], [2, 0]), make_outcome([0, 240], [0.5, 1.5])
    assert compare(question, group).test.mean == (2.5 - 1.5) / 4


@pytest.mark.parametrize(
    ("sides", "elo", "share"),
    [
        (2, 0, 0.0),
        (2, 100, 2 / (1 + 10**-0.25) - 1),
        (2, -100, 1 - 2 / (1 + 10**-0.25)),
        (3, 400, 1 / (1 + 2 / 10) - 1 / (1 + 2 * 10)),
    ],
)
def test_elo_stands_for_the_win_share_that_its_formula_gives(
    sides: int, elo: float, share: float
) -> None:
    variant = {2: TWO, 3: THREE}[sides]
    question = Question(low=elo, high=elo + 1, unit=Advantage.ELO)
    found = BotComparison(question, variant, bots=2, alone=sides > 2)
    assert found.test.low == pytest.approx(share)


@pytest.mark.parametrize("elo", [1001.0, 1e300, float("inf")])
def test_elo_beyond_all_sense_is_refused(elo: float) -> None:
    question = Question(low=0, high=elo, unit=Advantage.ELO)
    with pytest.raises(InvalidInputError, match="at most 1,000 apart"):
        BotComparison(question, TWO, bots=2, alone=False)


def test_three_bots_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="compares two bots, got 3"):
        BotComparison(Question(low=0, high=1), TWO, bots=3, alone=False)


def test_the_group_that_decided_is_named_and_nothing_after_it_counts() -> None:
    group = make_outcome([200, 40]), make_outcome([190, 50])
    found = compare(Question(low=0, high=60), *[group] * 50)
    assert found.is_over
    assert found.test.verdict is SequentialVerdict.HIGH
    assert found.last_group is not None
    assert found.test.count == found.last_group + 1


def test_bots_that_play_alike_are_no_better_once_a_rare_match_would_have_shown_it() -> None:
    """All groups are even, so only the matches show what one could have been worth."""
    group = make_outcome([180, 60]), make_outcome([60, 180])
    found = compare(Question(low=0, high=2), *[group] * 500, deals=2000)
    assert found.test.verdict is SequentialVerdict.LOW
    # Had one group in thirty been worth 60 a deal, all others nothing, it would have been seen.
    assert (1 - 2 / 60) ** found.test.count < found.question.beta


@given(st.permutations(range(12)))
def test_whatever_is_over_first_groups_come_in_the_order_of_the_schedule(
    order: list[int],
) -> None:
    groups = list(Schedule(TWO, 2, deals=48, seed=SEED).groups())
    got = [group.number for group, _ in sort_groups((groups[one], ()) for one in order)]
    assert got == list(range(12))

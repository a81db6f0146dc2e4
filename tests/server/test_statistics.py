"""The interval of the score per deal, by hand and by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.statistics import Cluster, Interval, probability_better, score_per_deal

Groups = dict[tuple[int, ...], list[Cluster]]


def clusters(*groups: tuple[int, int]) -> list[Cluster]:
    return [Cluster(score=score, deals=deals) for score, deals in groups]


def mirrored(groups: Sequence[Cluster]) -> list[Cluster]:
    """The same groups as the opponent of a zero-sum game scored them."""
    return [Cluster(score=-group.score, deals=group.deals) for group in groups]


def test_one_table_by_hand() -> None:
    """Promise: with one table it is Student's interval over the means of the groups.

    Means 2, 3, 4, 5: mean 3.5, variance 5/3, standard error √(5/12), t₀.₉₇₅(3) = 3.18245.
    """
    interval = score_per_deal({(0, 1): clusters((4, 2), (6, 2), (8, 2), (10, 2))})
    margin = 3.182446 * math.sqrt(5 / 12)
    assert (interval.mean, interval.deals) == (3.5, 8)
    assert interval.low == pytest.approx(3.5 - margin, abs=1e-5)
    assert interval.high == pytest.approx(3.5 + margin, abs=1e-5)


def test_two_tables_by_hand() -> None:
    """Promise: tables are strata, so what lies between two tables is no uncertainty.

    Table A: means 0 and 2 over 2 deals each; B: 100, 103 and 106 over 4 deals each.
    Weights 1/4 and 3/4; s² = 2 and 9; V = 1/16 · 2/2 + 9/16 · 9/3 = 1/16 + 27/16 = 1.75.
    Degrees of freedom 1.75² / ((1/16)² / 1 + (27/16)² / 2) = 2.14501; t₀.₉₇₅ = 4.03559.
    """
    interval = score_per_deal(
        {(0, 1): clusters((0, 2), (4, 2)), (0, 2): clusters((400, 4), (412, 4), (424, 4))}
    )
    assert interval.mean == 77.5
    assert interval.high is not None
    assert interval.high - 77.5 == pytest.approx(4.03559 * math.sqrt(1.75), abs=1e-4)


def test_groups_of_different_size_by_hand() -> None:
    """Promise: forfeited deals shrink a group's weight, linearised as for a ratio.

    Scores 6, 0, 3 over 3, 1, 2 deals: ratio 1.5, deviations 1.5, −1.5, 0 over a mean of 2
    deals: s² = 9/16 · 2 / 2 = 0.5625, V = 0.1875, t₀.₉₇₅(2) = 4.30265.
    """
    interval = score_per_deal({(0, 1): clusters((6, 3), (0, 1), (3, 2))})
    assert interval.mean == 1.5
    assert interval.low == pytest.approx(1.5 - 4.302653 * math.sqrt(0.1875), abs=1e-5)


def test_a_lone_group_takes_the_pooled_variance() -> None:
    """Promise: a table with one group adds its share of the others' variance.

    As the first table by hand, s² = 5/3, and a second with one group of 2 deals: weights 0.8
    and 0.2, V = 0.64 · 5/12 + 0.04 · 5/3 = 1/3, all of it with 3 degrees of freedom.
    """
    interval = score_per_deal(
        {(0, 1): clusters((4, 2), (6, 2), (8, 2), (10, 2)), (0, 2): clusters((70, 2))}
    )
    assert interval.mean == 9.8
    assert interval.high == pytest.approx(9.8 + 3.182446 * math.sqrt(1 / 3), abs=1e-5)


def test_what_cannot_be_estimated_is_none() -> None:
    """Promise: no number is made up: no deals no mean, no repeated table no interval."""
    nothing = Interval(mean=None, low=None, high=None, deals=0)
    assert score_per_deal({}) == nothing
    assert score_per_deal({(0, 1): clusters((0, 0), (0, 0))}) == nothing
    lone: Groups = {(0, 1): clusters((4, 2), (0, 0)), (0, 2): clusters((3, 2))}
    assert score_per_deal(lone) == Interval(mean=1.75, low=None, high=None, deals=4)
    assert probability_better(lone, {(1, 2): clusters((3, 2), (5, 2))}) is not None
    assert probability_better(lone, lone) is None
    assert probability_better(lone, {}) is None


def test_two_bots_are_compared_by_their_own_groups() -> None:
    """Promise: between two alone the comparison is Student's t on their groups, no better.

    Two independent samples would claim a standard error smaller by √2. Means 2, 3, 4, 5
    against −2, … : t = 7 / (2 √(5/12)) = 5.42218 with 3 degrees of freedom.
    """
    ours = clusters((4, 2), (6, 2), (8, 2), (10, 2))
    better = probability_better({(0, 1): ours}, {(0, 1): mirrored(ours)})
    assert better == pytest.approx(1 - 0.006157, abs=2e-5)


def test_bots_that_never_met_are_compared_by_welch() -> None:
    """Promise: without a common table it is Welch's test.

    Means 0, 2, 4 (variance 4) and 1, 2 (variance 0.5): V = 4/3 + 1/4 = 19/12, t = 0.39736,
    degrees of freedom (19/12)² / (16/18 + 1/16) = 2.63504.
    """
    better = probability_better(
        {(0, 2): clusters((0, 1), (2, 1), (4, 1))}, {(1, 2): clusters((1, 1), (2, 1))}
    )
    assert better == pytest.approx(0.6387, abs=1e-3)


def test_without_spread_the_better_is_certain() -> None:
    """Promise: zero variance divides nothing by zero."""
    high: Groups = {(0, 2): clusters((4, 2), (4, 2))}
    low: Groups = {(1, 2): clusters((2, 2), (2, 2))}
    assert score_per_deal(high) == Interval(mean=2.0, low=2.0, high=2.0, deals=4)
    assert probability_better(high, low) == 1
    assert probability_better(low, high) == 0
    assert probability_better(high, {(1, 2): clusters((4, 2), (4, 2))}) == 0.5


SCORES = st.lists(st.tuples(st.integers(-120, 120), st.integers(0, 4)), min_size=1, max_size=5)


@st.composite
def samples(draw: st.DrawFn) -> tuple[Groups, Groups]:
    """Two entrants' groups: at tables of their own, and at one where both sat."""
    both = draw(SCORES)
    a: Groups = {(0, 2): clusters(*draw(SCORES)), (0, 1): clusters(*both)}
    b: Groups = {
        (1, 2): clusters(*draw(SCORES)),
        (0, 1): clusters(*((draw(st.integers(-120, 120)), deals) for _, deals in both)),
    }
    return a, b


@given(samples())
def test_the_interval_holds_the_mean(drawn: tuple[Groups, Groups]) -> None:
    """Promise: the mean is over all counted deals, and the interval is around it."""
    for sample in drawn:
        counted = [group for groups in sample.values() for group in groups if group.deals]
        interval = score_per_deal(sample)
        assert interval.deals == sum(group.deals for group in counted)
        if interval.mean is None:
            assert not counted
            continue
        assert interval.mean * interval.deals == pytest.approx(sum(g.score for g in counted))
        if interval.low is not None and interval.high is not None:
            assert interval.low <= interval.mean <= interval.high


@given(samples())
def test_one_of_two_is_better(drawn: tuple[Groups, Groups]) -> None:
    """Promise: the probabilities of a over b and of b over a make one."""
    a, b = drawn
    better, worse = probability_better(a, b), probability_better(b, a)
    if better is None or worse is None:
        assert better is worse is None
    else:
        assert better + worse == pytest.approx(1)


def tournament(random: Random, *, entrants: int, groups: int, single: int) -> list[Groups]:
    """Zero-sum pairs with true score per deal 0 on average over the opponents' strengths.

    Entrant e beats f by e − f a deal, ± the luck of the group and of each deal; `single`
    tables have one group only, and a deal in ten is not counted.
    """
    samples: list[Groups] = [{} for _ in range(entrants)]
    for number, (a, b) in enumerate(combinations(range(entrants), 2)):
        played = []
        for _ in range(1 if number < single else groups):
            luck = random.gauss(0, 6)
            deals = sum(random.random() < 0.9 for _ in range(4))
            score = sum(round(10 * (a - b) + luck + random.gauss(0, 12)) for _ in range(deals))
            played.append(Cluster(score=score, deals=deals))
        samples[a][a, b] = played
        samples[b][a, b] = mirrored(played)
    return samples


@pytest.mark.parametrize(
    ("entrants", "groups", "single"), [(2, 6, 0), (4, 3, 0), (4, 10, 0), (5, 4, 3)]
)
def test_coverage(entrants: int, groups: int, single: int) -> None:
    """Promise: 95 % intervals hold the truth in about 95 % of tournaments.

    The truth is taken for the deals as they fell to the tables, 10 (a − b) at each. With 400
    tournaments the share has a standard error of 1.1 %.
    """
    random = Random(17)
    held = 0
    for _ in range(400):
        last = tournament(random, entrants=entrants, groups=groups, single=single)[-1]
        deals = {table: sum(group.deals for group in played) for table, played in last.items()}
        truth = sum(10 * (entrants - 1 - table[0]) * count for table, count in deals.items()) / sum(
            deals.values()
        )
        interval = score_per_deal(last)
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
    assert 0.92 <= held / 400 <= 0.985


@pytest.mark.parametrize("entrants", [2, 4])
def test_certainty_is_earned(entrants: int) -> None:
    """Promise: between equals a probability above 90 % comes up in about 10 % of tournaments."""
    random = Random(23)
    certain = 0
    for _ in range(400):
        pairs = tournament(random, entrants=entrants, groups=8, single=0)
        level: list[Groups] = [
            {
                table: [
                    Cluster(
                        score=g.score
                        - (1 if e == table[0] else -1) * 10 * (table[0] - table[1]) * g.deals,
                        deals=g.deals,
                    )
                    for g in played
                ]
                for table, played in pairs[e].items()
            }
            for e in (0, 1)
        ]
        better = probability_better(*level)
        assert better is not None
        certain += better > 0.9
    assert 0.06 <= certain / 400 <= 0.15

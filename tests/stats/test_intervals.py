"""The interval of the score per deal, by hand and by simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from mazzo_server.stats import comparisons
from mazzo_server.stats import intervals as statistics
from mazzo_server.stats.clusters import Cluster, Sums
from mazzo_server.stats.intervals import LEAST_GROUPS, Interval

Groups = dict[tuple[int, ...], list[Cluster]]
"""One entrant's groups by table, in the order in which they were played."""


def summed(*samples: Mapping[tuple[int, ...], Sequence[Cluster]]) -> dict[tuple[int, ...], Sums]:
    """The sums of tables at which entrant 0 has the first sample, entrant 1 the second."""
    tables: dict[tuple[int, ...], Sums] = {}
    for table in {table: None for sample in samples for table in sample}:
        sums = tables[table] = Sums(len(table))
        by_place = [
            samples[entrant].get(table) if entrant < len(samples) else None for entrant in table
        ]
        played = next(groups for groups in by_place if groups is not None)
        for number, group in enumerate(played):
            scores = [0 if groups is None else groups[number].score for groups in by_place]
            sums.add(scores, deals=group.deals)
    return tables


def estimate_score(groups: Groups) -> Interval:
    return statistics.estimate_score(summed(groups), 0)


def probability_better(a: Groups, b: Groups) -> float | None:
    return comparisons.compute_probability_better(summed(a, b), 0, 1)


def more_groups(a: Groups, b: Groups) -> int | None:
    return comparisons.estimate_more_groups(summed(a, b), 0, 1)


def clusters(*groups: tuple[int, int]) -> list[Cluster]:
    return [Cluster(score=score, deals=deals) for score, deals in groups]


def mirrored(groups: Sequence[Cluster]) -> list[Cluster]:
    """The same groups as the opponent of a zero-sum game scored them."""
    return [Cluster(score=-group.score, deals=group.deals) for group in groups]


def test_one_table_by_hand() -> None:
    """Promise: with one table it is Student's interval over the means of the groups.

    Means 2, 3, 4, 5: mean 3.5, variance 5/3, standard error √(5/12), t₀.₉₇₅(3) = 3.18245.
    """
    interval = estimate_score({(0, 1): clusters((4, 2), (6, 2), (8, 2), (10, 2))})
    margin = 3.182446 * math.sqrt(5 / 12)
    assert (interval.mean, interval.deals) == (3.5, 8)
    assert interval.low == pytest.approx(3.5 - margin, abs=1e-5)
    assert interval.high == pytest.approx(3.5 + margin, abs=1e-5)


def test_two_tables_by_hand() -> None:
    """Promise: tables are strata, so what lies between two tables is no uncertainty.

    Table A: means 0 and 2 over 2 deals each; B: 100, 103 and 106 over 4 deals each.
    Weights ½ each; s² = 2 and 9; V = ¼ · 2/2 + ¼ · 9/3 = ¼ + ¾ = 1. Degrees of freedom
    1 / (¼² / (1 + 2) + ¾² / (2 + 2)) − 2 = 4.1935, but at most 1 + 2 = 3; t₀.₉₇₅ = 3.18245.
    """
    interval = estimate_score(
        {(0, 1): clusters((0, 2), (4, 2)), (0, 2): clusters((400, 4), (412, 4), (424, 4))}
    )
    assert interval.mean == 52
    assert interval.high is not None
    assert interval.high - 52 == pytest.approx(3.18245, abs=1e-4)


def test_degrees_of_freedom_by_hand() -> None:
    """Promise: where one table has nearly all the variance, it has nearly all the say.

    Two tables of two groups: s² = 2 and 72, V = ¼ · 1 + ¼ · 36 = 9.25. Degrees of freedom
    9.25² / (0.25² / 3 + 9² / 3) − 2 = 1.16654, where V² / Σ v² would be 1.0554.
    """
    interval = estimate_score({(0, 1): clusters((0, 2), (4, 2)), (0, 2): clusters((0, 1), (12, 1))})
    assert interval.high is not None
    assert interval.mean is not None
    margin = (interval.high - interval.mean) / math.sqrt(9.25)
    assert margin == pytest.approx(9.12832, abs=1e-4)


def test_groups_of_different_size_by_hand() -> None:
    """Promise: forfeited deals shrink a group's weight, linearised as for a ratio.

    Scores 6, 0, 3 over 3, 1, 2 deals: ratio 1.5, deviations 1.5, −1.5, 0 over a mean of 2
    deals: s² = 9/16 · 2 / 2 = 0.5625, V = 0.1875, t₀.₉₇₅(2) = 4.30265.
    """
    interval = estimate_score({(0, 1): clusters((6, 3), (0, 1), (3, 2))})
    assert interval.mean == 1.5
    assert interval.low == pytest.approx(1.5 - 4.302653 * math.sqrt(0.1875), abs=1e-5)


def test_a_lone_group_takes_the_pooled_variance() -> None:
    """Promise: a table with one group adds its share of the others' variance.

    As the first table by hand, s² = 5/3, and a second with one group of 2 deals: weights ½,
    V = ¼ · 5/12 + ¼ · 5/3 = 25/48, all of it with 3 degrees of freedom.
    """
    interval = estimate_score(
        {(0, 1): clusters((4, 2), (6, 2), (8, 2), (10, 2)), (0, 2): clusters((70, 2))}
    )
    assert interval.mean == 19.25
    assert interval.high == pytest.approx(19.25 + 3.182446 * math.sqrt(25 / 48), abs=1e-5)


def test_a_table_played_more_often_weighs_no_more() -> None:
    """Promise: the score per deal is that against each table alike, whatever was played where."""
    few = estimate_score({(0, 1): clusters((80, 2)), (0, 2): clusters((40, 2))})
    many = estimate_score({(0, 1): clusters(*[(80, 2)] * 9), (0, 2): clusters((40, 2))})
    assert few.mean == many.mean == 30


def test_what_cannot_be_estimated_is_none() -> None:
    """Promise: no number is made up: no deals no mean, no repeated table no interval."""
    nothing = Interval(mean=None, low=None, high=None, deals=0)
    assert estimate_score({}) == nothing
    assert estimate_score({(0, 1): clusters((0, 0), (0, 0))}) == nothing
    lone: Groups = {(0, 1): clusters((4, 2), (0, 0)), (0, 2): clusters((3, 2))}
    assert estimate_score(lone) == Interval(mean=1.75, low=None, high=None, deals=4)
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
    degrees of freedom (19/12)² / ((4/3)² / 4 + (1/4)² / 3) − 2 = 3.388, but at most 3.
    """
    better = probability_better(
        {(0, 2): clusters((0, 1), (2, 1), (4, 1))}, {(1, 2): clusters((1, 1), (2, 1))}
    )
    assert better == pytest.approx(0.64116, abs=1e-4)


def test_without_spread_the_better_is_certain() -> None:
    """Promise: zero variance divides nothing by zero."""
    high: Groups = {(0, 2): clusters((4, 2), (4, 2))}
    low: Groups = {(1, 2): clusters((2, 2), (2, 2))}
    often: Groups = {(0, 2): clusters(*[(4, 2)] * 10)}
    assert estimate_score(often) == Interval(mean=2.0, low=2.0, high=2.0, deals=20)
    assert probability_better(high, low) == 1
    assert comparisons.compute_probability_better(summed(high, low), 1, 0) == 0
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


def plain(strata: Sequence[tuple[float, Sequence[float]]]) -> tuple[float, float] | None:
    """Standard error and degrees of freedom from weights and deviations, by the textbook."""
    repeated = [(weight, z) for weight, z in strata if len(z) > 1]
    if not repeated:
        return None
    free = sum(len(z) - 1 for _, z in repeated)
    pooled = sum(x * x for _, z in repeated for x in z) / free
    total = squares = 0.0
    for weight, z in repeated:
        part = weight**2 * sum(x * x for x in z) / (len(z) - 1) / len(z)
        lone = sum(other**2 for other, y in strata if len(y) == 1)
        part += lone * sum(x * x for x in z) / free
        total += part
        squares += part**2 / (len(z) + 1)
    assert pooled >= 0
    if not total:
        return 0.0, free
    freedom = total**2 / squares - 2
    return math.sqrt(total), min(max(freedom, min(len(z) - 1 for _, z in repeated)), free)


def deviations(groups: Sequence[Cluster]) -> list[float]:
    ratio = sum(g.score for g in groups) / sum(g.deals for g in groups)
    size = sum(g.deals for g in groups) / len(groups)
    return [(g.score - ratio * g.deals) / size for g in groups]


def counted(sample: Groups) -> Groups:
    kept = {table: [g for g in groups if g.deals] for table, groups in sample.items()}
    return {table: groups for table, groups in kept.items() if groups}


def plain_mean(sample: Groups) -> float:
    ratios = [sum(g.score for g in p) / sum(g.deals for g in p) for p in sample.values()]
    return sum(ratios) / len(ratios)


@given(samples())
def test_sums_say_what_lists_said(drawn: tuple[Groups, Groups]) -> None:
    """Promise: intervals and comparisons from sums are those from all groups one by one."""
    a, b = drawn
    ours, theirs = counted(a), counted(b)
    interval = estimate_score(a)
    if not ours:
        assert interval == Interval(mean=None, low=None, high=None, deals=0)
        return
    assert interval.mean == pytest.approx(plain_mean(ours), abs=1e-9)
    assert interval.deals == sum(g.deals for groups in ours.values() for g in groups)
    spread = plain([(1 / len(ours), deviations(groups)) for groups in ours.values()])
    if spread is None:
        assert interval.low is interval.high is None
    elif interval.low is None:  # so few groups that are all alike say nothing of luck
        assert interval.high is None
        assert spread[0] == pytest.approx(0, abs=1e-6)
        assert sum(map(len, ours.values())) < LEAST_GROUPS
    else:
        error, freedom = spread
        margin = float(stdtrit(freedom, 0.975)) * error
        assert interval.low == pytest.approx(plain_mean(ours) - margin, abs=1e-6)
        assert interval.high == pytest.approx(plain_mean(ours) + margin, abs=1e-6)
    if not theirs:
        assert probability_better(a, b) is None
        return
    strata = []
    for table in {**ours, **theirs}:
        w_a = 1 / len(ours) if table in ours else 0.0
        w_b = 1 / len(theirs) if table in theirs else 0.0
        x, y = (deviations(s[table]) if table in s else None for s in (ours, theirs))
        z = [
            (w_a * (x[i] if x else 0) - w_b * (y[i] if y else 0)) / (w_a + w_b)
            for i in range(len(x or y or ()))
        ]
        strata.append((w_a + w_b, z))
    spread = plain(strata)
    better = probability_better(a, b)
    if spread is None:
        assert better is None
    elif spread[0] > 1e-9:
        difference = plain_mean(ours) - plain_mean(theirs)
        assert better == pytest.approx(float(stdtr(spread[1], difference / spread[0])), abs=1e-6)


@given(samples())
def test_sums_survive_being_written(drawn: tuple[Groups, Groups]) -> None:
    """Promise: a table's sums are their numbers, and nothing more."""
    for table, sums in summed(*drawn).items():
        again = Sums.from_json(len(table), sums.to_json())
        assert again.to_json() == sums.to_json()
        again.add([7] * len(table), deals=1)
        sums.add([7] * len(table), deals=1)
        assert again.to_json() == sums.to_json()


@given(st.integers(-500, 500), st.integers(1, 4), st.integers(2, 20))
def test_equal_groups_have_no_variance(score: int, deals: int, groups: int) -> None:
    """Promise: groups that are equal give exactly their mean, whatever floats would have made."""
    interval = estimate_score({(0, 1): clusters(*[(score, deals)] * groups)})
    assert interval.mean == score / deals
    ends = (interval.mean, interval.mean) if groups >= LEAST_GROUPS else (None, None)
    assert (interval.low, interval.high) == ends


def test_a_few_groups_that_are_all_alike_have_no_interval() -> None:
    """A bug of an earlier version: ±0 after three deals, as if nothing were left to luck."""
    few: Groups = {(0, 1): clusters(*[(4, 2)] * 5), (0, 2): clusters(*[(4, 2)] * 4)}
    assert estimate_score(few) == Interval(mean=2.0, low=None, high=None, deals=18)
    enough: Groups = few | {(0, 3): clusters((4, 2))}
    assert estimate_score(enough) == Interval(mean=2.0, low=2.0, high=2.0, deals=20)
    assert estimate_score({(0, 1): clusters((4, 2), (3, 2))}).margin is not None


def test_how_many_more_groups_separate_two() -> None:
    """Promise: it is the least number of groups with which the margin is below the difference.

    Means −0.65, 0.35, 1.35, 2.35 against their mirror: difference 1.7, s² = 4 · 5/3. It needs
    12 groups, t₀.₉₇₅(11) √(20/3 / 12) = 1.6405; 11 give t₀.₉₇₅(10) √(20/3 / 11) = 1.7346.
    """
    ours = clusters((-13, 20), (7, 20), (27, 20), (47, 20))
    assert more_groups({(0, 1): ours}, {(0, 1): mirrored(ours)}) == 8
    # Differences −2 and 0, s² = 2: 11 groups, t₀.₉₇₅(10) √(2/11) = 0.9501; 10 give 1.0117.
    two = clusters((-4, 4), (0, 4))
    assert more_groups({(0, 1): two}, {(0, 1): mirrored(two)}) == 9
    level = clusters((-1, 20), (1, 20))
    assert more_groups({(0, 1): level}, {(0, 1): mirrored(level)}) is None
    assert more_groups({(0, 1): ours[:1]}, {(0, 1): mirrored(ours[:1])}) is None
    nearly = clusters(*[(10**6, 10**6), (-(10**6) + 1, 10**6)] * 2)
    assert more_groups({(0, 1): nearly}, {(0, 1): mirrored(nearly)}) is None


@given(samples())
def test_more_groups_is_the_least_that_separates(drawn: tuple[Groups, Groups]) -> None:
    """Promise: 0 says the same as a probability beyond 97.5 %; None only where nothing is known."""
    a, b = drawn
    more, better = more_groups(a, b), probability_better(a, b)
    assert more == comparisons.estimate_more_groups(summed(a, b), 1, 0)
    if better is None:
        assert more is None
    elif more == 0:
        assert abs(better - 0.5) >= 0.475 - 1e-12
    elif more is not None:
        assert abs(better - 0.5) < 0.475


@given(samples())
def test_one_of_two_is_better(drawn: tuple[Groups, Groups]) -> None:
    """Promise: the probabilities of a over b and of b over a make one."""
    a, b = drawn
    tables = summed(a, b)
    better = comparisons.compute_probability_better(tables, 0, 1)
    worse = comparisons.compute_probability_better(tables, 1, 0)
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

    The truth is 10 (a − b) at each table. With 400 tournaments the share has a standard error
    of 1.1 %.
    """
    random = Random(17)
    held = 0
    truth = sum(10 * (entrants - 1 - other) for other in range(entrants - 1)) / (entrants - 1)
    for _ in range(400):
        last = tournament(random, entrants=entrants, groups=groups, single=single)[-1]
        interval = statistics.estimate_score(whole(last, entrants - 1), entrants - 1)
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
    assert 0.92 <= held / 400 <= 0.985


def whole(groups: Groups, entrant: int) -> dict[tuple[int, ...], Sums]:
    """The tables of one entrant, whoever it is."""
    tables = {}
    for table, played in groups.items():
        sums = tables[table] = Sums(len(table))
        for group in played:
            sums.add([group.score if e == entrant else 0 for e in table], deals=group.deals)
    return tables


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

"""Round robins that are played on until neighbours are separated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.simulated import Field, play_scores
from mazzo_server.model import Change, Entrant, Mirror
from mazzo_server.pairing import Group, GroupResult, RoundRobin, list_groups
from mazzo_server.pairing.base import MOST_GROUPS
from mazzo_server.pairing.seats import Seats
from mazzo_server.pairing.until_separated import SeparationRule, UntilSeparated
from mazzo_server.stats.clusters import Cluster

Score = Callable[[Group], dict[int, Cluster]]


def pairing(
    entrants: int,
    *,
    most: int,
    sides: int = 2,
    confidence: float = 0.95,
    changes: Sequence[Change] = (),
) -> UntilSeparated:
    late = {change.entrant for change in changes if change.joins}
    return UntilSeparated(
        Seats(
            variant=f"briscola/{sides}",
            entrants=bots(entrants),
            sides=sides,
            mirror=Mirror.ROTATIONS,
            seed=bytes(32),
        ),
        rule=SeparationRule(
            confidence=confidence, sides=sides, entrants=entrants - len(late), most=most
        ),
        changes=changes,
    )


def bots(number: int) -> list[Entrant]:
    return [
        Entrant(name=f"bot-{index:02}", version=1, content_hash="0" * 64) for index in range(number)
    ]


def round_robin(entrants: int, *, most: int, sides: int = 2) -> RoundRobin:
    return RoundRobin(
        variant=f"briscola/{sides}",
        entrants=bots(entrants),
        sides=sides,
        groups_per_table=most,
        mirror=Mirror.ROTATIONS,
        seed=bytes(32),
    )


def result(
    group: Group, scores: Mapping[int, Cluster], *, withdrawn: int | None = None
) -> GroupResult:
    if withdrawn in group.table:
        gone = frozenset({withdrawn})
        return GroupResult(table=group.table, ranks=None, scores={}, withdrawn=gone)
    return GroupResult(
        table=group.table,
        ranks={
            entrant: sum(other.score > own.score for other in scores.values())
            for entrant, own in scores.items()
        },
        scores=scores,
    )


def played(
    schedule: UntilSeparated, score: Score, *, withdrawn: int | None = None
) -> tuple[list[Group], list[GroupResult], list[int]]:
    """All groups, their results, and after how many groups `next` was asked."""
    groups: list[Group] = []
    results: list[GroupResult] = []
    asked = []
    while batch := schedule.next(len(results), results):
        asked.append(len(results))
        groups += batch
        results += [result(group, score(group), withdrawn=withdrawn) for group in batch]
    return groups, results, asked


def by_skill(*skills: float) -> Score:
    """Scores of one deal: what is above the mean of the table, and luck of ±1."""

    def score(group: Group) -> dict[int, Cluster]:
        random = Random(repr((group.table, group.number_at_table)))
        luck = [random.gauss(0, 1) for _ in group.table]
        own = [skills[entrant] + gain for entrant, gain in zip(group.table, luck, strict=True)]
        mean = sum(own) / len(own)
        return {
            entrant: Cluster(score=round(1000 * (raw - mean)), deals=1)
            for entrant, raw in zip(group.table, own, strict=True)
        }

    return score


def test_the_clear_order_ends_at_the_first_look() -> None:
    """Promise: no group is played once all neighbours are separated."""
    schedule = pairing(4, most=1000)
    groups, _, _ = played(schedule, by_skill(9, 6, 3, 0))
    assert len(groups) == comb(4, 2) * 10  # 30 groups of each entrant, at three tables


def test_only_tables_in_doubt_play_on() -> None:
    """Promise: a table plays on while one of its entrants is not separated from a neighbour."""
    schedule = pairing(6, most=48)
    groups, _, _ = played(schedule, by_skill(30, 20, 20, 10, 5, 0))
    tables = Counter(group.table for group in groups)
    assert {table for table, count in tables.items() if count == 48} == {
        table for table in combinations(range(6), 2) if {1, 2} & set(table)
    }
    assert {count for table, count in tables.items() if not {1, 2} & set(table)} == {6}


def test_more_confidence_takes_more_groups() -> None:
    """Promise: how sure it must be is what was asked for, not one number for all."""
    sizes = [
        len(played(pairing(2, most=10_000, confidence=confidence), by_skill(0.3, 0))[0])
        for confidence in (0.6, 0.95, 0.999999)
    ]
    assert sizes[0] < sizes[1] < sizes[2]


def test_equal_entrants_play_the_most_and_no_more() -> None:
    """Promise: the tournament ends with equal bots in it, too."""
    schedule = pairing(3, most=100)
    groups, _, _ = played(schedule, by_skill(0, 0, 0))
    assert Counter(group.table for group in groups) == dict.fromkeys(combinations(range(3), 2), 100)
    assert len(groups) == schedule.total()


def test_bots_that_draw_every_group_are_equal() -> None:
    """Promise: where nothing varies and nothing differs, nobody is separated."""
    schedule = pairing(2, most=80)
    groups, _, _ = played(
        schedule, lambda group: dict.fromkeys(group.table, Cluster(score=60, deals=1))
    )
    assert len(groups) == 80


def test_looks_double_until_the_most() -> None:
    """Promise: at least four groups a table and 30 an entrant come before the first look."""

    def looks(entrants: int, sides: int, most: int) -> tuple[int, ...]:
        return SeparationRule(confidence=0.95, sides=sides, entrants=entrants, most=most).looks

    assert looks(2, 2, 200) == (30, 60, 120, 200)
    assert looks(16, 2, 64) == (4, 8, 16, 32, 64)
    assert looks(4, 3, 41) == (10, 20, 40, 41)
    assert looks(16, 2, 3) == (3,)


def test_the_level_is_shared_out_among_looks_and_neighbours() -> None:
    """Promise: two entrants have Bonferroni's bound over all looks and both directions."""
    rule = SeparationRule(confidence=0.95, sides=2, entrants=2, most=200)
    assert rule.level(2) == pytest.approx(1 - 0.05 / (2 * 4))
    assert rule.level(16) == pytest.approx(1 - 0.05 / (16 + 6))


@given(
    sides=st.integers(2, 3),
    entrants=st.integers(2, 5),
    most=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_a_schedule_is_a_function_of_its_results(
    sides: int, entrants: int, most: int, seed: int
) -> None:
    """Promise: whenever it is asked again, the same results give the same groups.

    They are groups of the plain round robin with the same table and round, numbered on.
    """
    entrants += sides - 2
    random = Random(seed)
    skills = [random.gauss(0, 1) for _ in range(entrants)]
    schedule = pairing(entrants, most=most, sides=sides)
    groups, results, asked = played(schedule, by_skill(*skills))
    assert [group.number for group in groups] == list(range(len(groups)))
    plain = {
        (group.table, group.number_at_table): (group.seed, group.seatings)
        for group in list_groups(round_robin(entrants, most=most, sides=sides))
    }
    for group in groups:
        assert plain[group.table, group.number_at_table] == (group.seed, group.seatings)
    assert (
        len({(group.table, group.number_at_table) for group in groups})
        == len(groups)
        <= schedule.total()
    )
    again = pairing(entrants, most=most, sides=sides)
    for first in (*asked, random.randrange(len(groups))):
        rest = again.next(first, results[:first])
        assert list(rest) == groups[first : first + len(rest)]
        assert rest


def test_a_long_look_comes_in_parts_and_without_its_own_results() -> None:
    """Promise: groups of one look wait for no result of it, and never are more than 2,000."""
    schedule = pairing(16, most=64)
    groups, results, asked = played(schedule, by_skill(*[0] * 16))
    starts = [0, *(120 * look for look in (4, 8, 16, 32))]
    assert set(starts) <= set(asked)
    assert max(upper - lower for lower, upper in pairwise([*asked, len(groups)])) == MOST_GROUPS
    last = starts[-1]
    middle = schedule.next(last + MOST_GROUPS, results[: last + MOST_GROUPS])
    assert middle == schedule.next(last + MOST_GROUPS, results[:last] + results[:MOST_GROUPS])


def test_who_joins_first_plays_as_much_as_the_look_asks_for() -> None:
    """Promise: a change counts from the next look on, and an order that was clear stays so."""
    join = Change(entrant=3, first_group=25, joins=True)
    schedule = pairing(4, most=120, changes=[join])
    groups, _, _ = played(schedule, by_skill(40, 10, 10, 30))
    assert {group.table for group in groups[:45]} == set(combinations(range(3), 2))
    tables = Counter(group.table for group in groups[: 45 + 15 * 3 + 30 * 3])
    assert {tables[0, 3], tables[1, 3], tables[2, 3]} == {30}
    assert Counter(group.table for group in groups)[0, 3] == 30  # clear at once


def test_who_is_retired_plays_no_more() -> None:
    """Promise: and a neighbour that is in doubt because of it still goes on with the others."""
    retire = Change(entrant=1, first_group=40, joins=False)
    schedule = pairing(3, most=120, changes=[retire])
    groups, _, _ = played(schedule, by_skill(10, 10, 0))
    tables = Counter(group.table for group in groups)
    assert tables == {(0, 1): 15, (1, 2): 15, (0, 2): 120}


def test_who_is_withdrawn_keeps_nobody_waiting() -> None:
    """Promise: it is out of the order at the next look, and nobody else is, even one that
    played with nobody else."""
    schedule = pairing(4, most=80)
    groups, _, _ = played(schedule, by_skill(20, 10, 10, 0), withdrawn=1)
    tables = Counter(group.table for group in groups)
    assert set(tables.values()) == {10}  # 2 is in doubt without it no more
    groups, _, _ = played(schedule, by_skill(20, 10, 0, 0), withdrawn=1)
    tables = Counter(group.table for group in groups)
    assert {tables[table] for table in ((0, 2), (0, 3), (2, 3))} == {80}
    assert {tables[table] for table in ((1, 2), (1, 3))} == {10}
    alone = pairing(2, most=80)
    groups, _, _ = played(alone, by_skill(0, 0), withdrawn=1)
    assert len(groups) == 30


def test_simulated_cards_are_put_in_order() -> None:
    """Promise: it works on the scores of mirror groups of several deals."""
    field = Field(skills=(6.0, 4.0, 2.0, 0.0, -2.0), seed=5)
    groups, results, _ = played(pairing(5, most=1000), lambda group: play_scores(field, group))
    assert 8 * 10 <= len(groups) < 1000 * 10
    means = [
        sum(r.scores[e].score for r in results if e in r.scores)
        / sum(r.scores[e].deals for r in results if e in r.scores)
        for e in range(5)
    ]
    assert means == sorted(means, reverse=True)


def test_who_met_only_withdrawn_entrants_in_a_look_plays_on() -> None:
    """Promise: void groups are no fault of the others at the table."""
    join = Change(entrant=4, first_group=61, joins=True)
    schedule = pairing(5, most=80, changes=[join])
    score = by_skill(20, 10, 10, 0, 30)
    results = [result(group, score(group)) for group in schedule.next(0)]
    second = schedule.next(60, results)
    assert {group.table for group in second} == {(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)}
    for group in second:
        gone = frozenset({1, 2}.intersection(group.table))
        results.append(GroupResult(table=group.table, ranks=None, scores={}, withdrawn=gone))
    assert {group.table for group in schedule.next(110, results)} == {(0, 4), (3, 4)}

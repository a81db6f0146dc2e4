"""Who plays next on a ladder: a pure function of definition, results and joins, fair to all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import hypot
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.model import Change, Entrant, Mirror, name_version
from mazzo_server.pairing import Group, GroupResult, compute_lead, is_level_with
from mazzo_server.pairing.ladder.pairing import Ladder
from mazzo_server.pairing.ladder.rule import choose_tables
from mazzo_server.pairing.ladder.state import LadderState
from mazzo_server.pairing.seats import Seats
from mazzo_server.stats import Rating
from support.pairing_checks import check_groups

DRAWS = 0.1
ENOUGH = 30  # groups, after which a version is no longer new
LEVEL_SEED = 6  # of results that show two bots to be level, and neither to be better


def make_ladder(
    entrants: Sequence[tuple[str, int]],
    *,
    sides: int = 2,
    changes: Sequence[Change] = (),
    confidence: float = 0.99,
    inherited: dict[int, Rating] | None = None,
    most_groups: int = 100_000,
) -> Ladder:
    """One of these names and versions."""
    made = [
        Entrant(name=name_version(name, version), version=version, content_hash="")
        for name, version in entrants
    ]
    seats = Seats(
        variant="frap",
        entrants=made,
        sides=sides,
        mirror=Mirror.ROTATIONS,
        seed=bytes(32),
        least=0,
    )
    return Ladder(
        seats,
        entrants=made,
        sides=sides,
        most_groups=most_groups,
        confidence=confidence,
        draw_probability=DRAWS,
        inherited=inherited,
        changes=changes,
    )


def make_names(number: int) -> list[tuple[str, int]]:
    return [(f"bot-{index:02}", 1) for index in range(number)]


def join(entrant: int, first_group: int) -> Change:
    return Change(entrant=entrant, first_group=first_group, joins=True)


def leave(entrant: int, first_group: int) -> Change:
    return Change(entrant=entrant, first_group=first_group, joins=False)


def judge(group: Group, seed: int, *, edge: float = 1.0) -> GroupResult:
    """A result by chance, which follows from seed and group; a higher index is somewhat better."""
    random = Random(repr((seed, group.number, group.table)))
    if random.random() < 0.03:
        return GroupResult(table=group.table, ranks=None, scores={})
    shown = {entrant: random.gauss(edge * entrant, 3) for entrant in group.table}
    order = sorted(group.table, key=shown.__getitem__, reverse=True)
    return GroupResult(
        table=group.table,
        ranks={entrant: order.index(entrant) for entrant in group.table},
        scores={},
    )


def make_batch(ladder: Ladder, state: LadderState, results: Sequence[GroupResult]) -> list[Group]:
    """The next batch, after these results of the groups that have none."""
    for result in results:
        state.add_result(result.ranks)
    return list(ladder.make_batch(state) or ())


def play(ladder: Ladder, groups: int, *, seed: int = 1, edge: float = 1.0) -> list[Group]:
    """At least so many groups, if there are, made from the beginning and in one go."""
    state, made = ladder.begin(), list[Group]()
    while len(made) < groups:
        unknown = [judge(group, seed, edge=edge) for group in made[state.groups_known :]]
        batch = make_batch(ladder, state, unknown)
        if not batch:
            break
        made += batch
    return made


def rate_all(ladder: Ladder, groups: Sequence[Group], seed: int, *, edge: float) -> LadderState:
    """The state with the results of all these groups, which the ladder has made."""
    state = ladder.begin()
    while state.groups < len(groups):
        unknown = groups[state.groups_known : state.groups]
        assert make_batch(ladder, state, [judge(one, seed, edge=edge) for one in unknown])
    for one in groups[state.groups_known :]:
        state.add_result(judge(one, seed, edge=edge).ranks)
    while state.take_batch():
        pass
    return state


@pytest.mark.parametrize(("bots", "sides"), [(2, 2), (5, 2), (13, 2), (5, 3), (9, 4), (14, 12)])
def test_groups_are_sound(bots: int, sides: int) -> None:
    groups = play(make_ladder(make_names(bots), sides=sides, confidence=0.999999), 600)
    assert len(groups) >= 600
    check_groups(groups, sides, Mirror.ROTATIONS)


@given(st.data())
def test_any_group_follows_from_what_was_before_it(data: st.DataObject) -> None:
    """Whoever asks for a group again, later or elsewhere, gets the same one.

    So it is after a restart, and when an old match is replayed after others have joined.
    """
    bots = data.draw(st.integers(3, 7))
    seed = data.draw(st.integers(0, 1000))
    joins = data.draw(st.integers(100, 220))
    early = make_ladder(make_names(bots), confidence=0.9)
    groups = play(early, 220, seed=seed)
    results = [judge(group, seed) for group in groups]
    first = data.draw(st.integers(0, len(groups) - 1))
    assert early.next(first, results[:first])[0] == groups[first]
    names = [*make_names(bots), ("new", 1)]
    late = make_ladder(names, confidence=0.9, changes=[join(bots, min(joins, len(groups)))])
    start = next((group.number for group in groups if group.number >= joins), len(groups))
    assert play(late, start, seed=seed)[:start] == groups[:start]


def test_a_batch_is_larger_where_many_are_new() -> None:
    """Each batch starts all bots anew, which costs more than its matches do."""
    ladder = make_ladder(make_names(12))
    assert len(make_batch(ladder, ladder.begin(), ())) == 2 * 12
    joined = make_ladder([*make_names(12), ("bot-00", 2)], confidence=0.999999)
    state = joined.begin()
    state.add_batch([*combinations(range(12), 2)] * 3)
    for _ in range(state.groups):
        state.add_result(None)
    assert state.take_batch()
    assert len(make_batch(joined, state, ())) == 13


@pytest.mark.parametrize("sides", [2, 3])
def test_a_batch_depends_on_no_result_of_the_batch_before_it(sides: int) -> None:
    """While one batch is played the next one is known, so that nothing stands idle."""
    ladder = make_ladder(make_names(6), sides=sides)
    state, other = ladder.begin(), ladder.begin()
    batch = list[Group]()
    for _ in range(6):
        changed = make_batch(ladder, other, [judge(one, 2, edge=-5.0) for one in batch])
        batch = make_batch(ladder, state, [judge(one, 1) for one in batch])
        assert changed == batch
        other = LadderState.from_json(state.to_json(), draw_probability=DRAWS)


def test_a_kept_state_goes_on_to_the_bit() -> None:
    """Else a season would have to be read from its beginning after each restart."""
    inherited = {2: Rating(mu=30.123456789, sigma=2.5), 5: Rating(mu=20.0, sigma=1.0)}
    ladder = make_ladder(make_names(6), inherited=inherited, sides=3)
    state, made = ladder.begin(), list[Group]()
    kept, kept_made = ladder.begin(), list[Group]()
    for _ in range(20):
        unknown = [judge(one, 3) for one in made[state.groups_known :]]
        made += make_batch(ladder, state, unknown)
        kept = LadderState.from_json(kept.to_json(), draw_probability=DRAWS, inherited=inherited)
        unknown = [judge(one, 3) for one in kept_made[kept.groups_known :]]
        kept_made += make_batch(ladder, kept, unknown)
        assert kept.to_json() == state.to_json()
    assert made == kept_made
    with pytest.raises(ValueError, match="mazzo-ladder"):
        LadderState.from_json(
            state.to_json().replace("mazzo-ladder/4", "mazzo-ladder/0"), draw_probability=DRAWS
        )


@pytest.mark.parametrize(("bots", "sides"), [(4, 2), (12, 2), (24, 2), (9, 3), (12, 4)])
def test_nobody_waits_beyond_four_mean_intervals(bots: int, sides: int) -> None:
    """Even with others who join and are played first, and neighbours that are always in doubt."""
    names = [*make_names(bots), ("new", 1), ("newer", 1)]
    changes = [join(bots, 300), join(bots + 1, 330)]
    groups = play(make_ladder(names, sides=sides, changes=changes, confidence=0.99999), 900)
    latest: dict[int, int] = {}
    for group in groups:
        for entrant in group.table:
            since = latest.get(entrant, group.number if entrant >= bots else 0)
            assert group.number - since <= 4 * (bots + 2) / sides, (entrant, group.number)
            latest[entrant] = group.number
    played = [sum(entrant in group.table for group in groups) for entrant in range(bots)]
    assert min(played) >= sum(played) / bots / 2


def test_who_joins_is_played_first_while_its_predecessor_stays_and_then_rests() -> None:
    names = [*make_names(6), ("bot-03", 2)]
    groups = play(make_ladder(names, changes=[join(6, 400)], confidence=0.99999), 900)
    new = [group.number for group in groups if 6 in group.table]
    old = [group.number for group in groups if 3 in group.table]
    assert new[0] == next(group.number for group in groups if group.number >= 400)
    assert new[29] < 400 + 30 * 2  # at least every other group is its own
    assert any(400 <= number < new[29] for number in old)
    assert all(number < new[29] + 8 for number in old)  # to the end of the batch


def test_a_version_that_was_replaced_before_it_was_known_rests() -> None:
    """Of each bot the newest version plays, and the newest that is known well enough."""
    names = [*make_names(4), ("bot-01", 2), ("bot-01", 3)]
    changes = [join(4, 200), join(5, 210)]
    groups = play(make_ladder(names, changes=changes, confidence=0.99999), 400)
    replaced = [group.number for group in groups if 4 in group.table]
    assert replaced
    assert max(replaced) < 220
    assert any(1 in group.table and group.number > 220 for group in groups)


def test_who_left_may_come_back() -> None:
    changes = [leave(0, 100), join(0, 200)]
    groups = play(make_ladder(make_names(5), changes=changes, confidence=0.99999), 300)
    begin = [group.number for group in groups if 0 in group.table]
    assert not any(108 <= number < 200 for number in begin)
    assert any(number < 100 for number in begin)
    assert any(number >= 200 for number in begin)


def test_a_settled_ladder_rests_until_somebody_joins() -> None:
    """All are known by 30 groups and the order is sure; the groups so far stay as they were."""
    groups = play(make_ladder(make_names(4), confidence=0.95), 10_000, edge=6.0)
    assert 60 <= len(groups) < 200
    played = [sum(entrant in group.table for group in groups) for entrant in range(4)]
    assert min(played) >= ENOUGH
    names = [*make_names(4), ("new", 1)]
    changes = [join(4, len(groups))]
    later = play(make_ladder(names, confidence=0.95, changes=changes), 10_000, edge=6.0)
    assert later[: len(groups)] == groups
    assert len(later) > len(groups)
    assert 4 in later[len(groups)].table


def test_bots_that_play_alike_do_not_keep_a_ladder_busy_for_ever() -> None:
    """It stays in doubt who is better, but it is known that neither is much better."""
    ladder = make_ladder(make_names(2), confidence=0.9)
    groups = play(ladder, 10_000, seed=LEVEL_SEED, edge=0.0)
    assert len(groups) < 1_200
    state = rate_all(ladder, groups, LEVEL_SEED, edge=0.0)
    first, second = map(state.find_rating, range(2))
    assert 0.1 < compute_lead(first, second) < 0.9
    assert is_level_with(first, second, confidence=0.9)


@pytest.mark.parametrize(
    ("lead", "sigma", "is_level"),
    [
        (0.0, 0.31, True),
        (0.0, 0.33, False),
        (0.5, 0.1, True),
        (0.5, 0.15, False),
        (1.0, 0.1, False),
    ],
)
def test_level_is_who_would_not_win_more_than_55_of_100_groups(
    lead: float, sigma: float, is_level: bool
) -> None:
    """That is a lead of 0.74, by Φ(0.74 / √2β) = 0.55."""
    one, other = Rating(mu=25 + lead, sigma=sigma), Rating(mu=25.0, sigma=sigma)
    assert is_level_with(one, other, confidence=0.9) == is_level
    assert is_level_with(other, one, confidence=0.9) == is_level


@pytest.mark.parametrize(("spread", "rests"), [(1.0, False), (0.2, True)])
def test_the_order_that_must_be_sure_is_the_one_that_is_shown(spread: float, rests: bool) -> None:
    """The second is surely better; with the larger σ its rating is the lower one all the same."""
    inherited = {0: Rating(mu=25.0, sigma=0.2), 1: Rating(mu=27.0, sigma=spread)}
    ladder = make_ladder(make_names(2), confidence=0.9, inherited=inherited)
    state = ladder.begin()
    state.played.update({0: ENOUGH, 1: ENOUGH})
    assert (ladder.make_batch(state) == ()) == rests


@pytest.mark.parametrize("seed", range(12))
def test_a_ladder_rests_only_where_the_newest_results_say_so_too(seed: int) -> None:
    """By those that decide the next batch alone, it would rest while two are in doubt again."""
    ladder = make_ladder(make_names(3), confidence=0.9)
    groups = play(ladder, 10_000, seed=seed, edge=1.5)
    state = rate_all(ladder, groups, seed, edge=1.5)
    ratings = sorted(map(state.find_rating, range(3)), key=lambda rating: rating.conservative)
    for lower, upper in pairwise(ratings):
        lead = NormalDist(upper.mu - lower.mu, hypot(upper.sigma, lower.sigma))
        assert 1 - lead.cdf(0) >= 0.9 or is_level_with(upper, lower, confidence=0.9)


@pytest.mark.parametrize(("planned", "next_pair"), [((0, 1), (2, 3)), ((2, 3), (0, 1))])
def test_what_a_batch_that_is_being_played_will_tell_is_counted_on(
    planned: tuple[int, int], next_pair: tuple[int, int]
) -> None:
    """Else batch after batch would go to the same pair, before a result is known."""
    state = LadderState(draw_probability=DRAWS)
    tables = list(combinations(range(4), 2)) * 10
    state.add_batch(tables)
    for _ in tables:
        state.add_result(None)
    assert state.take_batch()
    state.add_batch([planned])
    bots = {entrant: str(entrant) for entrant in range(4)}
    assert [one.table for one in choose_tables(state, bots, sides=2, count=1)] == [next_pair]


def test_a_season_has_an_end() -> None:
    assert len(play(make_ladder(make_names(4), most_groups=101), 1000, edge=0.0)) == 101


def test_too_few_to_play_do_not_play() -> None:
    assert play(make_ladder(make_names(3), sides=3, changes=[leave(0, 0)]), 100) == []


@pytest.mark.parametrize("sides", [2, 3])
def test_two_versions_of_a_bot_meet_neither_each_other_nor_the_same_deals(sides: int) -> None:
    """One could lose to the other on purpose, and know from it what is in the deals."""
    names = [*make_names(3), ("bot-01", 2), ("bot-01", 3)]
    changes = [join(3, 40), join(4, 120)]
    groups = play(make_ladder(names, sides=sides, changes=changes, confidence=0.99999), 300)
    assert len({group.seed for group in groups}) == len(groups)
    assert all(len({1, 3, 4}.intersection(group.table)) < 2 for group in groups)
    assert all(any(one in group.table for group in groups) for one in (3, 4))

"""The standings: what counts, who is first, and that the order of finishing changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.model import Definition, Entrant, Mirror, PairingScheme, TimeControl
from mazzo_server.model.outcome import DealPlay, Fault, MatchOutcome, Owner, Termination
from mazzo_server.pairing import Group, RoundRobin, list_groups
from mazzo_server.results import read_standings
from mazzo_server.results.standings import Standings, rank_group
from mazzo_server.results.standings.values import Row
from mazzo_server.stats.trueskill import Ratings
from mazzo_server.storage import MemoryStore

NAMES = ("anna", "bruno", "carla", "dario", "emma")
SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "briscola/2": ((0,), (1,)),
    "briscola/3": ((0,), (1,), (2,)),
    "briscola/4": ((0, 2), (1, 3)),
    "frap/4": ((0,), (1,), (2,), (3,)),
}


def read_stored(
    definition: Definition,
    outcomes: Iterable[MatchOutcome],
    withdrawals: Mapping[int, str] = MappingProxyType({}),
) -> Standings:
    """The standings of a tournament with nothing else in its store."""
    store = MemoryStore()
    row = store.add_tournament(definition, concurrency=1, create_time=0.0)
    store.add_outcomes(row.id, list(outcomes))
    for entrant, reason in withdrawals.items():
        store.add_withdrawal(row.id, entrant, reason=reason)
    return read_standings(store, row)


class Tournament:
    """A definition and its whole schedule."""

    def __init__(self, variant: str, *, entrants: int, rounds: int = 1) -> None:
        self.sides = SHAPES[variant]
        bots = [Entrant(name=name, version=3, content_hash="0" * 64) for name in NAMES[:entrants]]
        self.definition = Definition(
            name="test",
            variant=variant,
            entrants=tuple(bots),
            match_format="deals:2",
            mirror=Mirror.ROTATIONS,
            groups=rounds,
            draws="seats",
            time=TimeControl(),
            isolation="none",
            seed=bytes(32),
            seed_chosen=True,
        )
        self.schedule = tuple(
            list_groups(
                RoundRobin(
                    variant=variant,
                    entrants=bots,
                    sides=len(self.sides),
                    groups_per_table=rounds,
                    mirror=Mirror.ROTATIONS,
                    seed=bytes(32),
                )
            )
        )

    def make_standings(
        self, outcomes: Sequence[MatchOutcome], withdrawals: dict[int, str] | None = None
    ) -> Standings:
        """What is read of a store in which matches and withdrawals were put in this order."""
        return read_stored(self.definition, outcomes, withdrawals or {})

    def match(
        self,
        group: Group,
        seating: int,
        *,
        scores: Mapping[int, Sequence[int]],
        match_scores: Mapping[int, int],
        forfeit: int | None = None,
        owner: Owner = Owner.BOT,
        settled: Sequence[Mapping[int, int]] = (),
    ) -> MatchOutcome:
        """A match with scores by entrant: deal by deal, and of the match.

        With a `forfeit` the last deal is forfeited, by the entrant's last seat; with two sides
        it is broken off. `settled` has what then counts by entrant, from that deal on.
        """
        seats = sum(map(len, self.sides))
        by_seat = [0] * seats
        for side, entrant in zip(self.sides, group.seatings[seating], strict=True):
            for seat in side:
                by_seat[seat] = entrant
        deals = len(next(iter(scores.values())))
        faults: tuple[Fault, ...] = ()
        if forfeit is not None:
            faults = (
                Fault(
                    seat=max(s for s, entrant in enumerate(by_seat) if entrant == forfeit),
                    termination=Termination.CRASHED,
                    owner=owner,
                    reason="exit status 1",
                    deal=deals - 1,
                    decision=5,
                ),
            )
        broken_off = deals - 1 if faults and len(self.sides) == 2 else None
        return MatchOutcome(
            group=group.number,
            seating=seating,
            entrants=tuple(by_seat),
            match_scores=tuple(Fraction(match_scores[entrant]) for entrant in by_seat),
            deals=tuple(
                DealPlay(
                    dealer=0,
                    actions=b"",
                    scores=()
                    if number == broken_off
                    else tuple(scores[entrant][number] for entrant in by_seat),
                    micros=(),
                    substituted=(),
                    forfeited=forfeit is not None and number == deals - 1,
                )
                for number in range(deals)
            ),
            faults=faults,
            late=tuple(int(entrant == 0) for entrant in by_seat),
            decisions=(20,) * seats,
            thinking_seconds=tuple(0.1 * (entrant + 1) for entrant in by_seat),
            counted=()
            if forfeit is None
            else (
                *(
                    tuple(scores[entrant][number] for entrant in by_seat)
                    for number in range(deals - 1)
                ),
                *(tuple(deal.get(entrant, 0) for entrant in by_seat) for deal in settled),
            ),
        )


@st.composite
def played(draw: st.DrawFn) -> tuple[Tournament, list[MatchOutcome]]:
    """A tournament with every match played, some with forfeits."""
    variant = draw(st.sampled_from(sorted(SHAPES)))
    sides = len(SHAPES[variant])
    entrants = draw(st.integers(sides, min(sides + 1, 5)))
    tournament = Tournament(variant, entrants=entrants, rounds=draw(st.integers(1, 3)))
    return tournament, [
        tournament.match(
            group,
            seating,
            scores={e: draw(st.tuples(*[st.integers(0, 120)] * 2)) for e in group.table},
            match_scores={e: draw(st.integers(0, 2)) for e in group.table},
            forfeit=draw(st.sampled_from((None, None, *group.table))),
            owner=draw(st.sampled_from(Owner)),
        )
        for group in tournament.schedule
        for seating in range(len(group.seatings))
    ]


@given(played(), st.randoms(use_true_random=False))
def test_the_order_of_finishing_changes_nothing(
    drawn: tuple[Tournament, list[MatchOutcome]], random: Random
) -> None:
    """Promise: the standings are the same, bit for bit, in whatever order matches finished."""
    tournament, outcomes = drawn
    shuffled = list(outcomes)
    random.shuffle(shuffled)
    assert repr(tournament.make_standings(shuffled)) == repr(tournament.make_standings(outcomes))


@given(played(), st.data())
def test_an_unfinished_group_does_not_count(
    drawn: tuple[Tournament, list[MatchOutcome]], data: st.DataObject
) -> None:
    """Promise: until every seating is finished nothing of a group is to be seen."""
    tournament, outcomes = drawn
    missing = data.draw(st.sampled_from(outcomes))
    without_match = [outcome for outcome in outcomes if outcome is not missing]
    without_group = [outcome for outcome in outcomes if outcome.group != missing.group]
    standings = tournament.make_standings(without_match)
    assert standings == tournament.make_standings(without_group)
    assert standings.counted == standings.groups - 1
    assert all(fault.group != missing.group for fault in standings.faults)


def alone(row: Row) -> Row:
    """The row without what it says of its neighbour."""
    return replace(
        row,
        rank=0,
        probability_better_than_next=None,
        scores_less_than_next=False,
        more_deals=None,
    )


@given(played(), st.data())
def test_a_withdrawn_entrant_leaves_no_trace(
    drawn: tuple[Tournament, list[MatchOutcome]], data: st.DataObject
) -> None:
    """Promise: all results of a withdrawn entrant are void, and it is named with the reason."""
    tournament, outcomes = drawn
    gone = data.draw(st.integers(0, len(tournament.definition.entrants) - 1))
    reason = "did not start: no main.py"
    standings = tournament.make_standings(outcomes, {gone: reason})
    others = [outcome for outcome in outcomes if gone not in outcome.entrants]
    plain = tournament.make_standings(others)
    name = NAMES[gone]
    assert [(entry.name, entry.reason) for entry in standings.withdrawn] == [(name, reason)]
    assert [alone(row) for row in standings.rows] == [
        alone(row) for row in plain.rows if row.name != name
    ]
    assert standings.pairs == tuple(p for p in plain.pairs if name not in (p.name, p.opponent))
    assert standings.faults == plain.faults
    assert standings.void == sum(gone in group.table for group in tournament.schedule)
    assert standings.counted + standings.void == standings.groups


@given(played())
def test_a_forfeiter_is_last(drawn: tuple[Tournament, list[MatchOutcome]]) -> None:
    """Promise: who forfeited a match is behind all who did not, in the whole group."""
    tournament, outcomes = drawn
    for group in tournament.schedule:
        matches = [outcome for outcome in outcomes if outcome.group == group.number]
        ranks = rank_group(group, matches, sides=tournament.sides)
        forfeiters = {
            match.entrants[fault.seat]
            for match in matches
            for fault in match.faults
            if fault.owner is not Owner.PLATFORM
        }
        assert ranks.keys() == set(group.table)
        assert min(ranks.values()) == 0
        for entrant in forfeiters:
            assert all(ranks[other] < ranks[entrant] for other in ranks.keys() - forfeiters)


@given(played())
def test_the_books_balance(drawn: tuple[Tournament, list[MatchOutcome]]) -> None:
    """Promise: rows and pairs count the same groups, and what one wins the other loses."""
    tournament, outcomes = drawn
    standings = tournament.make_standings(outcomes)
    pairs = {(pair.name, pair.opponent): pair for pair in standings.pairs}
    assert len(pairs) == len(standings.rows) * (len(standings.rows) - 1)
    for row in standings.rows:
        assert row.wins + row.draws + row.losses == row.groups
        assert row.deals == row.score_per_deal.deals
        assert row.rating == row.mu - 3 * row.sigma
        met = sum(p.wins + p.draws + p.losses for p in standings.pairs if p.name == row.name)
        assert met == row.groups * (len(tournament.sides) - 1)
    for (a, b), pair in pairs.items():
        back = pairs[b, a]
        assert (pair.wins, pair.draws, pair.losses) == (back.losses, back.draws, back.wins)
        assert pair.deals == back.deals
    assert [row.rating for row in standings.rows] == sorted(
        (row.rating for row in standings.rows), reverse=True
    )
    places = [(fault.group, fault.seating, fault.seat) for fault in standings.faults]
    assert places == sorted(places)


@given(played())
def test_ratings_follow_the_schedule(drawn: tuple[Tournament, list[MatchOutcome]]) -> None:
    """Promise: TrueSkill rates the group results, in schedule order, with the draws as set."""
    tournament, outcomes = drawn
    ratings = Ratings(draw_probability=tournament.definition.draw_probability)
    for group in tournament.schedule:
        matches = [outcome for outcome in outcomes if outcome.group == group.number]
        ratings.rate(rank_group(group, matches, sides=tournament.sides))
    for row in tournament.make_standings(outcomes).rows:
        rating = ratings[NAMES.index(row.name)]
        assert (row.mu, row.sigma) == (rating.mu, rating.sigma)


def test_two_bots_by_hand() -> None:
    """Promise: every number of a small tournament is what a person gets on paper.

    Group 0: anna wins 61:59 and 70:50, and 40:80 and 65:55 in the other seating: match scores
    2 + 1 against 0 + 1. Group 1: all level, a draw. Two groups, each of 4 deals.
    """
    tournament = Tournament("briscola/2", entrants=2, rounds=2)
    first, second = tournament.schedule
    outcomes = [
        tournament.match(first, 0, scores={0: (61, 70), 1: (59, 50)}, match_scores={0: 2, 1: 0}),
        tournament.match(first, 1, scores={0: (40, 65), 1: (80, 55)}, match_scores={0: 1, 1: 1}),
        tournament.match(second, 0, scores={0: (60, 60), 1: (60, 60)}, match_scores={0: 1, 1: 1}),
        tournament.match(second, 1, scores={0: (60, 60), 1: (60, 60)}, match_scores={0: 1, 1: 1}),
    ]
    standings = tournament.make_standings(outcomes)
    anna, bruno = standings.rows
    assert (standings.groups, standings.counted, standings.void) == (2, 2, 0)
    assert (anna.rank, anna.name, anna.version) == (1, "anna", 3)
    assert (anna.groups, anna.wins, anna.draws, anna.losses) == (2, 1, 1, 0)
    assert (bruno.rank, bruno.wins, bruno.draws, bruno.losses) == (2, 0, 1, 1)
    assert (anna.match_points, bruno.match_points) == (5.0, 3.0)
    assert (anna.deals, anna.score_per_deal.mean) == (8, 59.5)
    assert bruno.score_per_deal.mean == 60.5
    assert (anna.late, bruno.late) == (4, 0)
    assert (anna.decisions, bruno.decisions) == (80, 80)
    assert anna.seconds_per_decision == pytest.approx(0.1 / 20)
    assert anna.probability_better_than_next == pytest.approx(0.25)  # t = −1, Cauchy
    assert bruno.probability_better_than_next is None
    assert anna.more_deals == 36  # 9 groups: with 11 the margin is 0.95, with 10 it is 1.01
    assert bruno.more_deals is None
    assert [(p.name, p.wins, p.draws, p.losses, p.deals) for p in standings.pairs] == [
        ("anna", 1, 1, 0, 8),
        ("bruno", 0, 1, 1, 8),
    ]
    assert standings.faults == ()
    assert standings.withdrawn == ()


def test_equal_match_scores_are_separated_by_deal_scores() -> None:
    """Promise: a group's result is by match scores, then deal scores, then it is a tie."""
    tournament = Tournament("briscola/3", entrants=3)
    (group,) = tournament.schedule
    level = dict.fromkeys(group.table, 1)
    matches = [
        tournament.match(
            group, k, scores={0: (50, 0), 1: (20, 30), 2: (60, 20)}, match_scores=level
        )
        for k in range(3)
    ]
    assert rank_group(group, matches, sides=tournament.sides) == {0: 1, 1: 1, 2: 0}


def test_a_team_scores_once() -> None:
    """Promise: an entrant is the whole team: points count once, time and decisions add up."""
    tournament = Tournament("briscola/4", entrants=2)
    (group,) = tournament.schedule
    scores = {0: (70, 65), 1: (50, 55)}
    standings = tournament.make_standings(
        [
            tournament.match(
                group,
                k,
                scores=scores,
                match_scores={0: 2, 1: 0},
                forfeit=1 if k else None,
                settled=[{0: 64}, {0: 66}],
            )
            for k in range(2)
        ]
    )
    anna, bruno = standings.rows
    assert (anna.name, anna.match_points, bruno.match_points) == ("anna", 4.0, 0.0)
    assert (anna.deals, anna.forfeited_deals, anna.decisions, anna.late) == (5, 2, 80, 4)
    assert anna.score_per_deal.mean == pytest.approx((70 + 65 + 70 + 64 + 66) / 5)
    assert bruno.score_per_deal.mean == pytest.approx((50 + 55 + 50) / 5)
    assert anna.seconds_per_decision == pytest.approx(0.1 / 20)
    assert (anna.faults, bruno.faults, bruno.forfeited_deals) == (0, 1, 2)
    (fault,) = standings.faults
    assert (fault.name, fault.group, fault.seating) == ("bruno", 0, 1)
    assert (fault.seat, fault.termination) == (max_seat(group, 1), Termination.CRASHED)


def max_seat(group: Group, seating: int) -> int:
    """The last seat of bruno's team, 2 or 3."""
    return 2 + group.seatings[seating].index(1)


@pytest.mark.parametrize(
    ("forfeits", "expected"),
    [
        ((0, None), {0: 1, 1: 0}),
        ((0, 0), {0: 1, 1: 0}),
        ((0, 1), {0: 0, 1: 0}),
        ((1, 0), {0: 0, 1: 0}),
    ],
)
def test_forfeits_of_two_sides(
    forfeits: tuple[int | None, int | None], expected: dict[int, int]
) -> None:
    """Promise: one forfeit loses the group, whatever the scores; one each is a tie."""
    tournament = Tournament("briscola/2", entrants=2)
    (group,) = tournament.schedule
    matches = [
        tournament.match(
            group,
            k,
            scores={0: (100, 100), 1: (20, 20)},
            match_scores={0: 2, 1: 0},
            forfeit=forfeit,
            owner=Owner.NETWORK,
        )
        for k, forfeit in enumerate(forfeits)
    ]
    assert rank_group(group, matches, sides=tournament.sides) == expected


def test_fewer_forfeits_of_two_sides_win() -> None:
    """Promise: where both forfeited, the side that did so more often loses."""
    tournament = Tournament("briscola/2", entrants=2)
    (group,) = tournament.schedule
    both, one = (
        tournament.match(
            group,
            k,
            scores={0: (100,), 1: (20,)},
            match_scores={0: 2, 1: 0},
            forfeit=0,
        )
        for k in range(2)
    )
    (fault,) = both.faults
    both = replace(both, faults=(fault, replace(fault, seat=1 - fault.seat)))
    assert rank_group(group, [both, one], sides=tournament.sides) == {0: 1, 1: 0}


def test_a_substitute_wins_nothing_for_a_forfeiter() -> None:
    """Promise: with more than two sides a forfeiter never has more than the worst score."""
    tournament = Tournament("briscola/3", entrants=3)
    (group,) = tournament.schedule
    points = {0: 2, 1: 1, 2: 0}
    standings = tournament.make_standings(
        [
            tournament.match(
                group,
                k,
                scores={0: (90,), 1: (20,), 2: (10,)},
                match_scores=points,
                forfeit=0 if k == 0 else None,
            )
            for k in range(3)
        ]
    )
    assert [(row.name, row.match_points) for row in standings.rows] == [
        ("bruno", 3.0),
        ("carla", 0.0),
        ("anna", 0.0),
    ]
    assert [row.losses for row in standings.rows] == [0, 1, 1]


def test_a_platform_fault_is_nobodys_forfeit() -> None:
    """Promise: what the platform did is held against no bot."""
    tournament = Tournament("briscola/2", entrants=2)
    (group,) = tournament.schedule
    standings = tournament.make_standings(
        [
            tournament.match(
                group,
                k,
                scores={0: (70,), 1: (50,)},
                match_scores={0: 1, 1: 0},
                forfeit=0,
                owner=Owner.PLATFORM,
            )
            for k in range(2)
        ]
    )
    assert (standings.rows[0].name, standings.rows[0].wins, standings.rows[0].faults) == (
        "anna",
        1,
        0,
    )


def test_before_the_first_match_all_are_level() -> None:
    """Promise: an empty tournament has standings: all first, by name, and no made-up number."""
    standings = Tournament("briscola/2", entrants=3).make_standings([])
    assert [(row.rank, row.name) for row in standings.rows] == [
        (1, "anna"),
        (1, "bruno"),
        (1, "carla"),
    ]
    assert all(row.score_per_deal.mean is None for row in standings.rows)
    assert all(row.seconds_per_decision is None for row in standings.rows)
    assert all(pair.score_per_deal.mean is None for pair in standings.pairs)
    assert (standings.groups, standings.counted) == (3, 0)


def test_the_rank_after_equals_is_left_out() -> None:
    """Promise: two who share the first rank are followed by the third."""
    tournament = Tournament("frap/4", entrants=4)
    (group,) = tournament.schedule
    outcomes = [
        tournament.match(
            group,
            k,
            scores=dict.fromkeys(group.table, (30,)),
            match_scores=dict.fromkeys(group.table, 1),
        )
        for k in range(4)
    ]
    rows = tournament.make_standings(outcomes, withdrawals={3: "gone"}).rows
    assert [row.rank for row in rows] == [1, 1, 1]
    pair = Tournament("briscola/2", entrants=4)
    played = next(group for group in pair.schedule if group.table == (0, 1))
    lost = [
        pair.match(played, k, scores={0: (70,), 1: (50,)}, match_scores={0: 1, 1: 0})
        for k in range(2)
    ]
    assert [(row.name, row.rank) for row in pair.make_standings(lost).rows] == [
        ("anna", 1),
        ("carla", 2),
        ("dario", 2),
        ("bruno", 4),
    ]


@pytest.mark.parametrize(("confidence", "separated"), [(None, None), (0.9, True), (0.99, False)])
def test_rows_played_until_separated_are_by_score_and_say_what_is_certain(
    confidence: float | None, separated: bool | None
) -> None:
    """Promise: a row is separated from the next where P>next reaches the level of all looks.

    Anna wins three groups in four by a little, bruno the others by much: she is first by
    rating, and he by score per deal. One look and two entrants share 1 − P in two: P>next is
    between 0.95 and 0.995.
    """
    tournament = Tournament("briscola/2", entrants=2, rounds=24)
    tournament.definition = replace(tournament.definition, until_separated=confidence, groups=24)
    outcomes = [
        tournament.match(
            group,
            seating,
            scores={0: (ours,), 1: (120 - ours,)},
            match_scores={0: int(ours > 60), 1: int(ours < 60)},
        )
        for group in tournament.schedule
        for seating, ours in enumerate((30, 30) if group.number % 4 == 3 else (62, 62))
    ]
    upper, lower = tournament.make_standings(outcomes).rows
    assert (upper.name, lower.name) == (
        ("anna", "bruno") if confidence is None else ("bruno", "anna")
    )
    if confidence is not None:
        assert upper.probability_better_than_next is not None
        assert 0.95 < upper.probability_better_than_next < 0.995
    assert (upper.separated, lower.separated) == (separated, None)


def contradicting_matches(tournament: Tournament) -> list[MatchOutcome]:
    """Anna wins every group by a little, but the last one, which she loses by a lot."""
    last = tournament.schedule[-1]
    return [
        tournament.match(
            group,
            k,
            scores={0: (0, 0), 1: (120, 120)} if group is last else {0: (61, 61), 1: (59, 59)},
            match_scores={0: 0, 1: 2} if group is last else {0: 2, 1: 0},
        )
        for group in tournament.schedule
        for k in range(2)
    ]


def test_a_rating_that_contradicts_the_scores_is_named() -> None:
    """B.9: where the rating puts a row before one that probably scores more, the row says so."""
    tournament = Tournament("briscola/2", entrants=2, rounds=6)
    matches = contradicting_matches(tournament)
    first, second = tournament.make_standings(matches).rows
    assert (first.name, second.name) == ("anna", "bruno")
    assert first.probability_better_than_next is not None
    assert first.probability_better_than_next < 0.5
    assert first.scores_less_than_next
    assert not second.scores_less_than_next


def test_a_gauntlet_is_in_the_order_of_the_scores() -> None:
    """B.9: all of its deals are against the hero, so they compare the others."""
    tournament = Tournament("briscola/2", entrants=2, rounds=6)
    matches = contradicting_matches(tournament)
    tournament.definition = replace(
        tournament.definition, pairing=PairingScheme.GAUNTLET, hero="anna"
    )
    first, second = tournament.make_standings(matches).rows
    assert (first.name, second.name) == ("bruno", "anna")
    assert first.rating < second.rating
    assert not first.scores_less_than_next

"""What lies behind the standings: who met whom, how scores are spread, how the order came about."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

from hypothesis import given

from bench.simulated import Field, definition, play
from mazzo_server.model import Owner, PairingScheme
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results import keep_standings
from mazzo_server.results.checkpoints import read_standings_with_course
from mazzo_server.results.standings import Course, Fold
from mazzo_server.results.standings.moments import MOST_MOMENTS, Moments
from mazzo_server.stats import Histogram
from mazzo_server.storage import MemoryStore, TournamentStatus
from results.standings.test_fold import finished
from results.standings.test_standings import Tournament, played


def fold_all(tournament: Tournament, outcomes: list[MatchOutcome]) -> Fold:
    fold = Fold(tournament.definition, tournament.sides)
    for group, matches in zip(tournament.schedule, finished(tournament, outcomes), strict=True):
        fold.add(group, matches)
    return fold


def count_between(found: Histogram, value: Fraction) -> int:
    """The number of values in the bin of this one."""
    for one in found.list_bins():
        if one.low == one.high == value or one.low < value < one.high:
            return one.count
        if value and value == (one.high if value > 0 else one.low):
            return one.count
    return 0


@given(played())
def test_the_leads_are_those_of_the_groups_where_both_met(
    drawn: tuple[Tournament, list[MatchOutcome]],
) -> None:
    """Law: a group with a counted deal is in the histogram once, where its lead belongs.

    Forfeits and late decisions are those of the matches in which both played.
    """
    tournament, outcomes = drawn
    course = fold_all(tournament, outcomes).make_course()
    names = [entrant.name for entrant in tournament.definition.entrants]
    firsts = [side[0] for side in tournament.sides]
    for a, b in permutations(range(len(names)), 2):
        leads: list[Fraction] = []
        late = forfeits = 0
        for group, matches in zip(tournament.schedule, finished(tournament, outcomes), strict=True):
            if not {a, b} <= set(group.table):
                continue
            points = deals = 0
            for match in matches:
                seat_a, seat_b = (
                    next(seat for seat in firsts if match.entrants[seat] == one) for one in (a, b)
                )
                for scores in match.counted_scores:
                    points += scores[seat_a] - scores[seat_b]
                    deals += 1
                own = [seat for seat, one in enumerate(match.entrants) if one == a]
                late += sum(match.late[seat] for seat in own)
                forfeits += any(
                    fault.seat in own and fault.owner is not Owner.PLATFORM
                    for fault in match.faults
                )
            if deals:
                leads.append(Fraction(points, deals))
        met = course.find_head_to_head(names[a], names[b])
        assert met is not None
        assert (met.late, met.forfeits) == (late, forfeits)
        assert met.leads.total == len(leads)
        assert all(count_between(met.leads, lead) for lead in leads)
        other = course.find_head_to_head(names[b], names[a])
        assert other == met.reverse()


@given(played())
def test_the_scores_are_those_of_the_deals_that_count(
    drawn: tuple[Tournament, list[MatchOutcome]],
) -> None:
    """Law: as many as the standings have deals, and each in its bin."""
    tournament, outcomes = drawn
    fold = fold_all(tournament, outcomes)
    course = fold.make_course()
    for row in fold.make_standings(groups=len(tournament.schedule)).rows:
        found = course.scores.get(row.name)
        assert (found.total if found else 0) == row.deals
    for match in outcomes:
        for scores in match.counted_scores:
            for side in tournament.sides:
                name = tournament.definition.entrants[match.entrants[side[0]]].name
                assert count_between(course.scores[name], Fraction(scores[side[0]]))


def test_moments_are_few_and_the_last_is_now() -> None:
    """Promise: however long the tournament is, its course is as short, and ends at its end."""
    field = Field(skills=(2.0, 1.0, 0.0), seed=3)
    for groups in (1, 16, 17, 100):
        tournament = definition(field, groups=groups)
        fold = Fold(tournament, field.sides)
        for group in list_groups(make_pairing(tournament)):
            fold.add(group, play(field, group))
        course = fold.make_course()
        numbers = [moment.groups for moment in course.moments]
        assert numbers == sorted(set(numbers))
        assert numbers[-1] == 3 * groups
        assert len(numbers) >= min(3 * groups, MOST_MOMENTS // 2)
        assert len(numbers) <= MOST_MOMENTS + 1
        rows = fold.make_standings(groups=3 * groups).rows
        last = course.moments[-1].values
        assert course.has_ratings
        assert {name: round(value, 3) for name, value in last.items()} == {
            row.name: round(row.rating, 3) for row in rows
        }


def test_who_has_not_played_is_in_no_moment() -> None:
    """Promise: an entrant that joins later looks the same, whenever the sums are made anew."""
    tournament = Tournament("briscola/2", entrants=3)
    first = tournament.schedule[0]
    fold = Fold(tournament.definition, tournament.sides)
    level = dict.fromkeys(first.table, (60, 60))
    ones = dict.fromkeys(first.table, 1)
    fold.add(first, [tournament.match(first, k, scores=level, match_scores=ones) for k in range(2)])
    (moment,) = fold.make_course().moments
    names = {tournament.definition.entrants[index].name for index in first.table}
    assert set(moment.values) == names


def test_where_scores_order_the_rows_the_moments_have_scores() -> None:
    """Promise: what a chart shows is what the rows are sorted by."""
    field = Field(skills=(2.0, 1.0, 0.0), seed=3)
    plain = definition(field, groups=5)
    gauntlet = replace(plain, pairing=PairingScheme.GAUNTLET, hero=plain.entrants[0].name)
    fold = Fold(gauntlet, field.sides)
    groups = list(list_groups(make_pairing(gauntlet)))
    for group in groups:
        fold.add(group, play(field, group))
    course = fold.make_course()
    assert not course.has_ratings
    rows = {row.name: row for row in fold.make_standings(groups=len(groups)).rows}
    for name, value in course.moments[-1].values.items():
        mean = rows[name].score_per_deal.mean
        assert mean is not None
        assert round(mean, 3) == round(value, 3)


def test_moments_go_on_wherever_they_were_written() -> None:
    """Law: what is kept follows from the number of groups alone."""
    whole, broken = Moments(), Moments()
    for groups in range(1, 400):
        for one in (whole, broken):
            one.add(groups, lambda groups=groups: {0: groups / 3, 2: 1.0})  # type: ignore[misc]
        if groups % 37 == 0:
            broken = Moments.from_json(broken.to_json())
        assert broken.to_json() == whole.to_json()


def read(store: MemoryStore, number: int) -> Course:
    return read_standings_with_course(store, store.tournament(number))[1]


def test_standings_kept_on_the_way_have_the_course_of_those_made_at_once() -> None:
    """Promise: a platform that was killed and started anew shows the same."""
    field = Field(skills=(2.0, 1.0, 0.0), seed=5)
    tournament = definition(field, groups=40)
    matches = [
        match for group in list_groups(make_pairing(tournament)) for match in play(field, group)
    ]
    stores = [MemoryStore(), MemoryStore()]
    for store in stores:
        store.add_tournament(tournament, concurrency=1, create_time=0.0)
    for start in range(0, len(matches), 7):  # in the middle of groups, too
        stores[0].add_outcomes(1, matches[start : start + 7])
        keep_standings(stores[0], 1)
    stores[1].add_outcomes(1, matches)
    for store in stores:
        store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
    assert stores[0].checkpoint(1) is not None
    assert stores[1].checkpoint(1) is None
    assert read(stores[0], 1) == read(stores[1], 1)

"""The fold of the standings: it can be kept at any place, and stays small and fast."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.simulated import Field, definition, play
from mazzo_server.model import Change, Entrant
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import Group, list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results.standings import Fold, rank_group
from mazzo_server.results.standings.fault_sums import MOST_FAULTS
from results.standings.test_standings import Tournament, played, read_stored


def finished(tournament: Tournament, outcomes: list[MatchOutcome]) -> list[list[MatchOutcome]]:
    """The matches by group of the schedule."""
    return [
        [outcome for outcome in outcomes if outcome.group == group.number]
        for group in tournament.schedule
    ]


@given(played(), st.data())
def test_a_fold_that_was_written_and_read_goes_on_to_the_same_bits(
    drawn: tuple[Tournament, list[MatchOutcome]], data: st.DataObject
) -> None:
    """Promise: wherever it is broken off, what comes out is what came out in one go."""
    tournament, outcomes = drawn
    gone = data.draw(st.sampled_from(({}, {0: "did not start"})))
    arguments = (tournament.definition, tournament.sides, gone)
    whole, broken = Fold(*arguments), Fold(*arguments)
    for group, matches in zip(tournament.schedule, finished(tournament, outcomes), strict=True):
        if data.draw(st.booleans()):
            read = Fold.from_json(broken.to_json(), *arguments)
            assert read is not None
            broken = read
        assert whole.add(group, matches) == broken.add(group, matches)
    total = len(tournament.schedule)
    assert whole.to_json() == broken.to_json()
    standings = whole.make_standings(groups=total)
    assert standings == broken.make_standings(groups=total)
    assert whole.make_course() == broken.make_course()
    assert standings.counted + standings.void == total
    assert standings == tournament.make_standings(outcomes, gone)


@given(played())
def test_the_results_of_groups_are_those_of_the_standings(
    drawn: tuple[Tournament, list[MatchOutcome]],
) -> None:
    """Promise: what an adaptive pairing gets to see adds up to what the standings say."""
    tournament, outcomes = drawn
    fold = Fold(tournament.definition, tournament.sides)
    scores = dict.fromkeys(range(len(tournament.definition.entrants)), 0)
    for group, matches in zip(tournament.schedule, finished(tournament, outcomes), strict=True):
        result = fold.add(group, matches)
        assert result.table == group.table
        assert result.ranks == rank_group(group, matches, sides=tournament.sides)
        for entrant, cluster in result.scores.items():
            scores[entrant] += cluster.score
    standings = fold.make_standings(groups=len(tournament.schedule))
    names = [entrant.name for entrant in tournament.definition.entrants]
    for row in standings.rows:
        if len(tournament.definition.entrants) == 2 and row.score_per_deal.mean is not None:
            total = row.score_per_deal.mean * row.deals
            assert total == pytest.approx(scores[names.index(row.name)])


def test_a_void_group_is_counted_and_nothing_else() -> None:
    """Promise: None, or a withdrawn entrant at the table, makes a group void."""
    tournament = Tournament("briscola/2", entrants=3)
    fold = Fold(tournament.definition, tournament.sides, {2: "did not start"})
    results = [fold.add(group, None) for group in tournament.schedule]
    assert all(result.ranks is None and result.scores == {} for result in results)
    standings = fold.make_standings(groups=3)
    assert (standings.counted, standings.void) == (0, 3)
    assert all(row.groups == 0 for row in standings.rows)


def test_a_text_of_other_withdrawals_is_none() -> None:
    """Promise: a fold is not gone on with where results have become void since."""
    tournament = Tournament("briscola/2", entrants=3)
    text = Fold(tournament.definition, tournament.sides).to_json()
    assert Fold.from_json(text, tournament.definition, tournament.sides) is not None
    assert Fold.from_json(text, tournament.definition, tournament.sides, {1: "gone"}) is None
    other = text.replace("mazzo-standings/6", "mazzo-standings/5")
    assert Fold.from_json(other, tournament.definition, tournament.sides) is None


def test_who_joins_later_and_who_retires() -> None:
    """Promise: a fold goes on when an entrant has joined; a retired one stays, marked as such."""
    tournament = Tournament("briscola/2", entrants=2)
    (group,) = tournament.schedule
    fold = Fold(tournament.definition, tournament.sides)
    level = {0: (60, 60), 1: (60, 60)}
    fold.add(
        group,
        [tournament.match(group, k, scores=level, match_scores={0: 1, 1: 1}) for k in range(2)],
    )
    joined = replace(
        tournament.definition,
        entrants=(
            *tournament.definition.entrants,
            Entrant(name="zeno", version=1, content_hash=""),
        ),
        changes=(
            Change(entrant=2, first_group=1, joins=True),
            Change(entrant=0, first_group=1, joins=False),
        ),
    )
    read = Fold.from_json(fold.to_json(), joined, tournament.sides)
    assert read is not None
    rows = {row.name: row for row in read.make_standings(groups=2).rows}
    assert {name: (row.retired, row.groups) for name, row in rows.items()} == {
        "anna": (True, 1),
        "bruno": (False, 1),
        "zeno": (False, 0),
    }


def test_faults_are_listed_up_to_a_thousand_and_counted_all() -> None:
    """Promise: a bot that always crashes does not make the standings large."""
    tournament = Tournament("briscola/2", entrants=2, rounds=600)
    fold = Fold(tournament.definition, tournament.sides)
    for group in tournament.schedule:
        fold.add(
            group,
            [
                tournament.match(
                    group,
                    k,
                    scores={0: (60,), 1: (60,)},
                    match_scores={0: 0, 1: 1},
                    forfeit=0,
                )
                for k in range(2)
            ],
        )
    standings = fold.make_standings(groups=600)
    assert (len(standings.faults), standings.faults_total) == (MOST_FAULTS, 1200)
    (kind,) = standings.fault_kinds
    assert (kind.matches, kind.first) == (1200, standings.faults[0])
    assert [fault.group for fault in standings.faults] == [n // 2 for n in range(MOST_FAULTS)]


def simulated(groups: int) -> tuple[Fold, float]:
    """A fold of groups among 16 entrants, and the seconds that it took for each."""
    field = Field(skills=tuple(range(16)), seed=4)
    tournament = definition(field, groups=-(-groups // 120))
    fold = Fold(tournament, field.sides)
    seconds = 0.0
    schedule: list[Group] = list(islice(list_groups(make_pairing(tournament)), groups))
    for group in schedule:
        matches = play(field, group)
        start = time.process_time()
        fold.add(group, matches)
        seconds += time.process_time() - start
    return fold, seconds / groups


def test_the_text_stays_small() -> None:
    """Promise: what is kept grows with the digits of the sums and with few bins: 30 kB for 16."""
    few, many = simulated(240)[0], simulated(1200)[0]
    assert len(few.to_json()) < len(many.to_json()) < 1.3 * len(few.to_json()) < 30_000


@pytest.mark.prove
@pytest.mark.timing  # one run: its bar is a minute, and a sum over all groups
def test_a_quarter_of_a_million_groups() -> None:
    """Bar 5: a long tournament is taken in under a minute, and its text has under 100 kB."""
    fold, seconds = simulated(250_000)
    assert 250_000 * seconds < 60
    assert len(fold.to_json()) < 100_000


def test_the_crosstable_is_about_deals_with_both() -> None:
    """Promise: what two scored against a third changes nothing of what is said of the two."""
    field = Field(skills=(3.0, 1.0, 0.0), seed=9)
    tournament = definition(field, groups=4)
    whole, alone = Fold(tournament, field.sides), Fold(tournament, field.sides)
    for group in list_groups(make_pairing(tournament)):
        whole.add(group, play(field, group))
        if group.table == (0, 1):
            alone.add(group, play(field, group))
    found = [
        {(pair.name, pair.opponent): pair for pair in fold.make_standings(groups=12).pairs}
        for fold in (whole, alone)
    ]
    for names in (("bot-00", "bot-01"), ("bot-01", "bot-00")):
        assert found[0][names] == found[1][names]
        assert found[0][names].probability_better is not None
    assert found[1]["bot-00", "bot-02"].probability_better is None


def test_what_is_read_is_the_fold_over_what_is_finished() -> None:
    """Promise: groups that are not complete are left out, in whatever order matches come."""
    field = Field(skills=(1.0, 0.0, -1.0), seed=8)
    tournament = definition(field, groups=3)
    schedule = list(list_groups(make_pairing(tournament)))
    fold = Fold(tournament, field.sides)
    outcomes = []
    for group in schedule[:-1]:
        matches = play(field, group)
        fold.add(group, matches)
        outcomes += matches
    outcomes += play(field, schedule[-1])[:1]
    assert fold.make_standings(groups=9) == read_stored(tournament, reversed(outcomes))

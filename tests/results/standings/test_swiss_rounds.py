"""The standings of a Swiss tournament: points over its rounds, whatever is asked for when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from bench.simulated import Field, definition, play
from mazzo_server.model import Change, Definition, PairingScheme
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import Group, GroupResult, rank_swiss
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.pairing.swiss import Swiss
from mazzo_server.results.standings import Fold, Standings, judge_group

Played = tuple[Group, Sequence[MatchOutcome]]


def swiss(field: Field, *, rounds: int, groups: int, changes: Sequence[Change] = ()) -> Definition:
    plain = definition(field, groups=groups)
    return replace(plain, pairing=PairingScheme.SWISS, rounds=rounds, changes=tuple(changes))


def played(field: Field, tournament: Definition) -> tuple[list[Played], list[GroupResult]]:
    """Every group, played to its end, and its result."""
    pairing = make_pairing(tournament)
    found: list[Played] = []
    results: list[GroupResult] = []
    while groups := pairing.next(len(found), results):
        found += [(group, list(play(field, group))) for group in groups]
        results += [
            judge_group(group, matches, sides=field.sides)
            for group, matches in found[len(results) :]
        ]
    return found, results


def standings(
    field: Field,
    tournament: Definition,
    groups: Sequence[Played],
    withdrawn: Mapping[int, str] | None = None,
) -> Standings:
    fold = Fold(tournament, field.sides, withdrawn)
    for group, matches in groups:
        fold.add(group, matches)
    return fold.make_standings(groups=len(groups))


def points(found: Standings) -> dict[str, Fraction]:
    return {row.name: swiss.points for row, swiss in zip(found.rows, found.swiss, strict=True)}


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[Field, Definition]:
    seats = draw(st.integers(2, 4))
    number = draw(st.integers(seats + 1, 9))
    joins = draw(st.booleans())
    changes = [Change(entrant=number - 1, first_group=1, joins=True)] if joins else []
    if number - joins > seats + 1 and draw(st.booleans()):
        changes.append(Change(entrant=1, first_group=2, joins=False))
    field = Field(
        skills=tuple(map(float, range(number))), seats=seats, seed=draw(st.integers(0, 999))
    )
    rounds, groups = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    return field, swiss(field, rounds=rounds, groups=groups, changes=changes)


@given(tournaments(), st.data())
def test_the_standings_are_those_of_the_rounds(
    drawn: tuple[Field, Definition], data: st.DataObject
) -> None:
    """Promise: they follow from the pairing's rounds, and rank the rows; also when the fold was
    written and read in between."""
    field, tournament = drawn
    groups, results = played(field, tournament)
    pairing = make_pairing(tournament)
    assert isinstance(pairing, Swiss)
    entrants = range(len(field.skills))
    gone = data.draw(st.sets(st.sampled_from(entrants), max_size=2))
    reasons = dict.fromkeys(gone, "left")
    fold = Fold(tournament, field.sides, reasons)
    for group, matches in groups:
        if data.draw(st.booleans()):
            read = Fold.from_json(fold.to_json(), tournament, field.sides, reasons)
            assert read is not None
            fold = read
        fold.add(group, matches)
    found = fold.make_standings(groups=len(groups))
    wanted = rank_swiss(pairing.history(results), entrants, gone)
    assert sorted(found.swiss, key=lambda row: row.entrant) == sorted(
        wanted, key=lambda row: row.entrant
    )
    assert [row.rank for row in found.rows] == [row.rank for row in wanted]
    names = [tournament.entrants[row.entrant].name for row in found.swiss]
    assert [row.name for row in found.rows] == names


def test_the_rows_stand_in_order_of_points() -> None:
    """Promise: not of rating, which sees how strong the opponents were."""
    field = Field(skills=(9.0, 6.0, 3.0, 0.0, -3.0, -6.0, -9.0), seed=3)
    tournament = swiss(field, rounds=4, groups=1)
    found = standings(field, tournament, played(field, tournament)[0])
    every = [swiss.points for swiss in found.swiss]
    assert every == sorted(every, reverse=True)
    ratings = [row.rating for row in found.rows]
    assert ratings != sorted(ratings, reverse=True)
    assert sum(every) == 4 * 4  # a point a table, and one for the bye


def test_a_round_counts_when_it_is_over() -> None:
    """Promise: no points before, also where some of its groups are missing in between."""
    field = Field(skills=(3.0, 1.0, -1.0, -3.0), seed=1)
    tournament = swiss(field, rounds=2, groups=1)
    groups, _ = played(field, tournament)
    first = points(standings(field, tournament, groups[:2]))
    assert sum(first.values()) == 2
    for some in (groups[:3], [*groups[:2], groups[3]]):
        assert points(standings(field, tournament, some)) == first
    assert set(points(standings(field, tournament, groups[1:2])).values()) == {0}


def test_all_results_of_a_withdrawn_entrant_are_void() -> None:
    """Promise: whoever sat with it has a point for that round, however it ended."""
    field = Field(skills=(30.0, 0.0, 0.0, 0.0), seed=1)
    tournament = swiss(field, rounds=3, groups=1)
    groups, _ = played(field, tournament)
    before = standings(field, tournament, groups)
    after = standings(field, tournament, groups, {0: "does not start"})
    assert points(before)["bot-00"] == 3  # against each of the others
    assert before.swiss[0].byes == 0
    assert {row.name: swiss.byes for row, swiss in zip(after.rows, after.swiss, strict=True)} == {
        "bot-01": 1,
        "bot-02": 1,
        "bot-03": 1,
    }
    assert points(after) == {
        name: share + 1 for name, share in points(before).items() if name != "bot-00"
    }


def test_who_joins_later_has_nothing_for_the_rounds_before() -> None:
    """Promise: an empty place is no bye."""
    field = Field(skills=(0.0, 0.0, 0.0, 30.0), seed=1)
    late = Change(entrant=3, first_group=1, joins=True)
    tournament = swiss(field, rounds=2, groups=1, changes=[late])
    groups, _ = played(field, tournament)
    found = standings(field, tournament, groups)
    own = {swiss.entrant: swiss for swiss in found.swiss}
    assert own[3].points == 1
    assert own[3].byes == 0
    assert sum(swiss.byes for swiss in found.swiss) == 1


def test_other_tournaments_have_none() -> None:
    """Promise: the part is empty, and the rows go by rating."""
    field = Field(skills=(1.0, -1.0), seed=1)
    tournament = definition(field, groups=1)
    groups = [(group, list(play(field, group))) for group in make_pairing(tournament).next(0)]
    assert standings(field, tournament, groups).swiss == ()

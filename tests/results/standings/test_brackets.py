"""The bracket in the standings: the same however often they are kept, and whoever leaves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from mazzo_server.model import Definition, Mirror, PairingScheme
from mazzo_server.model.outcome import DealPlay, MatchOutcome
from mazzo_server.pairing import Group, GroupResult, make_elimination, rank_places
from mazzo_server.results.standings import Fold, Standings, judge_group
from support.brackets import define_bracket


def play_group(definition: Definition, group: Group, by: random.Random) -> list[MatchOutcome]:
    sides = definition.sides
    outcomes = []
    for seating in range(definition.seatings):
        entrants = group.by_seat(seating, sides)
        scores = [by.randrange(-5, 6) for _ in entrants[1:]]
        scores.append(-sum(scores))
        outcomes.append(
            MatchOutcome(
                group=group.number,
                seating=seating,
                entrants=entrants,
                match_scores=tuple(map(Fraction, scores)),
                deals=(
                    DealPlay(
                        dealer=0,
                        actions=b"",
                        scores=tuple(scores),
                        micros=(),
                        substituted=(),
                        forfeited=False,
                    ),
                ),
                faults=(),
                late=(0,) * len(entrants),
                decisions=(1,) * len(entrants),
                thinking_seconds=(0.0,) * len(entrants),
            )
        )
    return outcomes


def play(definition: Definition, seed: int) -> list[tuple[Group, list[MatchOutcome], GroupResult]]:
    by = random.Random(seed)
    found: list[tuple[Group, list[MatchOutcome], GroupResult]] = []
    pairing = make_elimination(definition)
    while batch := pairing.next(len(found), [result for *_, result in found]):
        for group in batch:
            matches = play_group(definition, group, by)
            found.append((group, matches, judge_group(group, matches, sides=definition.sides)))
    return found


@settings(max_examples=40)
@given(
    st.sampled_from(
        [(2, False), (2, True), (3, False), (4, False), (2, False, 1), (2, False, 2), (3, False, 1)]
    ),
    st.integers(4, 9),
    st.sampled_from([1, 12]),
    st.integers(),
    st.data(),
)
def test_a_kept_bracket_goes_on_to_the_same_bits(
    shape: tuple[int, bool, *tuple[int, ...]],
    number: int,
    groups: int,
    seed: int,
    data: st.DataObject,
) -> None:
    """Promise: wherever the standings are written and read, the bracket is that of the pairing."""
    scheme = PairingScheme.DOUBLE_ELIMINATION if shape[1] else PairingScheme.KNOCK_OUT
    pools = {"pools": shape[2], "qualify": shape[0]} if len(shape) > 2 else {}
    definition = define_bracket(number, shape[0], scheme=scheme, groups=groups, **pools)
    played = play(definition, seed)
    whole, broken = Fold(definition, definition.sides), Fold(definition, definition.sides)
    for group, matches, _ in played:
        if data.draw(st.integers(0, 5)) == 0:
            read = Fold.from_json(broken.to_json(), definition, definition.sides)
            assert read is not None
            broken = read
        assert whole.add(group, matches) == broken.add(group, matches)
    assert whole.to_json() == broken.to_json()
    standings = whole.make_standings(groups=len(played))
    assert standings == broken.make_standings(groups=len(played))
    bracket = make_elimination(definition).make_bracket([result for *_, result in played])
    assert bracket.is_over
    assert standings.is_bracket_over
    places = rank_places(bracket.rounds, definition.seeds)
    assert list_names(standings) == [definition.entrants[place].name for place in places]
    assert [row.rank for row in standings.rows] == list(range(1, number + 1))
    assert standings.bracket is not None
    assert len(standings.pools) == (definition.pools or 0)
    assert [[bout.reason for bout in bouts] for bouts in standings.bracket] == [
        [bout.reason for bout in bouts] for bouts in bracket.rounds[bool(pools) :]
    ]


def list_names(standings: Standings) -> Sequence[str]:
    return [row.name for row in standings.rows]


def test_before_the_first_group_the_seeds_are_shown() -> None:
    definition = define_bracket(5, seeds=(4, 3, 2, 1, 0))
    standings = Fold(definition, definition.sides).make_standings(groups=0)
    assert standings.bracket is not None
    assert [len(bout.entrants) for bout in standings.bracket[0]] == [1, 2, 1, 1]
    assert standings.bracket[0][0].entrants[0].name == definition.entrants[4].name
    assert not standings.is_bracket_over


def test_who_is_withdrawn_has_no_place() -> None:
    """Promise: though all its results are void, it stays in the bracket whom it has beaten."""
    definition = define_bracket(4, mirror=Mirror.OFF)
    played = play(definition, 5)
    bracket = make_elimination(definition).make_bracket([result for *_, result in played[:2]])
    gone = bracket.rounds[0][0].order[0]
    fold = Fold(definition, definition.sides, {gone: "did not start"})
    for group, matches, _ in played:
        fold.add(group, None if gone in group.table else matches)
    standings = fold.make_standings(groups=len(played))
    assert standings.bracket is not None
    first = standings.bracket[0][0]
    assert first.entrants[0].name == definition.entrants[gone].name
    final = standings.bracket[1][0]
    assert final.reason == "walkover"
    assert len(standings.rows) == 3
    assert [row.rank for row in standings.rows] == [1, 2, 3]
    assert standings.rows[0].name == final.entrants[0].name
    assert standings.withdrawn[0].name == definition.entrants[gone].name


def test_who_goes_on_stays_as_it_was_played_when_another_at_the_table_is_withdrawn() -> None:
    """Promise: the standings name the winner of the pairing, though the groups count no more."""
    definition = define_bracket(3, 3, groups=10)
    played = play(definition, 2)
    order = (
        make_elimination(definition).make_bracket([one for *_, one in played]).rounds[0][0].order
    )
    gone = frozenset(order[2:])
    results = [replace(one, withdrawn=gone) for *_, one in played]
    wanted = make_elimination(definition).make_bracket(results).rounds[0][0]
    assert wanted.order == order
    assert order != (0, 1, 2)  # that of the seeds
    fold = Fold(definition, definition.sides, dict.fromkeys(gone, "did not start"))
    for group, matches, _ in played:
        fold.add(group, matches)
    standings = fold.make_standings(groups=len(played))
    assert standings.counted == 0
    assert standings.void == len(played)
    assert standings.bracket is not None
    (final,) = standings.bracket[0]
    names = [definition.entrants[entrant].name for entrant in order]
    assert [one.name for one in final.entrants] == names
    assert [row.name for row in standings.rows] == names[:2]

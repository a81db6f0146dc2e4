"""The ranking of a variant as a fold: who inherits, and how a rating came about."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.results.ranking.fold import RankingFold
from mazzo_server.results.ranking.values import (
    FinishedTournament,
    Move,
    Passage,
    RankingRow,
    VariantRanking,
)
from mazzo_server.stats.trueskill import Rating
from support.finished_tournaments import Entrants, define, finished, play

VARIANT = "briscola/2"


def folded(*tournaments: FinishedTournament, variant: str = VARIANT) -> RankingFold:
    fold = RankingFold(variant)
    for tournament in tournaments:
        fold.add(tournament)
    return fold


def row(ranked: VariantRanking, name: str, version: int) -> RankingRow:
    return next(row for row in ranked.rows if (row.name, row.version) == (name, version))


# Inheritance


def test_a_new_version_inherits_with_a_wider_sigma() -> None:
    """Promise: μ of the version before, σ² + (25/6)²; the older one keeps its row."""
    first = finished(1, define([("ann", 1), ("bob", 1)], groups=40), best=["ann"])
    fold = folded(first)
    old = row(fold.ranking(), "ann", 1)
    passage = fold.add(finished(2, define([("ann", 2), ("bob", 1)])), bot="ann")
    assert passage is not None
    assert passage.inherited is not None
    assert passage.inherited.version == 1
    assert passage.inherited.rating == Rating(mu=old.mu, sigma=old.sigma)
    assert passage.before.mu == old.mu > 25
    assert passage.before.sigma == pytest.approx(math.sqrt(old.sigma**2 + (25 / 6) ** 2))
    assert row(fold.ranking(), "ann", 1).mu == old.mu
    assert (row(fold.ranking(), "ann", 1).groups, row(fold.ranking(), "ann", 2).groups) == (40, 2)


def test_who_inherits_never_knows_less_than_who_knows_nothing() -> None:
    """Promise: σ is at most the prior's, however little was known of the older version."""
    fold = folded(
        finished(1, define([("bob", 1), ("cid", 1)], groups=40), best=["cid"]),
        finished(2, define([("ann", 1), ("bob", 1)], groups=1), best=["ann"]),
    )
    assert row(fold.ranking(), "ann", 1).sigma ** 2 + (25 / 6) ** 2 > (25 / 3) ** 2
    passage = fold.add(finished(3, define([("ann", 2), ("bob", 1)])), bot="ann")
    assert passage is not None
    assert passage.before.sigma == 25 / 3


def test_the_newest_older_version_with_a_group_is_the_one() -> None:
    """Promise: not one that was never rated, nor a newer one, nor another bot's."""
    fold = folded(
        finished(1, define([("ann", 1), ("bob", 1)]), best=["ann"]),
        finished(2, define([("ann", 3), ("bob", 1)]), best=["bob"]),
        # Version 4 is in no group that counts: both its opponents are withdrawn.
        finished(3, define([("ann", 4), ("bob", 1), ("cid", 1)]), withdrawn={1: "", 2: ""}),
    )
    assert row(fold.ranking(), "ann", 4).groups == 0
    for version, parent in ((5, 3), (2, 1), (0, None)):
        entrants = [("ann", version), ("bob", 1)]
        passage = fold.add(finished(version + 4, define(entrants)), bot="ann")
        assert passage is not None
        assert (passage.inherited and passage.inherited.version) == parent
    assert row(fold.ranking(), "bob", 1).tournaments == 5


def test_whoever_is_withdrawn_is_not_in_the_ranking_and_hands_nothing_down() -> None:
    """Promise: its groups are void, for the others too."""
    fold = folded(
        finished(1, define([("ann", 1), ("bob", 1), ("cid", 1)]), withdrawn={0: "does not start"})
    )
    assert [row.name for row in fold.ranking().rows if row.name == "ann"] == []
    assert row(fold.ranking(), "bob", 1).groups == 2
    passage = fold.add(finished(2, define([("ann", 2), ("bob", 1)])), bot="ann")
    assert passage is not None
    assert (passage.inherited, passage.before) == (None, Rating(mu=25.0, sigma=25 / 3))


def test_a_group_that_was_not_played_to_its_end_is_no_tie() -> None:
    """Promise: nothing of it is rated."""
    tournament = finished(1, define([("ann", 1), ("bob", 1)], groups=2))
    (one, matches), (other, _) = tournament.played()
    cut = replace(tournament, played=lambda: [(one, matches), (other, ())])
    assert row(folded(cut).ranking(), "ann", 1).groups == 1


def test_one_row_of_each_bot_is_the_newest() -> None:
    """Promise: the highest version that stands there, whichever played last."""
    fold = folded(
        finished(1, define([("ann", 2), ("bob", 7)])),
        finished(2, define([("ann", 1), ("bob", 7)])),
    )
    newest = {(row.name, row.version): row.newest for row in fold.ranking().rows}
    assert newest == {("ann", 1): False, ("ann", 2): True, ("bob", 7): True}


def test_equals_share_a_rank() -> None:
    """Promise: ranks count from 1, equals share one and the next is left out."""
    tied = define([("ann", 1), ("bob", 1), ("cid", 1)], variant="briscola/3", groups=1)
    level = next(seed for seed in range(99) if len(set(play(tied, seed)[0].match_scores)) == 1)
    fold = folded(finished(1, tied, level), variant="briscola/3")
    assert [(row.rank, row.name, row.draws) for row in fold.ranking().rows] == [
        (1, "ann", 1),
        (1, "bob", 1),
        (1, "cid", 1),
    ]


# Kept states and explanations

ENTRANTS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(1, 3)),
    min_size=3,
    max_size=4,
    unique_by=lambda entrant: entrant[0],
)
TOURNAMENTS = st.lists(
    st.tuples(
        ENTRANTS,
        st.integers(0, 1000),
        st.dictionaries(st.integers(0, 2), st.just("crashed"), max_size=1),
    ),
    min_size=1,
    max_size=5,
)


def made(
    drawn: Sequence[tuple[Entrants, int, dict[int, str]]], variant: str
) -> list[FinishedTournament]:
    return [
        finished(number, define(entrants, variant=variant), seed, withdrawn=withdrawn)
        for number, (entrants, seed, withdrawn) in enumerate(drawn, 1)
    ]


@given(TOURNAMENTS, st.sampled_from(["briscola/2", "briscola/3"]), st.data())
def test_a_kept_state_goes_on_to_the_same_bits(
    drawn: Sequence[tuple[Entrants, int, dict[int, str]]], variant: str, data: st.DataObject
) -> None:
    """Promise: wherever the fold was written and read again, the ranking is the same."""
    tournaments = made(drawn, variant)
    whole = folded(*tournaments, variant=variant)
    cut = data.draw(st.integers(0, len(tournaments)))
    fold = RankingFold.from_json(variant, folded(*tournaments[:cut], variant=variant).to_json())
    assert fold is not None
    for tournament in tournaments[cut:]:
        fold.add(tournament)
    assert fold.to_json() == whole.to_json()
    assert fold.ranking() == whole.ranking()


def test_a_state_of_another_release_is_not_gone_on_from() -> None:
    """Promise: whose numbers came about by other rules is folded anew."""
    state = json.loads(folded(finished(1, define([("ann", 1), ("bob", 1)]))).to_json())
    assert RankingFold.from_json(VARIANT, json.dumps(state)) is not None
    assert RankingFold.from_json(VARIANT, json.dumps(state | {"format": "mazzo-ranking/0"})) is None


@given(TOURNAMENTS, st.sampled_from(["briscola/2", "briscola/3"]))
def test_an_explanation_has_no_gap(
    drawn: Sequence[tuple[Entrants, int, dict[int, str]]], variant: str
) -> None:
    """Promise: from start to ranking each step begins where the last one ended.

    Only a new version begins elsewhere, and it says from where. Who is first alone never
    loses by it, and no σ grows within a tournament.
    """
    fold, stands, tallies = RankingFold(variant), dict[int, Rating](), dict[int, list[int]]()
    for tournament in made(drawn, variant):
        moves: list[Move] = []
        passage = fold.add(tournament, bot="a", on_move=moves.append)
        if passage is None:
            assert moves == []
            continue
        version = passage.version
        if version in stands:
            assert (passage.inherited, passage.before) == (None, stands[version])
        elif passage.inherited:
            assert passage.inherited.version < version
            assert passage.inherited.rating == stands[passage.inherited.version]
            assert passage.before.mu == passage.inherited.rating.mu
        else:
            assert passage.before == Rating(mu=25.0, sigma=25 / 3)
        ratings = [passage.before]
        for move in moves:
            assert move.before == ratings[-1]
            ratings.append(move.after)
            assert move.after.sigma <= move.before.sigma
            if move.rank < min(other.rank for other in move.opponents):
                assert move.after.mu >= move.before.mu
                assert move.after.conservative >= move.before.conservative
        assert passage.after == ratings[-1]
        assert [move.group for move in moves] == sorted({move.group for move in moves})
        counted = results(passage)
        assert counted == tally_of(moves)
        stands[version] = passage.after
        tallies[version] = [
            a + b for a, b in zip(tallies.get(version, [0, 0, 0]), counted, strict=True)
        ]
    found = {
        row.version: ((row.mu, row.sigma), [row.wins, row.draws, row.losses])
        for row in fold.ranking().rows
        if row.name == "a"
    }
    assert found == {
        version: ((rating.mu, rating.sigma), tallies[version]) for version, rating in stands.items()
    }


def results(passage: Passage) -> list[int]:
    return [passage.wins, passage.draws, passage.losses]


def tally_of(moves: Sequence[Move]) -> list[int]:
    first = [move for move in moves if move.rank == 0]
    alone = [move for move in first if all(other.rank for other in move.opponents)]
    return [len(alone), len(first) - len(alone), len(moves) - len(first)]


def test_an_opponent_stands_where_it_stood() -> None:
    """Promise: with the rating that it had at that moment."""
    tournament = finished(1, define([("ann", 1), ("bob", 2)], groups=5), seed=3)
    of_ann: list[Move] = []
    of_bob: list[Move] = []
    RankingFold(VARIANT).add(tournament, bot="ann", on_move=of_ann.append)
    RankingFold(VARIANT).add(tournament, bot="bob", on_move=of_bob.append)
    for ann, bob in zip(of_ann, of_bob, strict=True):
        (opponent,) = ann.opponents
        assert (opponent.name, opponent.version) == ("bob", 2)
        assert (opponent.rank, opponent.before) == (bob.rank, bob.before)

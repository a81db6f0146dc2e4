"""Who is on a ladder: versions that join, follow each other, leave and come back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Change, Definition, Entrant, TournamentKind, TournamentRequest
from mazzo_server.pairing import make_pairing
from mazzo_server.stats import Rating, inherit_rating
from mazzo_server.stats.trueskill import PRIOR
from mazzo_server.tournaments.ladders.members import (
    drop_member,
    enter_version,
    list_members,
    make_versions,
)
from mazzo_server.tournaments.ladders.seasons import (
    LadderRequest,
    define_next_season,
    define_season,
    make_final_request,
)
from support.manual_tournaments import definition_of, entrants_of


def define_first_season() -> Definition:
    bots = tuple(replace(entrant, version=1) for entrant in entrants_of("ann", "bob", "cleo"))
    return define_season(definition_of(entrants=bots), confidence=0.9, share=0.5)


def make_version(bot: str, version: int) -> Entrant:
    (entrant,) = make_versions([Entrant(name=bot, version=version, content_hash="1" * 64)])
    return entrant


def test_a_season_begins_with_the_versions_of_its_bots() -> None:
    season = define_first_season()
    assert season.kind is TournamentKind.LADDER
    assert [entrant.name for entrant in season.entrants] == ["ann@1", "bob@1", "cleo@1"]
    assert [entrant.bot for entrant in season.entrants] == ["ann", "bob", "cleo"]
    assert list_members(season) == {"ann": [0], "bob": [1], "cleo": [2]}
    assert not season.is_rated
    assert make_pairing(season).next(0)


def test_a_new_version_joins_beside_the_one_before_it() -> None:
    rating = Rating(mu=30.0, sigma=2.0)
    season = enter_version(
        define_first_season(), 9, entrant=make_version("bob", 2), inherited=rating
    )
    assert list_members(season) == {"ann": [0], "bob": [1, 3], "cleo": [2]}
    assert season.changes[-1] == Change(entrant=3, first_group=9, joins=True, inherited=(30.0, 2.0))


def test_an_author_who_goes_back_to_an_older_version_takes_the_newer_ones_away() -> None:
    season = define_first_season()
    for first, version in ((9, 2), (12, 3), (20, 1)):
        season = enter_version(season, first, entrant=make_version("bob", version), inherited=None)
    assert list_members(season)["bob"] == [1]
    season = enter_version(season, 30, entrant=make_version("bob", 3), inherited=None)
    assert list_members(season)["bob"] == [1, 4]
    assert len(season.entrants) == 5  # a version that comes back is the entrant that it was
    assert season.changes[-1] == Change(entrant=4, first_group=30, joins=True)


def test_who_leaves_leaves_with_all_versions_and_may_come_back() -> None:
    season = enter_version(define_first_season(), 9, entrant=make_version("bob", 2), inherited=None)
    season = drop_member(season, 11, bot="bob")
    assert "bob" not in list_members(season)
    season = enter_version(season, 15, entrant=make_version("bob", 2), inherited=None)
    assert list_members(season)["bob"] == [3]


def test_the_next_season_begins_with_what_the_last_one_has_found() -> None:
    season = enter_version(define_first_season(), 9, entrant=make_version("bob", 2), inherited=None)
    season = drop_member(season, 20, bot="cleo")
    ratings = {0: Rating(mu=20.0, sigma=1.0), 3: Rating(mu=31.0, sigma=PRIOR.sigma)}
    following = define_next_season(season, ratings)
    assert following.season == 2
    assert following.name == "Ladder of briscola/2, season 2"
    assert [entrant.name for entrant in following.entrants] == ["ann@1", "bob@2"]
    wider = inherit_rating(ratings[0])
    assert wider.sigma > 1.0
    assert [change.inherited for change in following.changes] == [
        (20.0, wider.sigma),
        (31.0, PRIOR.sigma),
    ]
    assert following.seed != season.seed
    assert make_pairing(following).next(0)


def test_the_first_of_a_season_play_its_final() -> None:
    season = define_first_season()
    ratings = {index: Rating(mu=mu, sigma=1.0) for index, mu in enumerate((20.0, 30.0, 25.0))}
    final = make_final_request(season, ratings, finalists=2)
    assert final is not None
    assert list(final.bots) == ["bob", "cleo"]
    final.check()
    assert make_final_request(season, ratings, finalists=0) is None
    assert make_final_request(season, {1: ratings[1]}, finalists=4) is None


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"confidence": 0.5}, "a confidence such as 0.9"),
        ({"confidence": 1.0}, "a confidence such as 0.9"),
        ({"share": 0.0}, "a share of the processors"),
        ({"share": 1.5}, "a share of the processors"),
    ],
)
def test_a_ladder_that_cannot_be(options: dict[str, Any], complaint: str) -> None:
    asked = LadderRequest(tournament=TournamentRequest(variant="briscola/2"))
    asked.check()
    with pytest.raises(InvalidInputError, match=complaint):
        replace(asked, **options).check()


def test_no_copies_play_on_a_ladder() -> None:
    asked = LadderRequest(tournament=TournamentRequest(variant="briscola/2", bots=("ann*2",)))
    with pytest.raises(InvalidInputError, match="no copies"):
        asked.check()

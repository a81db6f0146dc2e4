"""What a challenge comes to, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mazzo.errors import MazzoError
from mazzo.shuffle import SEED_BYTES
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
)
from mazzo_server.model import (
    ChallengeTerms,
    Definition,
    Mirror,
    PairingScheme,
    TournamentKind,
)
from mazzo_server.pairing import list_groups, make_pairing
from mazzo_server.storage import MemoryStore
from mazzo_server.storage.encoding import decode_definition, encode_definition
from mazzo_server.tournaments.challenges import ChallengeRequest
from mazzo_server.tournaments.challenges.define import define_challenge
from support.stored_rows import manifest_of, qualify, trial_of


def club() -> MemoryStore:
    """Bots of alice's, of bob's and of the organiser's, and some that may play nothing."""
    store = MemoryStore()
    for name, owner, games, is_qualified in (
        ("ann", "alice", ("briscola/2", "frap/4"), True),
        ("ann", "alice", ("briscola/2", "frap/4"), True),
        ("ben", "bob", ("briscola/2",), True),
        ("cid", "alice", ("briscola/2",), False),
        ("trio", "bob", ("briscola/3",), True),
        ("tom", "alice", ("briscola/3",), True),
        ("old", "bob", ("briscola/2",), True),
        ("house", "", ("briscola/2", "frap/4"), True),
    ):
        version = store.add_version(
            name,
            content_hash="0" * 64,
            manifest=manifest_of(name, games=games),
            create_time=1.0,
            owner=owner,
        )
        if is_qualified:
            qualify(store, name)
        else:
            store.set_trial(name, version.number, trial=trial_of(passed=False))
    store.add_version(
        "far",
        content_hash="",
        manifest=manifest_of("far"),
        create_time=1.0,
        owner="bob",
        remote=True,
    )
    store.retire("old")
    return store


def make(bot: str, opponent: str, *, author: str = "alice", **options: Any) -> Definition:
    request = ChallengeRequest(bot=bot, opponent=opponent, isolation="none", **options)
    return define_challenge(request, club(), terms=ChallengeTerms(author=author, turn=3))


def entrants(definition: Definition) -> dict[str, int]:
    return {one.name: one.version for one in definition.entrants}


def test_a_challenge_is_of_the_only_variant_of_both_and_its_versions_are_pinned() -> None:
    definition = make("ann", "ben")
    assert definition.variant == "briscola/2"
    assert entrants(definition) == {"ann": 2, "ben": 1}
    assert (definition.kind, definition.hero) == (TournamentKind.CHALLENGE, "ann")
    assert (definition.groups, definition.mirror) == (50, Mirror.ROTATIONS)
    assert definition.challenge == ChallengeTerms(author="alice", turn=3)
    assert not definition.is_rated
    assert len(definition.seed) == SEED_BYTES
    assert decode_definition(encode_definition(definition)) == definition


def test_an_own_bot_plays_with_any_version_and_against_another_one_of_itself() -> None:
    assert entrants(make("ann", "ben", version=1)) == {"ann": 1, "ben": 1}
    itself = make("ann", "ann", opponent_version=1, variant="briscola/2")
    assert entrants(itself) == {"ann": 2, "ann*2": 1}
    assert itself.hero == "ann"
    assert entrants(make("ben", "ann", author="", opponent_version=1)) == {"ann": 1, "ben": 1}


def test_at_a_larger_table_the_opponent_has_all_other_seats() -> None:
    """And it is one table: the bot that challenges sits at it in every mirror group."""
    definition = make("tom", "trio")
    assert entrants(definition) == {"tom": 1, "trio": 1, "trio*2": 1}
    assert definition.pairing is PairingScheme.GAUNTLET
    groups = list(list_groups(make_pairing(definition)))
    assert len(groups) == 50
    assert {tuple(sorted(group.table)) for group in groups} == {(0, 1, 2)}


def test_a_bot_elsewhere_never_has_the_same_deal_again() -> None:
    """Nobody can make it forget the cards."""
    assert make("ann", "far").mirror is Mirror.OFF


@pytest.mark.parametrize(
    ("bot", "opponent", "options", "error", "told"),
    [
        ("nobody", "ben", {}, NotFoundError, "nobody"),
        ("ann", "../../etc/passwd\x00", {}, NotFoundError, "passwd"),
        ("ann", "@Ann", {}, NotFoundError, "@Ann"),
        ("ann", "", {}, NotFoundError, "bot"),
        ("ben", "ann", {}, PermissionDeniedError, "belongs to bob"),
        ("house", "ann", {}, PermissionDeniedError, "belongs to the organiser"),
        ("ann", "ben", {"opponent_version": 1}, PermissionDeniedError, "who chooses its version"),
        ("ann", "ben", {"version": 9}, NotFoundError, "9"),
        ("ann", "ben", {"version": 2**32 - 1}, NotFoundError, "4294967295"),
        ("ann", "old", {}, ConflictError, "old is retired"),
        ("cid", "ben", {}, InvalidInputError, "cid is qualified for nothing"),
        ("cid", "ben", {"version": 1}, InvalidInputError, "cid version 1 is qualified for nothing"),
        ("ann", "ben", {"variant": "frap/4"}, InvalidInputError, "ben does not play"),
        ("cid", "ben", {"variant": "briscola/2"}, InvalidInputError, "cid is not qualified for"),
        (
            *("ann", "ben", {"version": 1, "variant": "briscola/4"}),
            *(InvalidInputError, "ann version 1 is not qualified for briscola/4"),
        ),
        ("ann", "house", {}, InvalidInputError, "one of briscola/2, frap/4.*--variant"),
        ("ann", "trio", {}, InvalidInputError, "the same variant, got none"),
        ("ann", "ann", {"variant": "briscola/2"}, InvalidInputError, "version 2 twice"),
        ("ann", "ben", {"groups": 501}, InvalidInputError, "groups: .* 1 to 500, got 501"),
        ("ann", "ben", {"groups": 10**9}, InvalidInputError, "1 to 500, got 1000000000"),
        ("ann", "ben", {"variant": "chess"}, MazzoError, "chess"),
        ("ann", "ben", {"variant": "x" * 10_000}, MazzoError, "x"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(
    bot: str, opponent: str, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        make(bot, opponent, **options)


def test_other_records_of_tournaments_stay_as_they_were() -> None:
    """What is no challenge has no field of one, in the store and in files."""
    definition = make("ann", "ben")
    plain = replace(definition, kind=TournamentKind.TOURNAMENT, challenge=None)
    assert "challenge" not in plain.to_json()
    assert definition.to_json()["challenge"] == {"author": "alice", "turn": 3}

"""Who may enter a tournament, and with which version: only what passed its trial."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import pytest

from mazzo.games import parse_variant
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
)
from mazzo_server.model import TournamentRequest
from mazzo_server.model.trial_report import TrialMatch, TrialReport
from mazzo_server.results.commentary import describe_active, find_entering_versions
from mazzo_server.serving.grpc.messages import encode_bot
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, Store
from mazzo_server.tournaments.define import define, find_entrant, list_unqualified
from support.stored_rows import manifest_of, trial_of


def add(
    store: Store,
    name: str,
    *passed: str,
    games: tuple[str, ...] = ("briscola/2", "briscola/3"),
    tried: bool = True,
    remote: bool = False,
    owner: str = "",
) -> None:
    """A version with a trial in which it passed these forms."""
    manifest = manifest_of(name, games=games)
    number = store.add_version(
        name, content_hash="", manifest=manifest, create_time=0.0, remote=remote, owner=owner
    ).number
    if tried and not remote:
        store.set_trial(name, number, trial=trial(*passed, tried=games))


def trial(*passed: str, tried: tuple[str, ...]) -> TrialReport:
    return trial_of(
        passed=set(passed) >= set(tried),
        matches=tuple(TrialMatch(variant=form, passed=True) for form in tried),
        qualified=passed,
    )


def entering(store: Store, name: str, variant: str = "briscola/2") -> int:
    return find_entrant(name, parse_variant(variant), store).version


def test_each_variant_is_qualified_for_alone() -> None:
    """Options are not: they are all tried with the variant."""
    store = MemoryStore()
    add(store, "ann", "briscola/2")
    assert entering(store, "ann") == 1
    assert entering(store, "ann", "briscola/2?tie=last-trick") == 1
    with pytest.raises(InvalidInputError, match="ann is not qualified for briscola/3: its version"):
        entering(store, "ann", "briscola/3")


def test_a_submission_that_fails_does_not_displace_the_one_before() -> None:
    """In no variant; and a better one does at once."""
    store = MemoryStore()
    add(store, "ann", "briscola/2", "briscola/3")
    add(store, "ann")
    add(store, "ann", tried=False)
    assert entering(store, "ann") == 1
    add(store, "ann", "briscola/2")
    assert (entering(store, "ann"), entering(store, "ann", "briscola/3")) == (4, 1)
    add(store, "ann", "briscola/2", "briscola/3")
    assert (entering(store, "ann"), entering(store, "ann", "briscola/3")) == (5, 5)


def test_a_game_that_the_author_took_back_is_not_entered_with_an_old_version() -> None:
    store = MemoryStore()
    add(store, "ann", "briscola/2", "briscola/3")
    add(store, "ann", "briscola/2", games=("briscola/2",))
    with pytest.raises(InvalidInputError, match="ann does not play briscola/3: it says that it"):
        entering(store, "ann", "briscola/3")


def test_a_chosen_version_enters_until_the_choice_is_taken_back() -> None:
    """Nothing that is submitted later changes it."""
    store = MemoryStore()
    add(store, "ann", "briscola/2")
    add(store, "ann", "briscola/2", "briscola/3")
    store.choose_version("ann", 1)
    add(store, "ann", "briscola/2", "briscola/3")
    assert entering(store, "ann") == 1
    with pytest.raises(InvalidInputError, match="take the choice back with `mazzo bots activate"):
        entering(store, "ann", "briscola/3")
    store.choose_version("ann", None)
    assert entering(store, "ann", "briscola/3") == 3
    add(store, "ann", "briscola/2", games=("briscola/2",))
    store.choose_version("ann", 4)
    with pytest.raises(InvalidInputError, match="version 4, which was chosen, says that it plays"):
        entering(store, "ann", "briscola/3")


def test_a_chosen_version_that_fails_its_trial_later_enters_nothing() -> None:
    """Nor does another in its place: it was chosen, and whoever chose it is told."""
    store = MemoryStore()
    add(store, "ann", "briscola/2", "briscola/3")
    add(store, "ann", "briscola/2", games=("briscola/2",))
    store.choose_version("ann", 1)
    store.set_trial("ann", 1, trial=trial(tried=("briscola/2", "briscola/3")))
    assert shown(store)[:2] == (1, 0)
    for variant in ("briscola/2", "briscola/3"):
        with pytest.raises(
            InvalidInputError, match=r"its version 1 did not pass .* take the choice"
        ):
            entering(store, "ann", variant)


def test_a_retired_bot_is_not_said_to_enter() -> None:
    store = MemoryStore()
    add(store, "ann", "briscola/2")
    store.retire("ann")
    assert shown(store)[:2] == (0, 0)


def test_who_is_left_out_is_told_by_the_version_that_would_enter() -> None:
    """Not by a newer one that failed, which may claim more."""
    store = MemoryStore()
    add(store, "ann", "briscola/2", games=("briscola/2",))
    add(store, "ann")
    with pytest.raises(InvalidInputError, match="ann does not play briscola/3"):
        entering(store, "ann", "briscola/3")
    assert list_unqualified(TournamentRequest(variant="briscola/3", groups=1), store) == []
    store.choose_version("ann", 2)
    assert list_unqualified(TournamentRequest(variant="briscola/3", groups=1), store) == ["ann"]


def test_a_trial_that_was_never_finished_is_to_be_played() -> None:
    store = MemoryStore()
    add(store, "ann", tried=False)
    with pytest.raises(
        InvalidInputError, match="broken off, play it again with `mazzo bots trial ann`"
    ):
        entering(store, "ann")


def test_a_remote_bot_is_qualified_by_being_registered() -> None:
    store = MemoryStore()
    add(store, "far", remote=True)
    assert entering(store, "far", "briscola/3") == 1
    add(store, "far", remote=True, games=("briscola/2",))
    assert entering(store, "far") == 2
    with pytest.raises(InvalidInputError, match="far does not play briscola/3"):
        entering(store, "far", "briscola/3")


def test_who_is_left_out_of_a_tournament_for_all_is_named() -> None:
    """Who does not claim the variant, was retired or is remote is not missed."""
    store = MemoryStore()
    for name in ("ann", "bob"):
        add(store, name, "briscola/2")
    add(store, "bad")
    add(store, "cut", tried=False)
    add(store, "far", remote=True)
    add(store, "other", games=("frap/4",))
    add(store, "gone")
    store.retire("gone")
    request = TournamentRequest(variant="briscola/2", groups=1)
    definition = define(request, store)
    assert [entrant.name for entrant in definition.entrants] == ["ann", "bob"]
    assert list_unqualified(request, store) == ["bad", "cut"]
    named = TournamentRequest(variant="briscola/2", bots=("ann", "bob"), groups=1)
    assert list_unqualified(named, store) == []
    with pytest.raises(InvalidInputError, match="bad is not qualified for briscola/2"):
        define(
            TournamentRequest(variant="briscola/2", bots=("ann", "bad"), groups=1),
            store,
        )
    left_out = "got 0; ann, bad, bob did not .* the trial of cut is not over"
    with pytest.raises(InvalidInputError, match=left_out):
        define(TournamentRequest(variant="briscola/3", groups=1), store)


def test_only_a_qualified_version_is_activated_and_only_by_its_owner(tmp_path: Path) -> None:
    store = MemoryStore()
    add(store, "ann", "briscola/2", owner="alice")
    add(store, "ann", owner="alice")
    add(store, "far", remote=True)
    platform = Platform(Settings(home=tmp_path), store)

    async def main() -> None:
        with pytest.raises(ConflictError, match="ann version 2 is not qualified for anything"):
            await platform.bots.activate("ann", 2, author="alice")
        with pytest.raises(PermissionDeniedError):
            await platform.bots.activate("ann", 1, author="bob")
        with pytest.raises(NotFoundError):
            await platform.bots.activate("ann", 3, author="alice")
        with pytest.raises(NotFoundError):
            await platform.bots.activate("zoe", None)
        assert shown(store)[:2] == (0, 1)
        await platform.bots.activate("ann", 1, author="alice")
        assert shown(store)[:2] == (1, 1)
        await platform.bots.activate("ann", None)
        assert shown(store)[:2] == (0, 1)
        store.retire("ann")
        for number in (1, None):
            with pytest.raises(ConflictError, match=r"ann is retired .* `mazzo bots submit`"):
                await platform.bots.activate("ann", number, author="alice")
        with pytest.raises(InvalidInputError, match="qualified by being registered"):
            await platform.bots.play_trial("far", None, isolation="none")
        with pytest.raises(PermissionDeniedError):
            await platform.bots.play_trial("ann", None, isolation="none", author="bob")

    asyncio.run(main())


def shown(store: Store) -> tuple[int, int, list[list[str]]]:
    row = store.bot("ann")
    assert row is not None
    bot = encode_bot(row, store.versions("ann"), private=False, connected=False)
    qualified = [list(version.qualified) for version in bot.versions]
    return bot.chosen_version, bot.active_version, qualified


@pytest.mark.parametrize("seed", range(60))
def test_which_version_enters_what_is_shown_as_it_is(seed: int) -> None:
    """Promise: what is said of a bot's versions is what tournaments do, whatever they passed."""
    generator, store = random.Random(seed), MemoryStore()
    forms = [f"briscola/{players}" for players in (2, 3, 4, 6)]
    remote = generator.random() < 0.2
    for _ in range(4):
        claimed = tuple(generator.sample(forms, 3))
        passed = generator.sample(claimed, generator.randrange(4))
        games = ("briscola",) if generator.random() < 0.5 else claimed
        add(store, "ann", *passed, games=games, remote=remote)
    if generator.random() < 0.3 and not remote:
        store.choose_version("ann", generator.randrange(1, 5))
    if generator.random() < 0.1:
        store.retire("ann")
    row = store.bot("ann")
    assert row is not None
    bot = encode_bot(row, store.versions("ann"), private=False, connected=False)
    expected = {}
    for form in forms:
        with suppress(InvalidInputError, NotFoundError):
            expected[form] = entering(store, "ann", form)
    assert find_entering_versions(bot) == expected
    for version in {*expected.values()} - {bot.active_version}:
        assert f"Version {version} still enters " in describe_active(bot)


def test_what_is_active_and_qualified_is_shown() -> None:
    """Shortly, with the newest version and, where that is another one, the active one."""
    store = MemoryStore()
    add(store, "ann")
    assert shown(store) == (0, 0, [[]])
    add(store, "ann", "briscola/3")
    add(store, "ann")
    assert shown(store) == (0, 2, [[], ["briscola/3"], []])
    row = store.bot("ann")
    assert row is not None
    brief = encode_bot(row, store.versions("ann"), private=False, connected=False, brief=True)
    assert [version.version for version in brief.versions] == [2, 3]

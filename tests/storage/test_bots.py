"""Bots, versions and tokens in every store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model.roles import Role
from mazzo_server.model.trial_report import TrialCheck, TrialFailure, TrialMatch
from mazzo_server.storage import BotRow, Store, TokenRow, TournamentStatus
from support.stored_rows import (
    DEFINITION,
    PATIENCE,
    add_tournament,
    add_version,
    manifest_of,
    trial_of,
)


class TestBots:
    def test_versions_are_numbered_for_each_bot(self, store: Store) -> None:
        """Entrants pin a version by bot and number: numbers are 1, 2, 3 for each bot."""
        assert [add_version(store, name) for name in ("bob", "ann", "bob", "bob")] == [1, 1, 2, 3]
        store.check_place()
        assert [row.name for row in store.bots()] == ["ann", "bob"]
        assert [row.number for row in store.versions("bob")] == [1, 2, 3]
        assert store.version("bob") == store.version("bob", 3) == store.versions("bob")[-1]
        assert store.version("ann", 1).bot == "ann"

    def test_version_keeps_what_it_was_given(self, store: Store) -> None:
        """A version is what was submitted, field by field."""
        manifest = manifest_of(
            games=("briscola/2", "frap"),
            command=("python", "è.py", "\udcff"),
            runtime="binary",
            capacity=8,
            licence="MIT",
            description="a\x00b",
        )
        added = store.add_version(
            "ann", content_hash="f" * 64, manifest=manifest, create_time=1234.5678
        )
        assert store.version("ann") == added
        assert added.manifest == manifest
        assert (added.content_hash, added.create_time, added.trial) == ("f" * 64, 1234.5678, None)

    def test_a_deleted_bot_leaves_its_name(self, store: Store) -> None:
        """With its keys revoked, which would open a later bot of that name."""
        for name, content in (("ann", "1"), ("ann", "2"), ("bob", "2"), ("ann", "3")):
            store.add_version(
                name, content_hash=content * 64, manifest=manifest_of(name=name), create_time=1.0
            )
        store.choose_version("ann", 2)
        for name, role in (("ann", Role.BOT), ("bob", Role.BOT), ("ann", Role.AUTHOR)):
            store.add_token(
                TokenRow(
                    id=f"{name}-{role}",
                    role=role,
                    subject=name,
                    label="",
                    hash=b"",
                    create_time=0.0,
                    revoked=False,
                )
            )
        assert store.delete_bot("ann") == ["1" * 64, "3" * 64]  # bob has the other content too
        assert [bot.name for bot in store.bots()] == ["bob"]
        assert {token.id for token in store.tokens() if token.revoked} == {"ann-bot"}
        for call in (store.delete_bot, store.versions):
            with pytest.raises(NotFoundError, match="expected a bot's name"):
                call("ann")
        assert add_version(store, "ann") == 1
        bot = store.bot("ann")
        assert bot is not None
        assert bot.chosen is None

    def test_an_entrant_is_never_deleted(self, store: Store) -> None:
        """Whatever became of the tournament, its results name the bot and its version."""
        add_version(store, "ann")
        for number in range(1, 8):
            add_tournament(store)
            store.set_status(number, TournamentStatus.CANCELLED)
        with pytest.raises(ConflictError, match="in tournaments 1, 2, 3, 4, 5 and 2 more, and"):
            store.delete_bot("ann")
        assert len(store.versions("ann")) == 1
        for number in range(1, 8):
            store.delete_tournament(number)
        assert store.delete_bot("ann") == ["c" * 64]

    def test_a_bot_is_not_deleted_while_a_copy_of_it_is_an_entrant(self, store: Store) -> None:
        """Copies: each is its bot, whatever it is called in the tournament."""
        add_version(store, "ann")
        copy = replace(DEFINITION.entrants[0], name="ann*2")
        add_tournament(store, replace(DEFINITION, entrants=(DEFINITION.entrants[1], copy)))
        with pytest.raises(ConflictError, match="ann takes part in tournament 1, and results"):
            store.delete_bot("ann")

    def test_a_version_of_another_store_keeps_its_number(self, store: Store) -> None:
        """The next one of the same bot follows it, and the bot enters nothing until then."""
        add_version(store, "carl")
        version = replace(store.version("carl"), bot="ann", number=3, content_hash="3" * 64)
        for _ in range(2):
            store.import_versions([version], remote=())
        bot = store.bot("ann")
        assert bot is not None
        assert (bot.retired, bot.owner, bot.remote, bot.chosen) == (True, "", False, None)
        store.import_versions([replace(version, number=1)], remote=())
        assert [row.number for row in store.versions("ann")] == [1, 3]
        assert store.version("ann") == store.version("ann", 3) == version
        assert add_version(store, "ann") == 4
        store.set_trial("ann", 3, trial=trial_of())
        assert store.version("ann", 3).trial == trial_of()
        bot = store.bot("ann")
        assert bot is not None
        assert not bot.retired

    def test_a_version_of_another_bot_is_refused(self, store: Store) -> None:
        """Bots of two stores may have the same name, and then share no rating."""
        add_version(store, "ann")
        store.add_version(
            "bob",
            content_hash="b" * 64,
            manifest=manifest_of("bob"),
            create_time=1.0,
            owner="carl",
        )
        ann, bob = store.version("ann"), store.version("bob")
        other = replace(ann, bot="carl")
        for version, remote, expected in (
            (replace(ann, content_hash="e" * 64), (), "version 1 has other content"),
            (replace(ann, number=2), (), "another bot here, which has no version 2"),
            (replace(ann, number=2), ("ann",), "plays from here, not from another machine"),
            (replace(bob, number=2), (), "another bot here, which has no version 2"),
        ):
            with pytest.raises(ConflictError, match=expected):
                store.import_versions([other, version], remote=remote)
        assert (store.versions("ann"), store.versions("bob")) == ([ann], [bob])
        assert store.bot("carl") is None  # all of them or none

    def test_a_trial_is_of_the_bot_that_was_tried(self, store: Store) -> None:
        """A bot may be deleted while it is tried, and another author may take its name."""
        add_version(store, "ann")
        store.delete_bot("ann")
        store.add_version(
            "ann", content_hash="e" * 64, manifest=manifest_of("ann"), create_time=2.0, owner="eve"
        )
        with pytest.raises(NotFoundError, match="deleted while its trial was played"):
            store.set_trial("ann", 1, trial=trial_of(), tried="c" * 64)
        assert store.version("ann").trial is None
        store.set_trial("ann", 1, trial=trial_of(), tried="e" * 64)
        assert store.version("ann").trial == trial_of()

    def test_trial(self, store: Store) -> None:
        """The report of a trial is kept with its version, and a later one takes its place."""
        add_version(store, "ann")
        add_version(store, "ann")
        failure = TrialFailure(
            variant="briscola/2", reason="è\udcff", advice="b", seat=1, record="{}"
        )
        full = trial_of(
            passed=False,
            start_up_seconds=0.25,
            matches=(
                TrialMatch(
                    variant="briscola/2",
                    passed=False,
                    reason="r",
                    advice="a",
                    seat=1,
                    record="{}",
                    decisions=3,
                    decision_seconds=0.1,
                ),
                TrialMatch(variant="frap/3", passed=True),
            ),
            checks=(
                TrialCheck(name="odd", tried=3, left_out=1, failures=(failure,)),
                TrialCheck(name="even", tried=1, left_out=0, failures=()),
            ),
            seed="ab" * 32,
            qualified=("frap/3",),
            log="Traceback: \x00",
        )
        store.set_trial("ann", 1, trial=trial_of())
        store.set_trial("ann", 1, trial=full)
        assert [row.trial for row in store.versions("ann")] == [full, None]

    def test_a_version_is_chosen_until_that_is_taken_back(self, store: Store) -> None:
        """Whatever is submitted meanwhile, and only a version that there is."""
        for _ in range(2):
            add_version(store, "ann", create_time=1.0)
        store.choose_version("ann", 1)
        add_version(store, "ann", create_time=2.0)
        chosen = BotRow(name="ann", retired=False, create_time=1.0, chosen=1)
        assert store.bots() == [chosen]
        for number in (0, 4, -1, 2**40):
            with pytest.raises(NotFoundError, match=f"no version {number}"):
                store.choose_version("ann", number)
        assert store.bot("ann") == chosen
        store.choose_version("ann", None)
        assert store.bot("ann") == replace(chosen, chosen=None)

    def test_retired_until_submitted_again(self, store: Store) -> None:
        """A retired bot stays listed; a new version of it makes it active again."""
        add_version(store, "ann", create_time=1.0)
        store.retire("ann")
        store.retire("ann")
        assert store.bot("ann") == BotRow(name="ann", retired=True, create_time=1.0)
        add_version(store, "ann", create_time=2.0)
        assert store.bot("ann") == BotRow(name="ann", retired=False, create_time=1.0)

    def test_a_name_belongs_to_whoever_submitted_it_first(self, store: Store) -> None:
        """Another author is refused, whatever two submissions at once had looked up before."""

        def add(owner: str) -> None:
            store.add_version(
                "ann", content_hash="c" * 64, manifest=manifest_of(), create_time=1.0, owner=owner
            )

        add("alice")
        add("alice")
        add("")  # the organiser may, and takes nothing
        bot = BotRow(name="ann", retired=False, create_time=1.0, owner="alice")
        assert store.bot("ann") == bot
        store.retire("ann")
        with pytest.raises(ConflictError, match="'ann' belongs to somebody else"):
            add("bob")
        assert store.bots() == [replace(bot, retired=True)]
        assert len(store.versions("ann")) == 3
        add_version(store, "house")
        with pytest.raises(ConflictError, match="somebody else"):
            store.add_version(
                "house", content_hash="", manifest=manifest_of(), create_time=1.0, owner="alice"
            )

    @pytest.mark.parametrize("remote", [False, True])
    def test_a_bot_is_remote_or_uploaded_for_good(self, store: Store, remote: bool) -> None:
        """Versions of one name are all of one kind."""

        def add(remote: bool) -> None:
            store.add_version(
                "ann",
                content_hash="",
                manifest=manifest_of(),
                create_time=1.0,
                owner="al",
                remote=remote,
            )

        add(remote)
        add(remote)
        with pytest.raises(InvalidInputError, match="under another name"):
            add(not remote)
        expected = BotRow(name="ann", retired=False, create_time=1.0, owner="al", remote=remote)
        assert store.bots() == [expected]
        assert len(store.versions("ann")) == 2

    @pytest.mark.parametrize("name", ["zoe", "", "a'; DROP TABLE bots", "\udcff", "\x00"])
    def test_unknown_bot(self, store: Store, name: str) -> None:
        """A name that is not there is the caller's error, and says where the names are."""
        add_version(store, "ann")
        assert store.bot(name) is None
        calls: list[Callable[[], object]] = [
            lambda: store.versions(name),
            lambda: store.version(name),
            lambda: store.version(name, 1),
            lambda: store.retire(name),
            lambda: store.set_trial(name, 1, trial=trial_of()),
            lambda: store.choose_version(name, None),
        ]
        for call in calls:
            with pytest.raises(NotFoundError, match="mazzo bots list"):
                call()

    @pytest.mark.parametrize("number", [0, -1, 2, 2**31, 2**80])
    def test_unknown_version(self, store: Store, number: int) -> None:
        """A number that is not there is the caller's error, however large it is."""
        add_version(store, "ann")
        with pytest.raises(NotFoundError, match=f"no version {number}: `mazzo bots show ann`"):
            store.version("ann", number)
        with pytest.raises(NotFoundError):
            store.set_trial("ann", number, trial=trial_of())

    def test_concurrent_submissions(self, store: Store) -> None:
        """Calls may come from several threads: no number is given twice."""
        threads = [
            threading.Thread(target=lambda: [add_version(store, "ann") for _ in range(5)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert [row.number for row in store.versions("ann")] == list(range(1, 21))


def token(name: str, *, create_time: float = 1.0) -> TokenRow:
    """A token with that id."""
    return TokenRow(
        id=name,
        role=Role.AUTHOR,
        subject="alice",
        label="laptop è \udcff\x00",
        hash=bytes(range(32)),
        create_time=create_time,
        revoked=False,
    )


class TestTokens:
    def test_kept_as_given_and_listed_oldest_first(self, store: Store) -> None:
        """Every field comes back, whatever a person wrote into the label."""
        second, first = token("bbbb", create_time=2.0), token("cccc", create_time=1.0)
        third = replace(token("aaaa", create_time=2.5), role=Role.ORGANISER, subject="")
        for row in (second, first, third):
            store.add_token(row)
        assert store.tokens() == [first, second, third]
        assert store.token("bbbb") == second
        assert repr(second.hash) not in repr(second)

    def test_an_id_is_given_once(self, store: Store) -> None:
        """Or a revoked token might come to life under another secret."""
        store.add_token(token("aaaa"))
        with pytest.raises(ConflictError, match="'aaaa'"):
            store.add_token(replace(token("aaaa"), hash=bytes(32)))
        assert store.tokens() == [token("aaaa")]

    def test_revoked_for_good(self, store: Store) -> None:
        """The row stays, so that one can see what there was."""
        store.add_token(token("aaaa"))
        store.add_token(token("bbbb"))
        store.revoke_token("aaaa")
        store.revoke_token("aaaa")
        assert store.tokens() == [replace(token("aaaa"), revoked=True), token("bbbb")]

    @pytest.mark.parametrize("name", ["zoe", "", "a'; DROP TABLE tokens", "\udcff", "\x00"])
    def test_unknown_token(self, store: Store, name: str) -> None:
        """An id that is not there is the caller's error, and says where the ids are."""
        store.add_token(token("aaaa"))
        assert store.token(name) is None
        with pytest.raises(NotFoundError, match="mazzo auth list"):
            store.revoke_token(name)
        with pytest.raises(NotFoundError, match="mazzo auth list"):
            store.mark_token_used(name, 5.0)

    def test_an_expiry_and_the_latest_use_are_kept(self, store: Store) -> None:
        """A clock that was set back, or a slower process, takes no later use away."""
        row = replace(token("aaaa"), expire_time=1e9 + 0.25)
        store.add_token(row)
        store.add_token(token("bbbb"))
        assert store.token("aaaa") == row
        for time, latest in ((7.0, 7.0), (9.5, 9.5), (3.0, 9.5)):
            store.mark_token_used("aaaa", time)
            assert store.tokens() == [replace(row, last_use_time=latest), token("bbbb")]

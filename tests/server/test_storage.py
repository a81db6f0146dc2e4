"""The store: one suite over every implementation, then what only a file can get wrong."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, QueuePool, create_engine, event

from mazzo_server import storage
from mazzo_server.access import Role
from mazzo_server.definition import Definition, Entrant, Mirror, TimeControl
from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError, StoreError
from mazzo_server.outcome import DealPlay, Fault, MatchOutcome, Owner, Termination
from mazzo_server.storage import (
    BotRow,
    MemoryStore,
    OutcomeWriter,
    Store,
    TokenRow,
    TournamentStatus,
    WithdrawalRow,
    open_store,
)
from mazzo_server.storage.encoding import encode_definition
from mazzo_server.storage.schema import REVISIONS, metadata

PATIENCE = 60.0  # seconds, the longest wait for anything
MIGRATIONS = Path(storage.__file__).parent / "migrations"
SPAWN = multiprocessing.get_context("spawn")

DEFINITION = Definition(
    name="evening",
    variant="briscola/2",
    entrants=(
        Entrant(name="ann", version=1, content_hash="a" * 64),
        Entrant(name="bob", version=3, content_hash="b" * 64),
    ),
    match_format="deals:2",
    mirror=Mirror.ROTATIONS,
    groups=500,
    draws="seats",
    time=TimeControl(),
    isolation="none",
    seed=bytes(range(32)),
    seed_chosen=True,
)


def deal(number: int = 0) -> DealPlay:
    """A short deal that differs from the others."""
    return DealPlay(
        dealer=number % 2,
        actions=bytes([number % 256, 7, 0, 255]),
        scores=(number, 120 - number),
        micros=(number, 2**32 - 1, 0, 5),
        substituted=(1,),
        forfeited=number % 3 == 2,
    )


def outcome(group: int, seating: int = 0, *, deals: int = 2) -> MatchOutcome:
    """A match with a fault and a fraction in its scores."""
    return MatchOutcome(
        group=group,
        seating=seating,
        entrants=(1, 0),
        match_scores=(Fraction(3, 2), Fraction(1, 2)),
        deals=tuple(deal(group + number) for number in range(deals)),
        faults=(
            Fault(
                seat=1,
                termination=Termination.CRASHED,
                owner=Owner.BOT,
                reason="exit status 1: \udcff\x00",
                deal=1,
                decision=4,
                log="Traceback: \udcff\x00\n",
            ),
            Fault(
                seat=0,
                termination=Termination.LEFT,
                owner=Owner.NETWORK,
                reason="gone",
                deal=1,
                decision=5,
            ),
        ),
        late=(0, 2),
        decisions=(20, 19),
        thinking_seconds=(0.1, 2.5),
        attempt=group % 3,
    )


def without_plays(match: MatchOutcome) -> MatchOutcome:
    """What `with_deals=False` gives of a match."""
    deals = (replace(one, actions=b"", micros=(), substituted=()) for one in match.deals)
    faults = (replace(fault, log="") for fault in match.faults)
    return replace(match, deals=tuple(deals), faults=tuple(faults))


def add_version(store: Store, name: str, *, create_time: float = 1.0) -> int:
    """Add a version with arbitrary contents; its number."""
    return store.add_version(
        name, content_hash="c" * 64, manifest={"command": ["x"]}, create_time=create_time
    ).number


def add_tournament(store: Store, definition: Definition = DEFINITION) -> int:
    """Add a tournament; its number."""
    return store.add_tournament(definition, concurrency=2, create_time=5.0).id


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is not there yet, in a folder that is not there yet, with odd characters."""
    return tmp_path / "a home?#%41 è" / "mazzo.db"


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    """An empty store of each implementation."""
    made: Store = open_store(path) if request.param == "sqlite" else MemoryStore()
    with closing(made):
        yield made


def test_door_is_pinned() -> None:
    """What the package offers is sorted and is what others rely on."""
    assert storage.__all__ == sorted(storage.__all__)
    assert all(hasattr(storage, name) for name in storage.__all__)


class TestBots:
    def test_versions_are_numbered_for_each_bot(self, store: Store) -> None:
        """Entrants pin a version by bot and number: numbers are 1, 2, 3 for each bot."""
        assert [add_version(store, name) for name in ("bob", "ann", "bob", "bob")] == [1, 1, 2, 3]
        assert [row.name for row in store.bots()] == ["ann", "bob"]
        assert [row.number for row in store.versions("bob")] == [1, 2, 3]
        assert store.version("bob") == store.version("bob", 3) == store.versions("bob")[-1]
        assert store.version("ann", 1).bot == "ann"

    def test_version_keeps_what_it_was_given(self, store: Store) -> None:
        """A version is what was submitted, whatever the caller does with its dicts later."""
        manifest: dict[str, Any] = {"b": [1, None, 2.5], "a": {"è": "\udcff"}}
        added = store.add_version(
            "ann", content_hash="f" * 64, manifest=manifest, create_time=1234.5678
        )
        manifest["b"].append("changed")
        assert store.version("ann") == added
        assert added.manifest == {"b": [1, None, 2.5], "a": {"è": "\udcff"}}
        assert (added.content_hash, added.create_time, added.trial) == ("f" * 64, 1234.5678, None)
        added.manifest.clear()
        assert store.version("ann").manifest != {}

    def test_trial(self, store: Store) -> None:
        """The report of a trial is kept with its version, and a later one takes its place."""
        add_version(store, "ann")
        add_version(store, "ann")
        store.set_trial("ann", 1, trial={"passed": False})
        store.set_trial("ann", 1, trial={"passed": True})
        assert [row.trial for row in store.versions("ann")] == [{"passed": True}, None]

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
                "ann", content_hash="c" * 64, manifest={}, create_time=1.0, owner=owner
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
            store.add_version("house", content_hash="", manifest={}, create_time=1.0, owner="alice")

    @pytest.mark.parametrize("remote", [False, True])
    def test_a_bot_is_remote_or_uploaded_for_good(self, store: Store, remote: bool) -> None:
        """Versions of one name are all of one kind."""

        def add(remote: bool) -> None:
            store.add_version(
                "ann", content_hash="", manifest={}, create_time=1.0, owner="al", remote=remote
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
            lambda: store.set_trial(name, 1, trial={}),
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
            store.set_trial("ann", number, trial={})

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


class TestTournaments:
    def test_life_of_a_tournament(self, store: Store) -> None:
        """A tournament is its definition; only status and end move."""
        row = store.add_tournament(DEFINITION, concurrency=4, create_time=7.5)
        assert (row.id, row.definition, row.concurrency) == (1, DEFINITION, 4)
        assert (row.status, row.create_time, row.end_time) == (TournamentStatus.CREATED, 7.5, None)
        store.set_status(1, TournamentStatus.RUNNING)
        assert store.tournament(1) == replace(row, status=TournamentStatus.RUNNING)
        store.set_status(1, TournamentStatus.FINISHED, end_time=9.25)
        finished = replace(row, status=TournamentStatus.FINISHED, end_time=9.25)
        assert store.tournament(1) == finished
        assert add_tournament(store) == 2
        assert store.tournaments() == [finished, store.tournament(2)]

    @pytest.mark.parametrize("number", [0, -1, 2, 2**31, 2**80])
    def test_unknown_tournament(self, store: Store, number: int) -> None:
        """Every call about a tournament that is not there says so, and how to find one."""
        add_tournament(store)
        calls: list[Callable[[], object]] = [
            lambda: store.tournament(number),
            lambda: store.set_status(number, TournamentStatus.RUNNING),
            lambda: store.add_outcomes(number, [outcome(0)]),
            lambda: store.add_outcomes(number, []),
            lambda: store.outcomes(number, with_deals=True),
            lambda: store.finished_matches(number),
            lambda: store.begin_matches(number, [(0, 0)]),
            lambda: store.attempts(number, group=0),
            lambda: store.add_withdrawal(number, 0, reason=""),
            lambda: store.withdrawals(number),
        ]
        for call in calls:
            with pytest.raises(NotFoundError, match=f"{number}: `mazzo tournament list`"):
                call()

    def test_withdrawals(self, store: Store) -> None:
        """A withdrawn entrant is named with the reason, once, whatever a bot wrote in it."""
        tournament = add_tournament(store)
        other = add_tournament(store)
        store.add_withdrawal(tournament, 1, reason="did not start: \udcff\x00\n")
        store.add_withdrawal(tournament, 0, reason="")
        with pytest.raises(ConflictError, match="entrant 1 of tournament 1"):
            store.add_withdrawal(tournament, 1, reason="again")
        assert store.withdrawals(tournament) == [
            WithdrawalRow(tournament=tournament, entrant=0, reason=""),
            WithdrawalRow(tournament=tournament, entrant=1, reason="did not start: \udcff\x00\n"),
        ]
        assert store.withdrawals(other) == []


class TestAttempts:
    def test_each_match_is_counted_from_zero(self, store: Store) -> None:
        """A match that is begun again is told apart from one that begins."""
        number = add_tournament(store)
        other = add_tournament(store)
        assert store.begin_matches(number, []) == []
        assert store.begin_matches(number, [(3, 0), (1, 1)]) == [0, 0]
        assert store.begin_matches(number, [(1, 1), (2, 0), (3, 1)]) == [1, 0, 0]
        assert store.begin_matches(number, [(3, 0), (1, 1)]) == [1, 2]
        assert store.begin_matches(other, [(1, 1)]) == [0]

    def test_the_latest_one_of_each_match(self, store: Store) -> None:
        """Of one mirror group; a match that was never begun has none."""
        number = add_tournament(store)
        other = add_tournament(store)
        store.begin_matches(number, [(1, 1), (1, 0), (2, 0)])
        store.begin_matches(number, [(1, 1)])
        assert store.attempts(number, group=1) == {0: 0, 1: 1}
        assert store.attempts(number, group=3) == {}
        assert store.attempts(other, group=1) == {}


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


class TestOutcomes:
    def test_in_schedule_order(self, store: Store) -> None:
        """Promise 5: what is read does not depend on the order of finishing."""
        tournament = add_tournament(store)
        other = add_tournament(store)
        played = [outcome(group, seating) for group in (10, 9, 2) for seating in (1, 0)]
        store.add_outcomes(tournament, played[:4])
        store.add_outcomes(tournament, played[4:])
        store.add_outcomes(tournament, [])
        expected = sorted(played, key=lambda one: (one.group, one.seating))
        assert store.outcomes(tournament, with_deals=True) == expected
        assert store.outcomes(tournament, with_deals=False) == [*map(without_plays, expected)]
        assert store.outcomes(tournament, with_deals=True, group=9) == expected[2:4]
        assert store.outcomes(tournament, with_deals=False, group=2**80) == []
        assert store.finished_matches(tournament) == set(itertools.product((2, 9, 10), (0, 1)))
        assert store.outcomes(other, with_deals=True) == []
        assert store.finished_matches(other) == set()

    @pytest.mark.parametrize(
        "batch",
        [
            pytest.param([outcome(5), outcome(3), outcome(6)], id="stored before"),
            pytest.param([outcome(5), outcome(5, deals=0)], id="twice in the batch"),
        ],
    )
    def test_no_match_is_counted_twice(self, store: Store, batch: list[MatchOutcome]) -> None:
        """Promise 5: a match that is there refuses its batch as a whole, and stays as it was."""
        tournament = add_tournament(store)
        store.add_outcomes(tournament, [outcome(3), outcome(4)])
        with pytest.raises(ConflictError, match=rf"mirror group [35] of tournament {tournament}"):
            store.add_outcomes(tournament, batch)
        assert store.outcomes(tournament, with_deals=True) == [outcome(3), outcome(4)]
        store.add_outcomes(add_tournament(store), [outcome(3)])

    def test_very_long_thought(self, store: Store) -> None:
        """A decision of two hours does not cost the match its place in the store."""
        tournament = add_tournament(store)
        hours = 2 * 3600 * 10**6
        store.add_outcomes(
            tournament, [replace(outcome(0), deals=(replace(deal(), micros=(1, hours)),))]
        )
        (stored,) = store.outcomes(tournament, with_deals=True)
        assert stored.deals[0].micros in {(1, hours), (1, 2**32 - 1)}

    def test_more_matches_than_sql_variables(self, store: Store) -> None:
        """A batch may have any size: more rows than a statement may have variables."""
        tournament = add_tournament(store)
        store.add_outcomes(tournament, [outcome(group, deals=0) for group in range(33_000)])
        assert len(store.finished_matches(tournament)) == 33_000

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.data())
    def test_definition_round_trip(self, store: Store, data: st.DataObject) -> None:
        """Promise 5: a tournament's definition comes back as it was stored."""
        definition = data.draw(DEFINITIONS)
        row = store.add_tournament(definition, concurrency=1, create_time=0.0)
        assert store.tournament(row.id) == row
        assert row.definition == definition

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.data())
    def test_outcome_round_trip(self, store: Store, data: st.DataObject) -> None:
        """Promise 5: standings after a resumption are made of the same values."""
        match = data.draw(OUTCOMES)
        tournament = add_tournament(store)
        store.add_outcomes(tournament, [match])
        assert store.outcomes(tournament, with_deals=True) == [match]
        assert store.outcomes(tournament, with_deals=False) == [without_plays(match)]
        assert store.finished_matches(tournament) == {(match.group, match.seating)}


TEXTS = st.text(st.characters(), max_size=20)  # lone surrogates too
SMALL = st.integers(0, 2**31 - 1)
SIGNED = st.integers(-(2**31), 2**31 - 1)
UINT32S = st.lists(st.integers(0, 2**32 - 1), max_size=8).map(tuple)
SECONDS = st.floats(min_value=0, allow_infinity=False, allow_nan=False)

DEFINITIONS = st.builds(
    Definition,
    name=TEXTS,
    variant=TEXTS,
    entrants=st.lists(
        st.builds(Entrant, name=TEXTS, version=SMALL, content_hash=TEXTS), max_size=4
    ).map(tuple),
    match_format=TEXTS,
    mirror=st.sampled_from(Mirror),
    groups=SMALL,
    draws=TEXTS,
    time=st.builds(TimeControl, bank=SECONDS, increment=SECONDS, limit=SECONDS, start_up=SECONDS),
    isolation=TEXTS,
    seed=st.binary(min_size=32, max_size=32),
    seed_chosen=st.booleans(),
    draw_probability=SECONDS,
)

OUTCOMES = st.builds(
    MatchOutcome,
    group=SMALL,
    seating=SMALL,
    entrants=st.lists(SMALL, max_size=6).map(tuple),
    match_scores=st.lists(st.fractions(), max_size=6).map(tuple),
    deals=st.lists(
        st.builds(
            DealPlay,
            dealer=SMALL,
            actions=st.binary(max_size=40),
            scores=st.lists(SIGNED, max_size=6).map(tuple),
            micros=UINT32S,
            substituted=UINT32S,
            forfeited=st.booleans(),
        ),
        max_size=4,
    ).map(tuple),
    faults=st.lists(
        st.builds(
            Fault,
            seat=SMALL,
            termination=st.sampled_from(Termination),
            owner=st.sampled_from(Owner),
            reason=TEXTS,
            deal=SMALL,
            decision=SMALL,
            log=TEXTS,
        ),
        max_size=2,
    ).map(tuple),
    late=st.lists(SMALL, max_size=6).map(tuple),
    decisions=st.lists(SMALL, max_size=6).map(tuple),
    thinking_seconds=st.lists(SECONDS, max_size=6).map(tuple),
    attempt=SMALL,
)


# A store as the revision 0001 made it, with a bot, a tournament, and a match with a fault.
FIRST_REVISION = f"""
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('0001');
CREATE TABLE bots (
    name TEXT NOT NULL PRIMARY KEY, retired BOOLEAN NOT NULL, create_time DOUBLE NOT NULL
);
INSERT INTO bots VALUES ('ann', 1, 3.5);
CREATE TABLE versions (
    bot TEXT NOT NULL REFERENCES bots (name), number INTEGER NOT NULL, content_hash TEXT NOT NULL,
    manifest TEXT NOT NULL, trial TEXT, create_time DOUBLE NOT NULL, PRIMARY KEY (bot, number)
);
INSERT INTO versions VALUES ('ann', 1, 'cc', '{{"command":["x"]}}', '{{"passed":true}}', 3.5);
CREATE TABLE tournaments (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, definition TEXT NOT NULL,
    concurrency INTEGER NOT NULL, status TEXT NOT NULL, create_time DOUBLE NOT NULL,
    end_time DOUBLE
);
INSERT INTO tournaments VALUES (1, '{encode_definition(DEFINITION)}', 2, 'running', 5.0, NULL);
CREATE TABLE matches (
    tournament INTEGER NOT NULL REFERENCES tournaments (id), mirror_group INTEGER NOT NULL,
    seating INTEGER NOT NULL, entrants TEXT NOT NULL, match_scores TEXT NOT NULL,
    deals TEXT NOT NULL, faults TEXT NOT NULL, late TEXT NOT NULL, decisions TEXT NOT NULL,
    thinking_seconds TEXT NOT NULL, PRIMARY KEY (tournament, mirror_group, seating)
) WITHOUT ROWID;
INSERT INTO matches VALUES (
    1, 0, 0, '[0,1]', '["2","0"]', '[{{"dealer":1,"forfeited":true,"scores":[]}}]',
    '[{{"deal":0,"decision":3,"owner":"bot","reason":"odd","seat":1,"termination":"crashed"}}]',
    '[0,0]', '[1,1]', '[0.5,0.5]'
);
CREATE TABLE deals (
    tournament INTEGER NOT NULL, mirror_group INTEGER NOT NULL, seating INTEGER NOT NULL,
    number INTEGER NOT NULL, actions BLOB NOT NULL, micros BLOB NOT NULL,
    substituted BLOB NOT NULL, PRIMARY KEY (tournament, mirror_group, seating, number),
    FOREIGN KEY (tournament, mirror_group, seating)
        REFERENCES matches (tournament, mirror_group, seating)
) WITHOUT ROWID;
INSERT INTO deals VALUES (1, 0, 0, 0, x'0102', x'0100000002000000', x'');
CREATE TABLE withdrawals (
    tournament INTEGER NOT NULL REFERENCES tournaments (id), entrant INTEGER NOT NULL,
    reason TEXT NOT NULL, PRIMARY KEY (tournament, entrant)
);
"""


@contextmanager
def plain_engine(path: Path) -> Iterator[Engine]:
    """The file as SQLAlchemy sees it without the store."""
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(path), poolclass=QueuePool)
    try:
        yield engine
    finally:
        engine.dispose()


class TestFile:
    def test_made_for_its_owner_alone(self, path: Path) -> None:
        """The seeds of running tournaments are secret: nobody else may read the store."""
        with closing(open_store(path)) as store:
            add_tournament(store)
            assert path.parent.stat().st_mode & 0o777 == 0o700
            files = list(path.parent.iterdir())
            assert path in files
            assert {file.name: file.stat().st_mode & 0o077 for file in files} == {
                file.name: 0 for file in files
            }

    def test_survives_reopening(self, path: Path) -> None:
        """What a call has written is there for the next process; numbers are not reused."""
        with closing(open_store(path)) as store:
            tournament = add_tournament(store)
            store.add_outcomes(tournament, [outcome(1)])
        with closing(open_store(path)) as store:
            assert store.outcomes(tournament, with_deals=True) == [outcome(1)]
            assert add_tournament(store) == tournament + 1

    def test_durable_and_checked(self, path: Path) -> None:
        """A confirmed match survives a power cut: WAL with synchronous=FULL on every connection."""
        open_store(path).close()
        seen = []

        @event.listens_for(QueuePool, "connect")
        def look(connection: sqlite3.Connection, _: object) -> None:
            pragmas = ("journal_mode", "synchronous", "foreign_keys")
            seen.append([connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas])

        try:
            open_store(path).close()
        finally:
            event.remove(QueuePool, "connect", look)
        assert seen
        assert all(values == ["wal", 2, 1] for values in seen)

    def test_opening_an_existing_store_does_not_migrate(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The command line opens the store at every call: Alembic is not even imported."""
        open_store(path).close()
        monkeypatch.setitem(sys.modules, "alembic", None)
        open_store(path).close()

    def test_migrations_make_the_tables(self, path: Path) -> None:
        """The tables that the code uses are those that the revisions make."""
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        scripts = ScriptDirectory.from_config(config)
        known = [script.revision for script in scripts.walk_revisions()]
        assert tuple(reversed(known)) == REVISIONS
        open_store(path).close()
        with plain_engine(path) as engine, engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []

    def test_a_store_of_the_first_revision_is_brought_up_to_date(self, path: Path) -> None:
        """With all that is in it: bots are the organiser's, and nothing was remote."""
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as file:
            file.executescript(FIRST_REVISION)
        with closing(open_store(path)) as store:
            assert store.bots() == [BotRow(name="ann", retired=True, create_time=3.5)]
            assert store.version("ann").trial == {"passed": True}
            assert store.tournament(1).definition == DEFINITION
            (match,) = store.outcomes(1, with_deals=True)
            assert (match.match_scores, match.attempt) == ((Fraction(2), Fraction(0)), 0)
            assert [fault.log for fault in match.faults] == [""]
            assert match.deals[0].actions == b"\x01\x02"
            assert store.tokens() == []
            store.add_outcomes(1, [outcome(1)])
            add_version(store, "ann")
        with plain_engine(path) as engine, engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []

    def test_unfinished_migration_leaves_nothing(self, path: Path) -> None:
        """A store is at one revision or at another, never in between."""
        with small_disk(pages=8), pytest.raises(StoreError, match="disk is full"):
            open_store(path)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT * FROM sqlite_master").fetchall() == []
        open_store(path).close()

    def test_store_of_a_newer_version(self, path: Path) -> None:
        """An older mazzo does not touch a newer store, and says who can."""
        open_store(path).close()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(StoreError) as caught:
            open_store(path)
        for part in (str(path), "'9999'", f"{REVISIONS[-1]!r}", "install", "MAZZO_HOME"):
            assert part in str(caught.value)

    def test_database_of_something_else(self, path: Path) -> None:
        """A database that mazzo did not write is refused and left as it is."""
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE songs (title)")
        with pytest.raises(StoreError, match="a database of something else"):
            open_store(path)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]

    def test_empty_file(self, path: Path) -> None:
        """A crash between making the file and its tables does no harm."""
        path.parent.mkdir()
        path.touch()
        with closing(open_store(path)) as store:
            assert store.bots() == []

    def test_no_database(self, path: Path) -> None:
        """A file that is no database is refused and left as it is."""
        path.parent.mkdir()
        text = b"a shopping list\n" * 100
        path.write_bytes(text)
        with pytest.raises(StoreError, match="not a database") as caught:
            open_store(path)
        assert str(path) in str(caught.value)
        assert caught.value.__cause__ is not None
        assert path.read_bytes() == text

    def test_folder_in_its_place(self, path: Path) -> None:
        """A folder where the file should be is the organiser's error, with its path."""
        path.mkdir(parents=True)
        with pytest.raises(StoreError) as caught:
            open_store(path)
        assert str(path) in str(caught.value)

    @pytest.mark.parametrize("place", ["file/mazzo.db", "file/deeper/mazzo.db"])
    def test_folder_that_cannot_be_made(self, tmp_path: Path, place: str) -> None:
        """What the file system refuses is a `StoreError` with the path."""
        (tmp_path / "file").touch()
        with pytest.raises(StoreError, match=r"mazzo\.db"):
            open_store(tmp_path / place)

    def test_folder_that_cannot_be_written(self) -> None:
        """An unwritable folder is a `StoreError` (no process may write here, root neither)."""
        with pytest.raises(StoreError, match=r"/proc/mazzo"):
            open_store(Path("/proc/mazzo.db"))

    def test_full_disk(self, path: Path) -> None:
        """A full disk says so; the batch is out as a whole, and what was stored before stays."""
        with small_disk(pages=80), closing(open_store(path)) as store:
            tournament = add_tournament(store)
            stored = []

            def fill() -> None:
                for number in itertools.count():
                    batch = [outcome(number, seating) for seating in range(5)]
                    store.add_outcomes(tournament, batch)
                    stored.extend(batch)

            with pytest.raises(StoreError, match="disk is full: make room") as caught:
                fill()
            assert "sqlite3.OperationalError" in repr(caught.value.__cause__)
            assert stored
            assert store.outcomes(tournament, with_deals=True) == stored
        with closing(open_store(path)) as store:
            store.add_outcomes(tournament, [outcome(10**6)])
            assert store.outcomes(tournament, with_deals=True) == [*stored, outcome(10**6)]

    def test_damage_is_a_store_error(self, path: Path) -> None:
        """Columns that cannot be read are the store's error, not a crash of ours."""
        with closing(open_store(path)) as store:
            tournament = add_tournament(store)
            store.add_outcomes(tournament, [outcome(1)])
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("DELETE FROM deals WHERE number = 1")
                connection.execute("UPDATE tournaments SET definition = '{}'")
            for read in (
                lambda: store.outcomes(tournament, with_deals=True),
                lambda: store.tournament(tournament),
            ):
                with pytest.raises(StoreError, match="damaged"):
                    read()

    def test_reading_beside_a_writer(self, path: Path) -> None:
        """One process may list while another writes: a reader neither waits nor disturbs."""
        with closing(open_store(path)) as store, closing(sqlite3.connect(path)) as writer:
            add_tournament(store)
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("UPDATE tournaments SET concurrency = 99")
            assert store.tournament(1).concurrency == 2
            writer.commit()
            assert store.tournament(1).concurrency == 99


@contextmanager
def small_disk(*, pages: int) -> Iterator[None]:
    """Every database that is opened meanwhile finds its disk full at that many pages."""

    @event.listens_for(QueuePool, "connect")
    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    try:
        yield
    finally:
        event.remove(QueuePool, "connect", limit)


def open_when_told(path: Path, wire: Connection) -> None:
    """In another process: say ready, wait, open the store, submit, say how it went."""
    wire.send("ready")
    wire.recv()
    try:
        with closing(open_store(path)) as store:
            wire.send(add_version(store, "ann"))
    except Exception as error:
        wire.send(repr(error))


def write_until_killed(path: Path, tournament: int, wire: Connection) -> None:
    """In another process: put matches from several tasks, and tell each that was confirmed."""

    async def play(writer: OutcomeWriter, seating: int) -> None:
        for group in itertools.count():
            await writer.put(outcome(group, seating, deals=3))
            wire.send((group, seating))

    async def main(store: Store) -> None:
        writer = OutcomeWriter(store, tournament, delay=0.001)
        await asyncio.gather(*(play(writer, seating) for seating in range(8)))

    with closing(open_store(path)) as store:
        asyncio.run(main(store))


@contextmanager
def other_process(target: Callable[..., None], *args: object) -> Iterator[Connection]:
    """Run `target(*args, wire)` in a process of its own, and kill it in the end."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=target, args=(*args, there))
    process.start()
    there.close()
    try:
        yield here
    finally:
        process.kill()
        process.join(PATIENCE)
        process.close()
        here.close()


def receive(wire: Connection) -> Any:
    """The next message, within our patience."""
    assert wire.poll(PATIENCE), "expected a message from the other process"
    return wire.recv()


class TestProcesses:
    def test_opening_a_new_store_at_once(self, path: Path) -> None:
        """Two commands started together on a new home both succeed."""
        with (
            other_process(open_when_told, path) as one,
            other_process(open_when_told, path) as two,
        ):
            assert [receive(one), receive(two)] == ["ready", "ready"]
            one.send("go")
            two.send("go")
            assert sorted([receive(one), receive(two)], key=str) == [1, 2]

    def test_killed_while_writing(self, path: Path) -> None:
        """Promise 5: after a kill -9 all that was confirmed is there, and each match is whole."""
        with closing(open_store(path)) as store:
            tournament = add_tournament(store)
            with other_process(write_until_killed, path, tournament) as wire:
                confirmed = {receive(wire) for _ in range(200)}
                while wire.poll():
                    confirmed.add(wire.recv())
            stored = store.outcomes(tournament, with_deals=True)
            assert stored == [outcome(one.group, one.seating, deals=3) for one in stored]
            assert confirmed <= store.finished_matches(tournament)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            deals = connection.execute("SELECT count(*) FROM deals").fetchone()
            assert deals == (3 * len(stored),)


class CountingStore(MemoryStore):
    """Counts its transactions; from the given one on it fails."""

    def __init__(self, *, fails_at: int | None = None) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.fails_at = fails_at
        self.entered = threading.Event()
        self.gate = threading.Event()
        self.gate.set()

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        """As the store does, once the gate is open."""
        self.entered.set()
        assert self.gate.wait(PATIENCE)
        self.batches.append(len(outcomes))
        if len(self.batches) - 1 == self.fails_at:
            raise StoreError("the disk is full")
        super().add_outcomes(tournament_id, outcomes)


async def turns(count: int = 5) -> None:
    """Let the other tasks of the loop go on."""
    for _ in range(count):
        await asyncio.sleep(0)


class TestWriter:
    def run(
        self,
        store: CountingStore,
        body: Callable[[OutcomeWriter], Any],
        *,
        delay: float = 3600.0,
        batch: int = 256,
    ) -> Any:
        """Run `body` with a writer on a tournament of the store, and close the writer."""
        tournament = add_tournament(store)

        async def main() -> Any:
            async with asyncio.timeout(PATIENCE):
                writer = OutcomeWriter(store, tournament, delay=delay, batch=batch)
                try:
                    return await body(writer)
                finally:
                    await writer.close()
                    await writer.close()

        return asyncio.run(main())

    def test_full_batch_does_not_wait(self) -> None:
        """One transaction for a full batch, at once: the delay here is an hour."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            await asyncio.gather(*(writer.put(outcome(group)) for group in range(8)))

        self.run(store, body, batch=4)
        assert store.batches == [4, 4]
        assert len(store.finished_matches(1)) == 8

    def test_batch_is_committed_when_its_time_is_up(self) -> None:
        """A match waits for at most the delay, whoever comes with it."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            await asyncio.gather(*(writer.put(outcome(group)) for group in range(7)))
            await writer.put(outcome(7))

        self.run(store, body, delay=0.0)
        assert store.batches == [7, 1]

    def test_arrivals_during_a_commit_share_the_next(self) -> None:
        """A slow disk makes larger batches, not a longer queue of transactions."""
        store = CountingStore()
        store.gate.clear()

        async def body(writer: OutcomeWriter) -> None:
            first = asyncio.create_task(writer.put(outcome(0)))
            await asyncio.to_thread(store.entered.wait, PATIENCE)
            others = [asyncio.create_task(writer.put(outcome(n))) for n in range(1, 6)]
            await turns()
            assert not first.done()
            store.gate.set()
            await asyncio.gather(first, *others)

        self.run(store, body, delay=0.0)
        assert store.batches == [1, 5]

    def test_close_stores_what_waits(self) -> None:
        """Stopping a tournament loses no finished match, and does not wait for the delay."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            waiting = [asyncio.create_task(writer.put(outcome(n))) for n in range(3)]
            await turns()
            await writer.close()
            await asyncio.gather(*waiting)
            with pytest.raises(ConflictError, match="closed"):
                await writer.put(outcome(3))

        self.run(store, body)
        assert store.batches == [3]

    def test_unused(self) -> None:
        """A writer that nobody used closes."""

        async def body(writer: OutcomeWriter) -> None:
            del writer

        self.run(CountingStore(), body)

    def test_error_reaches_everyone(self) -> None:
        """After a `StoreError` nobody believes that a match was stored."""
        store = CountingStore(fails_at=1)

        async def body(writer: OutcomeWriter) -> list[Any]:
            puts = [writer.put(outcome(group)) for group in range(5)]
            results = await asyncio.gather(*puts, return_exceptions=True)
            with pytest.raises(StoreError, match="the disk is full"):
                await writer.put(outcome(5))
            return results

        results = self.run(store, body, delay=0.0, batch=2)
        assert results[:2] == [None, None]
        assert all(isinstance(result, StoreError) for result in results[2:])
        assert store.batches == [2, 2]
        assert store.finished_matches(1) == {(0, 0), (1, 0)}

    def test_conflict_reaches_the_waiters(self) -> None:
        """Two processes that run one tournament are found out, and nothing is stored twice."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> list[Any]:
            puts = [writer.put(outcome(0)), writer.put(outcome(0))]
            return await asyncio.gather(*puts, return_exceptions=True)

        results = self.run(store, body, delay=0.0)
        assert all(isinstance(result, ConflictError) for result in results)
        assert store.finished_matches(1) == set()

    def test_cancelled_put_disturbs_nobody(self) -> None:
        """A match whose waiter has gone is stored with the others."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            gone = asyncio.create_task(writer.put(outcome(0)))
            await turns()
            gone.cancel()
            await writer.put(outcome(1))

        self.run(store, body, batch=2)
        assert store.finished_matches(1) == {(0, 0), (1, 0)}

    def test_on_disk(self, path: Path) -> None:
        """The writer over the real store: what was put is there."""

        async def main(store: Store, tournament: int) -> None:
            writer = OutcomeWriter(store, tournament, delay=0.0)
            await asyncio.gather(*(writer.put(outcome(group)) for group in range(50)))
            await writer.close()

        with closing(open_store(path)) as store:
            tournament = add_tournament(store)
            asyncio.run(main(store, tournament))
            assert store.outcomes(tournament, with_deals=True) == [*map(outcome, range(50))]

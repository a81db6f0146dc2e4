"""The store in PostgreSQL: what only a server can get wrong, and several processes at one."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from multiprocessing.connection import Connection

import psycopg
import pytest

from mazzo_server.errors import ConflictError, InvalidInputError, StoreError
from mazzo_server.storage import Store, open_store
from support.other_processes import open_when_told, other_process, receive, write_until_killed
from support.postgres import Databases
from support.stored_rows import PATIENCE, add_tournament, add_version, outcome

pytestmark = pytest.mark.slow


@pytest.fixture
def empty(databases: Databases) -> Iterator[str]:
    """The address of a database with nothing in it."""
    with databases.database() as url:
        yield url


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """The address of an empty store."""
    with databases.store() as url:
        yield url


def claim_and_wait(url: str, tournament: int, wire: Connection) -> None:
    """In another process: claim a tournament, say so, and keep it until killed."""
    with closing(open_store(url)) as store:
        wire.send(store.claim(tournament) is not None)
        wire.recv()


class TestOpening:
    def test_two_at_once(self, empty: str) -> None:
        """Two servers that are started together on a new database both succeed."""
        with (
            other_process(open_when_told, empty) as one,
            other_process(open_when_told, empty) as two,
        ):
            assert [receive(one), receive(two)] == ["ready", "ready"]
            one.send("go")
            two.send("go")
            assert sorted([receive(one), receive(two)], key=str) == [1, 2]

    def test_unfinished_migration_leaves_nothing(self, databases: Databases, empty: str) -> None:
        """A store has all its tables or none."""
        with psycopg.connect(empty, autocommit=True) as connection:
            # Any relation that is no table stands in the way of a later one.
            connection.execute("CREATE VIEW checkpoints AS SELECT 1")
            with pytest.raises(StoreError, match="checkpoints"):
                open_store(empty)
            assert connection.execute(
                "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            ).fetchone() == (0,)
            connection.execute("DROP VIEW checkpoints")
        open_store(empty).close()

    def test_several_stores_in_one_database(self, empty: str) -> None:
        """Each schema has its own tournaments, and whoever plays them."""
        with psycopg.connect(empty, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA one; CREATE SCHEMA two")
        urls = [f"{empty}&options=-csearch_path%3D{name}" for name in ("one", "two")]
        with closing(open_store(urls[0])) as one, closing(open_store(urls[1])) as two:
            assert add_tournament(one) == add_tournament(two) == 1
            claim = one.claim(1)
            assert claim is not None
            assert (one.is_claimed(1), two.is_claimed(1)) == (True, False)
            claim.release()

    def test_database_of_something_else(self, empty: str) -> None:
        """A database that mazzo did not write is refused and left as it is."""
        with psycopg.connect(empty, autocommit=True) as connection:
            connection.execute("CREATE TABLE songs (title text)")
            with pytest.raises(StoreError, match="a database of something else: choose another"):
                open_store(empty)
            tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            assert connection.execute(tables).fetchall() == [("songs",)]


class TestAddress:
    def test_nobody_answers(self) -> None:
        """Whoever mistyped the address reads what to check."""
        with pytest.raises(StoreError, match="is the database server running") as caught:
            open_store("postgresql://ann:hunter2@localhost:1/mazzo")
        assert "postgresql://ann@localhost:1/mazzo" in str(caught.value)
        assert "hunter2" not in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_wrong_password(self, databases: Databases, url: str) -> None:
        """And it is never shown."""
        databases.run("DROP ROLE IF EXISTS stranger")
        databases.run("CREATE ROLE stranger LOGIN PASSWORD 'right'")
        with databases.rule("local all stranger scram-sha-256"):
            address = url.replace("mazzo@", "stranger:hunter2@")
            with pytest.raises(StoreError, match="check the user and the password") as caught:
                open_store(address)
        assert "password authentication failed" in str(caught.value)
        assert "hunter2" not in str(caught.value)

    @pytest.mark.parametrize(
        ("what", "other", "advice"),
        [("/postgres?", "/missing?", "createdb"), ("mazzo@", "nobody@", "check the user")],
    )
    def test_what_is_not_there(
        self, databases: Databases, what: str, other: str, advice: str
    ) -> None:
        """A database and a user are made by whoever looks after the server."""
        with pytest.raises(StoreError, match=advice):
            open_store(databases.url("postgres").replace(what, other))

    @pytest.mark.parametrize(
        "address",
        [
            "postgresql://ann:hunter2@host:port/mazzo",
            "postgresql://ann:x@hunter2@host/mazzo",
            "mysql://ann:hunter2@host/mazzo",
            "ann:hunter2@host",
            "hunter2",
            "sqlite:///",
            "sqlite://hunter2",
        ],
    )
    def test_no_address(self, address: str) -> None:
        """It says what an address looks like, and does not repeat what may be a password."""
        with pytest.raises(InvalidInputError, match="postgresql://user:password@host") as caught:
            open_store(address)
        assert "hunter2" not in str(caught.value)

    def test_without_the_driver(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is not installed for those who do not need it; the others read how to get it."""
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(StoreError, match=r"pip install 'mazzo\[server,postgres\]'"):
            open_store(url)

    def test_a_server_that_only_reads(self, url: str) -> None:
        """Such as one that follows another: what it says is told with what to do."""
        open_store(url).close()
        reader = f"{url}&options=-cdefault_transaction_read_only%3Don"
        with closing(open_store(reader)) as store:
            assert store.bots() == []
            with pytest.raises(StoreError, match="read-only transaction: this server only reads"):
                add_version(store, "ann")

    @pytest.mark.parametrize(
        ("code", "advice"),
        [
            ("53100", "make room on the disk of the database"),
            ("42501", "must own the store"),
            ("57014", "try again"),
        ],
    )
    def test_what_the_server_says(self, url: str, code: str, advice: str) -> None:
        """Its own words, on one line, and what to do; nothing of the transaction stays."""
        fail = (
            "UPDATE tournaments SET concurrency = 99;"
            f"DO $$ BEGIN RAISE 'no\nmore' USING ERRCODE = '{code}'; END $$"
        )
        with closing(open_store(url)) as store:
            tournament = add_tournament(store)
            with (
                pytest.raises(StoreError, match=rf"no more CONTEXT: .*: .*{advice}"),
                store._writing() as writing,  # type: ignore[attr-defined]
            ):
                writing.exec_driver_sql(fail)
            assert store.tournament(tournament).concurrency == 2


class TestConcurrency:
    def test_calls_of_two_servers_are_one_after_the_other(self, url: str) -> None:
        """Numbers are given once and without gaps; attempts and matches are counted once."""
        with ExitStack() as stack:
            stores = [stack.enter_context(closing(open_store(url))) for _ in range(2)]
            add_tournament(stores[0])
            attempts: list[int] = []
            failures: list[BaseException] = []

            def work(store: Store, first: int) -> None:
                try:
                    for number in range(10):
                        add_version(store, "ann")
                        add_tournament(store)
                        attempts.extend(store.begin_matches(1, [(3, 1)]))
                        store.add_outcomes(1, [outcome(first + number)])
                        store.add_run_time(1, 1.0)
                except BaseException as error:
                    failures.append(error)

            threads = [
                threading.Thread(target=work, args=(store, 10 * number))
                for number, store in enumerate([*stores, *stores])
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE)
            assert failures == []
            assert [row.number for row in stores[0].versions("ann")] == [*range(1, 41)]
            rows = stores[1].tournaments()
            assert [row.id for row in rows] == [*range(1, 42)]
            assert sorted(attempts) == [*range(40)]
            assert (rows[0].matches_played, rows[0].run_seconds) == (40, 40.0)

    def test_reading_beside_a_writer(self, url: str) -> None:
        """A reader neither waits nor disturbs."""
        with closing(open_store(url)) as store, psycopg.connect(url) as writer:
            add_tournament(store)
            writer.execute("UPDATE tournaments SET concurrency = 99")
            assert store.tournament(1).concurrency == 2
            writer.commit()
            assert store.tournament(1).concurrency == 99

    def test_a_call_reads_one_moment(self, url: str) -> None:
        """What is written between its statements does not tear a match from its deals."""
        with closing(open_store(url)) as store, closing(open_store(url)) as other:
            add_tournament(store)
            count = "SELECT (SELECT count(*) FROM matches), (SELECT count(*) FROM deals)"
            with store._reading() as reading:  # type: ignore[attr-defined]
                before = reading.exec_driver_sql(count).one()
                other.add_outcomes(1, [outcome(1)])
                assert reading.exec_driver_sql(count).one() == before
            assert store.outcomes(1, with_deals=True) == [outcome(1)]

    def test_nobody_waits_for_ever(self, url: str) -> None:
        """A process that holds the store says so to the others after a while."""
        hasty = f"{url}&options=-clock_timeout%3D50"
        with closing(open_store(url)) as store, closing(open_store(hasty)) as other:
            add_tournament(store)
            with store._writing(), pytest.raises(StoreError, match="another process holds it"):  # type: ignore[attr-defined]
                other.add_run_time(1, 1.0)
            other.add_run_time(1, 1.0)
            assert store.tournament(1).run_seconds == 1.0


class TestCrashes:
    def test_killed_while_writing(self, url: str) -> None:
        """Promise 5: after a kill -9 all that was confirmed is there, and each match is whole."""
        with closing(open_store(url)) as store:
            tournament = add_tournament(store)
            with other_process(write_until_killed, url, tournament) as wire:
                confirmed = {receive(wire) for _ in range(100)}
                while wire.poll():
                    confirmed.add(wire.recv())
            stored = store.outcomes(tournament, with_deals=True)
            assert stored == [outcome(one.group, one.seating, deals=3) for one in stored]
            assert confirmed <= store.finished_matches(tournament)
            # The next one waits for the transaction in which it was killed.
            store.add_outcomes(tournament, [outcome(10**6)])
            played = len(store.finished_matches(tournament))
            assert store.tournament(tournament).matches_played == played

    def test_a_killed_process_has_no_claim(self, url: str) -> None:
        """Whoever resumes its tournament need not wait for anything to run out."""
        with closing(open_store(url)) as store:
            tournament = add_tournament(store)
            with other_process(claim_and_wait, url, tournament) as wire:
                assert receive(wire)
                assert store.is_claimed(tournament)
                assert store.claim(tournament) is None
            claim = store.claim(tournament)
            assert claim is not None
            claim.release()

    def test_a_claim_is_free_as_soon_as_it_is_released(self, url: str) -> None:
        """The server hears of the end of a session only a moment later."""
        held = (
            "SELECT count(*) FROM pg_locks JOIN pg_database ON database = pg_database.oid"
            " WHERE locktype = 'advisory' AND datname = current_database()"
        )
        with closing(open_store(url)) as store, psycopg.connect(url, autocommit=True) as other:
            tournament = add_tournament(store)
            for _ in range(20):
                claim = store.claim(tournament)
                assert claim is not None
                assert other.execute(held).fetchone() == (1,)
                claim.release()
                assert other.execute(held).fetchone() == (0,)

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
    def test_the_server_goes_and_comes_back(
        self, databases: Databases, url: str, how: signal.Signals
    ) -> None:
        """Meanwhile calls fail with what to do; then they work, with all that was confirmed."""
        with closing(open_store(url)) as store:
            tournament = add_tournament(store)
            store.add_outcomes(tournament, [outcome(0)])
            claim, other = store.claim(tournament), store.claim(add_tournament(store))
            assert claim is not None
            assert other is not None
            databases.stop(how)
            try:
                with pytest.raises(StoreError, match="cannot use the store postgresql://mazzo@"):
                    store.add_outcomes(tournament, [outcome(1)])
                with pytest.raises(StoreError):
                    store.is_claimed(tournament)
                other.release()
                assert claim.is_lost()
            finally:
                databases.start()
            assert store.outcomes(tournament, with_deals=True) == [outcome(0)]
            store.add_outcomes(tournament, [outcome(1)])
            with pytest.raises(ConflictError):
                store.add_outcomes(tournament, [outcome(0)])
            assert claim.is_lost()
            again = store.claim(tournament)
            assert again is not None
            claim.release()
            assert store.is_claimed(tournament)
            assert not again.is_lost()
            again.release()

    def test_idle_connections_survive_a_restart(self, databases: Databases, url: str) -> None:
        """A server of ours that nobody used meanwhile notices nothing."""
        with closing(open_store(url)) as store:
            tournament = add_tournament(store)
            databases.stop()
            databases.start()
            store.add_outcomes(tournament, [outcome(1)])
            assert store.outcomes(tournament, with_deals=True) == [outcome(1)]


def test_a_read_starts_no_further_processes(url: str) -> None:
    """They would take the cores from the bots; one process reads a page as fast."""
    with closing(open_store(url)) as store, store._reading() as reading:  # type: ignore[attr-defined]
        assert reading.exec_driver_sql("SHOW max_parallel_workers_per_gather").scalar() == "0"


def test_commits_are_durable(url: str) -> None:
    """Whatever the database's own setting: a confirmed match survives a power cut."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET synchronous_commit = off")
    with closing(open_store(url)) as store, store._writing() as writing:  # type: ignore[attr-defined]
        assert writing.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"

"""The file of a store: what only a file can get wrong, and several processes at one."""

from __future__ import annotations

import itertools
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import QueuePool, event

from mazzo_server.errors import StoreError
from mazzo_server.storage import open_store
from support.other_processes import open_when_told, other_process, receive, write_until_killed
from support.stored_rows import add_tournament, outcome


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

    def test_by_its_address(
        self, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`sqlite:///` and a path, absolute or from here."""
        monkeypatch.chdir(tmp_path)
        with closing(open_store(f"sqlite:///{path}")) as store:
            add_tournament(store)
        with closing(open_store(f"sqlite:///{path.relative_to(tmp_path)}")) as store:
            assert len(store.tournaments()) == 1

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

    def test_unfinished_migration_leaves_nothing(self, path: Path) -> None:
        """A store has all its tables or none."""
        with small_disk(pages=8), pytest.raises(StoreError, match="disk is full"):
            open_store(path)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT * FROM sqlite_master").fetchall() == []
        open_store(path).close()

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
        """What the file system refuses is a `StoreError` with the path, and what to do."""
        path = tmp_path / place
        (tmp_path / "file").touch()
        with pytest.raises(StoreError) as caught:
            open_store(path)
        assert f"{path}: {path.parent} must be a folder" in str(caught.value)
        assert "choose another MAZZO_HOME" in str(caught.value)

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

"""A store that is deleted or replaced while it is in use is noticed, whatever can still be read.

An open file can be written after it was deleted: a server played on, and said "finished".
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from mazzo_server.errors import StoreError
from mazzo_server.storage import TournamentStatus, open_store
from mazzo_server.storage.base import Claim
from support.postgres import Databases
from support.stored_rows import add_tournament, outcome

Harm = Callable[[Path], None]


def delete(path: Path) -> None:
    path.unlink()


def replace_by_copy(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    os.replace(path.with_name("copy"), path)


def replace_by_another_store(path: Path) -> None:
    other = path.with_name("other.db")
    open_store(other).close()
    os.replace(other, path)


def delete_log(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def delete_index(path: Path) -> None:
    Path(f"{path}-shm").unlink()


def move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


HARMS = [
    delete,
    replace_by_copy,
    replace_by_another_store,
    delete_log,
    delete_index,
    move_folder,
]


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_nothing_is_read_or_written_any_more(path: Path, harm: Harm) -> None:
    """Neither through a connection that is open nor through a new one."""
    with closing(open_store(path)) as store:
        number = add_tournament(store)
        store.add_outcomes(number, [outcome(0)])
        store.check_place()
        harm(path)
        calls: list[Callable[[], object]] = [
            store.check_place,
            lambda: store.tournament(number),
            lambda: store.add_outcomes(number, [outcome(1)]),
            lambda: store.set_status(number, TournamentStatus.FINISHED, end_time=9.0),
            store.compact,
        ]
        for call in calls:
            with pytest.raises(StoreError, match="while it was in use") as caught:
                call()
            assert str(path) in str(caught.value)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_store_that_goes_while_a_connection_is_made(
    path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failure said "No such file or directory", and not what had happened."""
    connect = sqlite3.connect

    def delete_and_connect(*args: Any, **options: Any) -> sqlite3.Connection:
        if moment == "before":
            path.unlink()
        connection: sqlite3.Connection = connect(*args, **options)
        if moment == "after":
            path.unlink()
        return connection

    with closing(open_store(path)) as store:
        monkeypatch.setattr(sqlite3, "connect", delete_and_connect)
        with pytest.raises(StoreError, match="was deleted while it was in use"):
            store.compact()  # through a connection of its own


def test_a_store_that_is_put_back_goes_on(path: Path) -> None:
    """The same file, with nothing lost."""
    with closing(open_store(path)) as store:
        number = add_tournament(store)
        path.rename(path.with_name("away"))
        with pytest.raises(StoreError, match="was deleted"):
            store.tournament(number)
        path.with_name("away").rename(path)
        store.add_outcomes(number, [outcome(0)])
    with closing(open_store(path)) as store:
        assert store.tournament(number).matches_played == 1


def test_what_sqlite_itself_does_is_no_harm(path: Path) -> None:
    """Others open and close it, write, compact, check-point and back it up."""
    with closing(open_store(path)) as store:
        number = add_tournament(store)
        for group in range(3):
            with closing(open_store(path)) as other:
                other.add_outcomes(number, [outcome(group)])
                other.compact()
            with closing(sqlite3.connect(path)) as other:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                other.execute("VACUUM INTO ?", (str(path.with_name(f"backup{group}")),))
            store.compact()
            store.check_place()
        assert store.tournament(number).matches_played == 3
    assert not Path(f"{path}-wal").exists(), "a store that is closed keeps no log"


def test_a_claim_whose_file_is_gone_is_lost(path: Path) -> None:
    """Another process locks the next file of that name, and would play the tournament too."""
    with closing(open_store(path)) as store:
        number = add_tournament(store)
        claim = store.claim(number)
        assert claim is not None
        assert not claim.is_lost()
        assert store.is_claimed(number)
        assert not claim.is_lost()
        (locked,) = (path.parent / "locks").iterdir()
        locked.unlink()
        assert claim.is_lost()
        other: Claim | None = store.claim(number)
        assert other is not None
        assert claim.is_lost()
        assert not other.is_lost()
        claim.release()
        other.release()


def test_tables_that_were_made_anew_are_another_store(databases: Databases) -> None:
    """As after a dump was restored in the place of a PostgreSQL store."""
    with databases.database() as address, closing(open_store(address)) as store:
        add_tournament(store)
        store.check_place()
        name = make_url(address).database
        assert name is not None
        databases.run("DROP SCHEMA public CASCADE", database=name)
        with pytest.raises(StoreError, match="was deleted while it was in use"):
            store.check_place()
        databases.run("CREATE SCHEMA public", database=name)
        with closing(open_store(address)) as other:
            add_tournament(other)
            with pytest.raises(StoreError, match="is another one now"):
                store.check_place()
            other.check_place()

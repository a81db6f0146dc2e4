"""What is special to SQLite: the file, its connections, and making its tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from filelock import FileLock
from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

from mazzo_server.errors import StoreError
from mazzo_server.storage.sql import WRITES, SqlStore, translate_store_errors
from mazzo_server.storage.sql.claims import FileClaims
from mazzo_server.storage.sql.creation import create_tables, has_tables, make_no_store_error

__all__ = ["open_sqlite"]

_BUSY_TIMEOUT: Final = 30.0  # seconds that a process waits for another's transaction or lock


def open_sqlite(path: Path, *, make: bool = True) -> SqlStore:
    """Open the store in a file; see `mazzo_server.storage.open_store`."""
    place = _FilePlace(path)
    engine = _make_engine(place)
    writing = engine.execution_options(**{WRITES: True})
    try:
        with translate_store_errors(str(path)):
            if not _has_tables(engine, path):
                if not make:
                    raise make_no_store_error(str(path))
                _create_tables(writing, path)
            with closing(place.connect()) as connection:  # not before: this changes the file
                connection.execute("PRAGMA journal_mode = WAL")
            place.hold()
    except BaseException:
        engine.dispose()
        place.close()
        raise
    return SqlStore(
        engine,
        writing,
        name=str(path),
        claims=FileClaims(path.parent / "locks"),
        place=place,
        vacuum=lambda: _vacuum(place),
    )


class _FilePlace:
    """The file of a store, its log and the index of the log, by device and inode.

    A file that was deleted or replaced can still be read and written by whoever has it open, and
    nobody else will ever see that. Without the log its last transactions are lost; without the
    index two processes no longer wait for each other.
    """

    is_cheap = True  # three calls of `stat`, some microseconds

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[Path, tuple[int, int]] = {}
        self._holder: sqlite3.Connection | None = None

    def connect(self) -> sqlite3.Connection:
        """Return a connection to the file; raise `StoreError` if that is another one by now."""
        try:
            connection = _connect(self._path)
        except sqlite3.Error:
            self.check()  # a file that was deleted a moment ago is named
            raise
        try:
            if self._path not in self._known:
                self._known[self._path] = _read_identity(self._path)
            self.check()
        except BaseException:
            connection.close()
            raise
        return connection

    def hold(self) -> None:
        """Watch the file from now on, and its log, which stays as long as a connection is open."""
        self._holder = self.connect()
        self._holder.execute("SELECT count(*) FROM sqlite_master").fetchone()
        for suffix in ("", "-wal", "-shm"):
            path = Path(f"{self._path}{suffix}")
            self._known[path] = _read_identity(path)

    def check(self) -> None:
        for path, identity in self._known.items():
            try:
                found = _read_identity(path)
            except FileNotFoundError:
                raise _make_gone_error(path, "was deleted") from None
            if found != identity:
                raise _make_gone_error(path, "is another file now")

    def close(self) -> None:
        """Close the last connection; SQLite then deletes the log, whose contents it moves."""
        if self._holder is not None:
            self._holder.close()
            self._holder = None


def _read_identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _make_gone_error(path: Path, what: str) -> StoreError:
    return StoreError(
        f"the store's file {path} {what} while it was in use, so that nothing can be stored any "
        "more: stop every mazzo command on it, put the store or a backup of it in its place, then "
        "start again"
    )


def _make_engine(place: _FilePlace) -> Engine:
    engine = create_engine("sqlite://", creator=place.connect, poolclass=QueuePool)

    # A transaction that reads first and writes later fails at once if another process wrote in
    # between. So a transaction that is going to write takes the lock from the start.
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",  # never makes the file, whose mode would be wrong
        uri=True,
        timeout=_BUSY_TIMEOUT,
        isolation_level=None,  # `begin` begins; the driver's own transactions leave out DDL
        check_same_thread=False,  # the pool gives it to one thread at a time
    )
    try:
        for pragma in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _vacuum(place: _FilePlace) -> None:
    with closing(place.connect()) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # or the log keeps a copy of all


def _has_tables(engine: Engine, path: Path) -> bool:
    # An empty file is a store that another process is making.
    if not path.exists() or path.stat().st_size == 0:
        return False
    with engine.begin() as connection:
        return has_tables(connection, str(path))


def _create_tables(engine: Engine, path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot use the store {path}: {path.parent} must be a folder that you may write, "
            f"or choose another MAZZO_HOME ({error.strerror})"
        ) from error
    path.touch(mode=0o600)
    with (
        FileLock(f"{path}.lock", mode=0o600, timeout=_BUSY_TIMEOUT),
        engine.begin() as connection,
    ):
        create_tables(connection, str(path))

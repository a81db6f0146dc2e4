"""What is special to SQLite: the file, its connections, and bringing its schema up to date."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

from mazzo_server.errors import StoreError
from mazzo_server.storage.claims import FileClaims
from mazzo_server.storage.schema import REVISIONS
from mazzo_server.storage.sql import WRITES, SqlStore, store_errors

__all__ = ["open_sqlite"]

_BUSY_TIMEOUT: Final = 30.0  # seconds that a process waits for another's transaction or migration
_MIGRATIONS: Final = Path(__file__).parent / "migrations"


def open_sqlite(path: Path) -> SqlStore:
    """See `mazzo_server.storage.open_store`."""
    engine = _engine(path)
    try:
        with store_errors(str(path)):
            if not _is_up_to_date(engine, path):
                _bring_up_to_date(engine, path)
            with closing(_connect(path)) as connection:  # only now: it changes the file
                connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(engine, name=str(path), claims=FileClaims(path.parent / "locks"))


def _engine(path: Path) -> Engine:
    engine = create_engine("sqlite://", creator=lambda: _connect(path), poolclass=QueuePool)

    # A transaction that reads first and writes later fails, without waiting, when another
    # process wrote in between: one that will write takes its place from the start.
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",  # never makes a file: that needs its mode set
        uri=True,
        timeout=_BUSY_TIMEOUT,
        isolation_level=None,  # the driver's own transactions leave out DDL; see `begin`
        check_same_thread=False,  # the pool hands it to one thread at a time
    )
    try:
        for pragma in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_up_to_date(engine: Engine, path: Path) -> bool:
    # An empty file is a store that another process is just creating.
    if not path.exists() or path.stat().st_size == 0:
        return False
    with engine.begin() as connection:
        return _revision(connection, path) == REVISIONS[-1]


def _bring_up_to_date(engine: Engine, path: Path) -> None:
    # Half a second to import, and needed only for a new store or a new version of Mazzo.
    from alembic import command
    from alembic.config import Config
    from filelock import FileLock

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with (
        FileLock(f"{path}.lock", mode=0o600, timeout=_BUSY_TIMEOUT),
        engine.execution_options(**{WRITES: True}).begin() as connection,
    ):
        if _revision(connection, path) != REVISIONS[-1]:
            config = Config()
            config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _revision(connection: Connection, path: Path) -> str | None:
    """The schema of the store, None when it is empty; `StoreError` unless it is known."""
    tables = set(
        connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars()
    )
    if not tables:
        return None
    if "alembic_version" not in tables or "tournaments" not in tables:
        raise StoreError(
            f"expected a store of mazzo in {path}, got a database of something else: "
            "choose another MAZZO_HOME"
        )
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if revision not in REVISIONS:
        raise StoreError(
            f"the store {path} has schema {revision!r}, this version of mazzo knows up to "
            f"{REVISIONS[-1]!r}: install the version of mazzo that wrote it, or choose another "
            "MAZZO_HOME"
        )
    return str(revision)

"""What is special to PostgreSQL: its address, its connections, locks, and new databases.

A call that writes holds the one lock of the store: as with SQLite, one call writes at a time
and finds nothing changed between its statements. A call that reads sees the store as it was
when the call began, and waits for nobody.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from time import sleep
from typing import Final

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from mazzo_server.clock import monotonic
from mazzo_server.errors import InvalidInputError, StoreError
from mazzo_server.storage.base import Claim
from mazzo_server.storage.sql import WRITES, SqlStore, translate_store_errors
from mazzo_server.storage.sql.creation import create_tables, has_tables, make_no_store_error
from mazzo_server.storage.sql.schema import match_results

__all__ = ["open_postgres"]

_CONNECTIONS: Final = 20  # of one process; each tournament that it plays has one more
_PATIENCE: Final = 1.0  # seconds; a process that was killed a moment ago may still seem to hold on
_RETRY: Final = 0.05  # seconds

# For each connection, unless the address asks for something else. Times are milliseconds, and
# for TCP seconds.
_SERVER_SETTINGS: Final = {
    "synchronous_commit": "on",
    "lock_timeout": 30_000,
    "statement_timeout": 600_000,
    "idle_in_transaction_session_timeout": 600_000,  # for a process that stands still
    "idle_session_timeout": 0,  # none, or a claim would be lost
    "tcp_keepalives_idle": 30,  # a machine that is gone loses its claims within a minute
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 3,
    # A page of matches takes a twentieth of a second: to start more processes for it takes as long
    # as they save, and they take the cores from the bots.
    "max_parallel_workers_per_gather": 0,
}
_CLIENT_SETTINGS: Final = {
    "connect_timeout": "10",  # seconds, like the next two
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",  # milliseconds
    "application_name": "mazzo",
    "client_encoding": "utf8",
}

# What a server says when it refuses a connection, and what to do. Most servers speak English.
_REFUSED: Final = {
    r"password|authentication|no pg_hba\.conf entry|role .* does not exist": (
        "check the user and the password in MAZZO_DATABASE_URL"
    ),
    r"database .* does not exist": "make it with `createdb`, or check MAZZO_DATABASE_URL",
}
_NOBODY_THERE: Final = "is the database server running, and is MAZZO_DATABASE_URL its address?"

_CREATION_LOCK: Final = text("SELECT pg_advisory_xact_lock(7233968912741)")  # any constant does
# The other locks belong to the table: a database may have a store in each of several schemas.
_LOCK: Final = "('tournaments'::regclass::oid::bigint << 32)"
_WRITE_LOCK: Final = f"SELECT pg_advisory_xact_lock({_LOCK})"
_CLAIM: Final = text(f"SELECT pg_try_advisory_lock({_LOCK} | :tournament)")
_IDENTITY: Final = text(
    "SELECT (SELECT oid FROM pg_database WHERE datname = current_database()),"
    " to_regclass('tournaments')::oid, to_regclass('matches')::oid, to_regclass('deals')::oid"
)
_IS_CLAIMED: Final = text(
    "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND classid = 'tournaments'::regclass AND objid = :tournament AND objsubid = 1)"
)


# Not in `schema`: to name them there would load SQLAlchemy's code for PostgreSQL at every start.
match_results.primary_key.dialect_options["postgresql"]["include"] = ["margin", "swing", "verdict"]
for _index in match_results.indexes:
    _index.dialect_options["postgresql"]["where"] = _index.dialect_options["sqlite"]["where"]


def open_postgres(address: str, *, make: bool = True) -> SqlStore:
    """Open the store at an address; see `mazzo_server.storage.open_store`."""
    url = _parse(address)
    name = URL.create(
        "postgresql", url.username, host=url.host, port=url.port, database=url.database
    ).render_as_string()
    engine = _make_engine(url)
    writing = engine.execution_options(**{WRITES: True})
    try:
        with translate_store_errors(name):
            _check_reachable(engine, name)
            with engine.begin() as connection:
                is_new = not has_tables(connection, name)
            if is_new and not make:
                raise make_no_store_error(name)
            if is_new:
                with engine.begin() as connection:
                    connection.execute(_CREATION_LOCK)
                    create_tables(connection, name)
    except BaseException:
        engine.dispose()
        raise
    reading = engine.execution_options(isolation_level="REPEATABLE READ")
    _lock_writers(writing)
    return SqlStore(
        reading,
        writing,
        name=name,
        claims=_AdvisoryClaims(engine),
        place=_DatabasePlace(engine, name),
        vacuum=lambda: _vacuum(engine),
    )


def _parse(address: str) -> URL:
    try:
        url = make_url(address)
        port = url.port
        if "@" in (url.host or ""):
            raise ValueError("an @ of the password, and a part of it in the host")
    except (ArgumentError, ValueError):
        # The address may hold a password, and the error may quote it: the message has neither.
        raise InvalidInputError(
            "MAZZO_DATABASE_URL: expected postgresql://user:password@host:port/database, got "
            "something that cannot be read as one: write /, @, : and % in a password as %2F, "
            "%40, %3A and %25"
        ) from None
    return url.set(drivername="postgresql+psycopg", port=port)


def _make_engine(url: URL) -> Engine:
    given = url.query.get("options", "")
    options = [f"-c {name}={value}" for name, value in _SERVER_SETTINGS.items()]
    options += [given] if isinstance(given, str) else given
    wanted = {name: value for name, value in _CLIENT_SETTINGS.items() if name not in url.query}
    try:
        return create_engine(
            url,
            connect_args=wanted | {"options": " ".join(options)},
            poolclass=QueuePool,
            pool_size=5,
            max_overflow=_CONNECTIONS - 5,
            pool_pre_ping=True,  # the next call finds a server that was started again
        )
    except ImportError as error:
        raise StoreError(
            "a store in PostgreSQL needs its driver: "
            f"pip install 'mazzo[server,postgres]' ({error})"
        ) from error


def _check_reachable(engine: Engine, name: str) -> None:
    try:
        engine.connect().close()
    except DBAPIError as error:
        said = " ".join(str(error.orig).split())
        advice = [what for found, what in _REFUSED.items() if re.search(found, said)]
        raise StoreError(
            f"cannot use the store {name}: {said}: {(advice or [_NOBODY_THERE])[0]}"
        ) from None


def _vacuum(engine: Engine) -> None:
    """Make room for new matches; giving it back to the disk would lock everybody out."""
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        for table in ("deals", "fault_logs"):
            connection.exec_driver_sql(f"VACUUM {table}")


def _lock_writers(engine: Engine) -> None:
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get(WRITES, False):
            connection.exec_driver_sql(_WRITE_LOCK)


class _DatabasePlace:
    """The database and its tables, by the numbers that the server gave them when they were made.

    A dump that is restored has new ones, under the same names.
    """

    is_cheap = False  # an exchange with the server

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        with engine.connect() as connection:
            self._known = connection.execute(_IDENTITY).one()

    def check(self) -> None:
        with self._engine.connect() as connection:
            found = connection.execute(_IDENTITY).one()
        if found != self._known:
            what = "was deleted" if None in found else "is another one now"
            raise StoreError(
                f"the store {self._name} {what} while it was in use, so that nothing can be "
                "stored any more: stop every mazzo command on it, restore the database, then "
                "start again"
            )

    def close(self) -> None:
        """Do nothing: the engine belongs to the store."""


@dataclass(frozen=True, slots=True)
class _AdvisoryClaim:
    """A lock that a session of its own holds; the server frees it when the session ends."""

    session: Connection

    def is_lost(self) -> bool:
        try:
            self.session.exec_driver_sql("SELECT 1")
        except SQLAlchemyError:
            return True
        return False

    def release(self) -> None:
        # A statement, because the server hears of the end of a session only a moment later.
        with suppress(SQLAlchemyError):  # if the session is over, so is the claim
            self.session.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        self.session.close()


class _AdvisoryClaims:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    def claim(self, tournament_id: int) -> Claim | None:
        session = self._engine.connect()
        session.detach()  # or the pool might close it
        try:
            until = monotonic() + _PATIENCE
            while not session.scalar(_CLAIM, {"tournament": tournament_id}):
                if monotonic() > until:
                    session.close()
                    return None
                sleep(_RETRY)
        except BaseException:
            session.close()
            raise
        return _AdvisoryClaim(session)

    def is_claimed(self, tournament_id: int) -> bool:
        with self._engine.connect() as connection:
            return bool(connection.scalar(_IS_CLAIMED, {"tournament": tournament_id}))

    def close(self) -> None:
        """Do nothing: the engine belongs to the store, and each claim has a session of its own."""

"""The engines of a store, their transactions and their errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Final, Protocol

from sqlalchemy import Connection, Engine, Table, insert
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.sql.compiler import SQLCompiler

from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.storage.sql.claims import Claims

__all__ = [
    "INTEGER_MAX",
    "WRITES",
    "Database",
    "Place",
    "add_rows",
    "clip_to_column",
    "is_storable",
    "translate_store_errors",
]

# An execution option, of the engine that writes.
WRITES: Final = "mazzo_writes"

INTEGER_MAX: Final = 2**31 - 1  # of an integer column in PostgreSQL

_ADVICE: Final = {
    "SQLITE_BUSY": "another process holds it; try again",
    "SQLITE_FULL": "make room on the disk; what was stored before is safe",
    "SQLITE_NOTADB": "move the file away, or choose another MAZZO_HOME",
    "SQLITE_CANTOPEN": "it must be a file that you may write, or choose another MAZZO_HOME",
    "SQLITE_READONLY": "it must be a file that you may write, or choose another MAZZO_HOME",
    # The codes of PostgreSQL.
    "25006": "this server only reads: give the address of the one that writes",
    "42501": "the user of MAZZO_DATABASE_URL must own the store",
    "53100": "make room on the disk of the database; what was stored before is safe",
    "53300": "the database server has too many connections: try again, or allow it more",
    "55P03": "another process holds it; try again",
    "57014": "it took too long; try again",
    "57P": "the database server was stopped; what was stored before is safe, try again",
}


@contextmanager
def translate_store_errors(name: str) -> Iterator[None]:
    """Turn the errors of databases and of the file system into a `StoreError` about a store."""
    try:
        yield
    except IntegrityError as error:
        raise ConflictError(f"another process changed the store {name} meanwhile") from error
    except OSError as error:
        raise StoreError(f"cannot use the store {name}: {error.strerror or error}") from error
    except (SQLAlchemyError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        found = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""
        # SQLite's may be extended, such as SQLITE_BUSY_SNAPSHOT.
        advice = [text for code, text in _ADVICE.items() if found.startswith(code)]
        said = " ".join(str(cause).split())
        raise StoreError(": ".join([f"cannot use the store {name}", said, *advice])) from error


class Place(Protocol):
    """Where a store is, as it was when the store was opened."""

    is_cheap: bool  # a check takes so little that every transaction makes it

    def check(self) -> None:
        """Raise `StoreError` unless the store is still there, and no other one in its place."""
        ...

    def close(self) -> None:
        """Give back what is needed to check."""
        ...


class Database:
    """The two engines of a store, one to read and one to write, which share their connections.

    A transaction sees nothing that another one writes meanwhile. A transaction that writes waits
    for the end of another that does. Errors call the store `name`; `vacuum` does what `compact`
    promises, `place` tells whether the store is still there.
    """

    def __init__(
        self,
        reading: Engine,
        writing: Engine,
        *,
        name: str,
        claims: Claims,
        place: Place,
        vacuum: Callable[[], None],
    ) -> None:
        self._place = place
        self._read_engine = reading
        self._write_engine = writing
        self._name = name
        self._claims = claims
        self._vacuum = vacuum

    def compact(self) -> None:
        with translate_store_errors(self._name), self._guard():
            self._vacuum()

    def check_place(self) -> None:
        with translate_store_errors(self._name):
            self._place.check()

    def close(self) -> None:
        self._claims.close()
        self._read_engine.dispose()
        self._place.close()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with (
            translate_store_errors(self._name),
            self._guard(),
            self._read_engine.begin() as connection,
        ):
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with (
            translate_store_errors(self._name),
            self._guard(),
            self._write_engine.begin() as connection,
        ):
            yield connection

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Check the place before a transaction, and again after it: meanwhile it may have gone."""
        if not self._place.is_cheap:
            yield
            return
        self._place.check()
        yield
        self._place.check()


def add_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Add rows, each with the same two or more columns, in values that drivers take as they are.

    This leaves out what SQLAlchemy does for every row, a tenth of what storing a match costs.
    """
    if not rows:
        return
    statement = insert(table).compile(dialect=connection.dialect, column_keys=[*rows[0]])
    order = statement.positiontup if isinstance(statement, SQLCompiler) else None
    parameters = rows if order is None else [*map(itemgetter(*order), rows)]
    connection.exec_driver_sql(str(statement), parameters)


def is_storable(text: str) -> bool:
    """Tell whether a key may be this text: no driver can ask for a lone surrogate or a NUL."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def clip_to_column(number: int) -> int:
    """Return the number; if the column cannot hold it, return one that no row has."""
    return number if 0 <= number <= INTEGER_MAX else -1

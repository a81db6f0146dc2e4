"""An engine, its transactions, and what goes wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.storage.claims import Claims

__all__ = ["INTEGER_MAX", "WRITES", "Database", "fitting", "is_storable", "store_errors"]

# Execution option of the connections that write.
WRITES: Final = "mazzo_writes"

INTEGER_MAX: Final = 2**31 - 1  # of an integer column in PostgreSQL

_ADVICE: Final = {
    "SQLITE_BUSY": "another process holds it; try again",
    "SQLITE_FULL": "make room on the disk; what was stored before is safe",
    "SQLITE_NOTADB": "move the file away, or choose another MAZZO_HOME",
    "SQLITE_CANTOPEN": "it must be a file that you may write, or choose another MAZZO_HOME",
    "SQLITE_READONLY": "it must be a file that you may write, or choose another MAZZO_HOME",
}


@contextmanager
def store_errors(name: str) -> Iterator[None]:
    """Turn what SQLAlchemy and the file system raise into a `StoreError` about that store."""
    try:
        yield
    except IntegrityError as error:
        raise ConflictError(f"another process changed the store {name} meanwhile") from error
    except OSError as error:
        raise StoreError(f"cannot use the store {name}: {error.strerror or error}") from error
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        found = getattr(cause, "sqlite_errorname", "")  # may be extended: SQLITE_BUSY_SNAPSHOT
        advice = [text for code, text in _ADVICE.items() if found.startswith(code)]
        raise StoreError(
            ": ".join([f"cannot use the store {name}", str(cause), *advice])
        ) from error


class Database:
    """The engine of a store.

    `name` is what errors call it. Connections that write have the execution option `WRITES`.
    """

    def __init__(self, engine: Engine, *, name: str, claims: Claims) -> None:
        self._engine = engine
        self._write_engine = engine.execution_options(**{WRITES: True})
        self._name = name
        self._claims = claims

    def close(self) -> None:
        self._claims.close()
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with store_errors(self._name), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with store_errors(self._name), self._write_engine.begin() as connection:
            yield connection


def is_storable(text: str) -> bool:
    """Whether a key may be that text: no driver can ask for a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def fitting(number: int) -> int:
    """The number, or one that no row has when the column could not hold it."""
    return number if 0 <= number <= INTEGER_MAX else -1

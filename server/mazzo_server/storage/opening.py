"""From where a store is, to the store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mazzo_server.errors import InvalidInputError
from mazzo_server.storage.base import Store

__all__ = ["open_store"]

_SQLITE: Final = "sqlite:///"


def open_store(place: Path | str) -> Store:
    """Open the store at a path or an address; first create it or bring its schema up to date.

    An address is `sqlite:///PATH` or `postgresql://…`. The folder and file of an SQLite store
    are made for their owner alone; a PostgreSQL database must be there. Several processes may
    do this at once. Raises `InvalidInputError` for what is no such address, and `StoreError`
    for a store that a newer Mazzo wrote, for what is no store, for a server that cannot be
    reached, and for whatever the file system refuses.
    """
    # SQLAlchemy takes a quarter of a second to import: whoever needs only rows, or the help
    # of the command line, does not pay for it.
    scheme = "" if isinstance(place, Path) else place.partition(":")[0].partition("+")[0]
    if scheme in ("postgresql", "postgres"):
        from mazzo_server.storage.postgres import open_postgres

        return open_postgres(str(place))
    if isinstance(place, str) and not (place.startswith(_SQLITE) and place != _SQLITE):
        raise InvalidInputError(
            "MAZZO_DATABASE_URL: expected postgresql://user:password@host:port/database or "
            f"sqlite:///path/of/the/file, got an address that begins with {scheme!r}"
            if "://" in place
            else "MAZZO_DATABASE_URL: expected an address such as "
            "postgresql://user:password@host:port/database, got something without ://"
        )
    from mazzo_server.storage.sqlite import open_sqlite

    return open_sqlite(Path(str(place).removeprefix(_SQLITE)).absolute())

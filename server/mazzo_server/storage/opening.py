"""Opens a store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mazzo_server.errors import InvalidInputError
from mazzo_server.storage.base import Store

__all__ = ["open_store"]

_SQLITE: Final = "sqlite:///"


def open_store(place: Path | str, *, make: bool = True) -> Store:
    """Open the store at a path or an address; make its tables if it is new, unless not to `make`.

    An address is `sqlite:///PATH` or `postgresql://…`. The folder and file of an SQLite store
    are made for their owner alone; a PostgreSQL database must be there. Several processes may
    open a store at once. Raises `InvalidInputError` for anything but such an address. Raises
    `StoreError` for a store of another schema, for a database of something else, for a server
    that does not answer, for whatever the file system refuses, and for no store without `make`.
    """
    # SQLAlchemy takes a quarter of a second to import, which neither a caller that needs only
    # the rows nor the help of the command line should wait for.
    scheme = "" if isinstance(place, Path) else place.partition(":")[0].partition("+")[0]
    if scheme in ("postgresql", "postgres"):
        from mazzo_server.storage.postgres import open_postgres

        return open_postgres(str(place), make=make)
    if isinstance(place, str) and not (place.startswith(_SQLITE) and place != _SQLITE):
        raise InvalidInputError(
            "MAZZO_DATABASE_URL: expected postgresql://user:password@host:port/database or "
            f"sqlite:///path/of/the/file, got an address that begins with {scheme!r}"
            if "://" in place
            else "MAZZO_DATABASE_URL: expected an address such as "
            "postgresql://user:password@host:port/database, got something without ://"
        )
    from mazzo_server.storage.sqlite import open_sqlite

    return open_sqlite(Path(str(place).removeprefix(_SQLITE)).absolute(), make=make)

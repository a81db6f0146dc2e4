"""Checks whether a database holds a store of this version, and makes the tables of a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect

from mazzo_server.errors import StoreError
from mazzo_server.storage.sql.schema import SCHEMA

__all__ = ["create_tables", "has_tables", "make_no_store_error"]

_MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"
_ELSEWHERE: Final = "choose another MAZZO_HOME or MAZZO_DATABASE_URL"


def has_tables(connection: Connection, name: str) -> bool:
    """Tell whether the tables are there; raises `StoreError` where they are not those of `SCHEMA`.

    A store of another schema is never converted, and stays as it is.
    """
    tables = inspect(connection).get_table_names()
    if not tables:
        return False
    if "tournaments" not in tables:
        raise StoreError(
            f"expected a store of mazzo in {name}, got a database of something else: {_ELSEWHERE}"
        )
    found = None
    if "alembic_version" in tables:
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if found != SCHEMA:
        raise StoreError(
            f"expected a store of schema {SCHEMA} in {name}, got one "
            f"{'without a number' if found is None else f'of schema {found}'}: "
            f"use the version of mazzo that wrote it, or {_ELSEWHERE}"
        )
    return True


def create_tables(connection: Connection, name: str) -> None:
    """Make the tables, unless they are there, in the transaction of the caller.

    The caller has locked out every process that may be doing the same.
    """
    # Half a second to import, and needed only for a new store.
    from alembic import command
    from alembic.config import Config

    if not has_tables(connection, name):
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def make_no_store_error(name: str) -> StoreError:
    """Return the error of a caller that only reads, where there is nothing to read."""
    return StoreError(f"expected a store in {name}, got none")

"""The schema of a store: whether it is known, and bringing it up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect

from mazzo_server.errors import StoreError
from mazzo_server.storage.schema import REVISIONS

__all__ = ["bring_up_to_date", "is_up_to_date"]

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_ELSEWHERE: Final = "choose another MAZZO_HOME or MAZZO_DATABASE_URL"


def is_up_to_date(connection: Connection, name: str) -> bool:
    """Whether the tables are those of this version; `StoreError` when it does not know them."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return False
    if "alembic_version" not in tables or "tournaments" not in tables:
        raise StoreError(
            f"expected a store of mazzo in {name}, got a database of something else: {_ELSEWHERE}"
        )
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if revision not in REVISIONS:
        raise StoreError(
            f"the store {name} has schema {revision!r}, this version of mazzo knows up to "
            f"{REVISIONS[-1]!r}: install the version of mazzo that wrote it, or {_ELSEWHERE}"
        )
    return bool(revision == REVISIONS[-1])


def bring_up_to_date(connection: Connection, name: str) -> None:
    """Run the migrations that the store has not seen, in the transaction of the caller.

    It has locked out whoever may be doing the same.
    """
    # Half a second to import, and needed only for a new store or a new version of Mazzo.
    from alembic import command
    from alembic.config import Config

    if not is_up_to_date(connection, name):
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

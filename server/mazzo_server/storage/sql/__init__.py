"""The store in any database, by SQLAlchemy Core; `sqlite` and `postgres` know what is special."""

from mazzo_server.storage.sql.database import WRITES, translate_store_errors
from mazzo_server.storage.sql.store import SqlStore

__all__ = ["WRITES", "SqlStore", "translate_store_errors"]

"""The store in any database, by SQLAlchemy Core; `sqlite` and `postgres` know what is special."""

from mazzo_server.storage.sql.database import WRITES, store_errors
from mazzo_server.storage.sql.store import SqlStore

__all__ = ["WRITES", "SqlStore", "store_errors"]

"""The store in a database, by SQLAlchemy Core. What is special to one is in a module beside it."""

from mazzo_server.storage.sql.database import WRITES, store_errors
from mazzo_server.storage.sql.store import SqlStore

__all__ = ["WRITES", "SqlStore", "store_errors"]

"""The store in any database, by SQLAlchemy Core; `sqlite` and `postgres` know what is special."""

from __future__ import annotations

from mazzo_server.storage.sql.bots import BotTables
from mazzo_server.storage.sql.database import WRITES, store_errors
from mazzo_server.storage.sql.derived import DerivedTables
from mazzo_server.storage.sql.matches import MatchTables
from mazzo_server.storage.sql.tournaments import TournamentTables

__all__ = ["WRITES", "SqlStore", "store_errors"]


class SqlStore(BotTables, TournamentTables, MatchTables, DerivedTables):
    """A `Store` in a database that has the tables; owns the engine."""

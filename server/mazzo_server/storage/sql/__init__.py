"""The store in a database, by SQLAlchemy Core. What is special to one is in a module beside it."""

from __future__ import annotations

from mazzo_server.storage.sql.bots import BotTables
from mazzo_server.storage.sql.database import WRITES, store_errors
from mazzo_server.storage.sql.derived import DerivedTables
from mazzo_server.storage.sql.matches import MatchTables
from mazzo_server.storage.sql.tournaments import TournamentTables

__all__ = ["WRITES", "SqlStore", "store_errors"]


class SqlStore(BotTables, TournamentTables, MatchTables, DerivedTables):
    """A `Store` in the database of an engine, which it owns, whose tables are there."""

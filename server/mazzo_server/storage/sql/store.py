"""The store in a database, put together from its tables."""

from __future__ import annotations

from mazzo_server.storage.sql.bots import BotTables
from mazzo_server.storage.sql.derived import DerivedTables
from mazzo_server.storage.sql.entries import EntryTables
from mazzo_server.storage.sql.hooks import HookTables
from mazzo_server.storage.sql.match_results import MatchResultTable
from mazzo_server.storage.sql.matches import MatchTables
from mazzo_server.storage.sql.tournaments import TournamentTables

__all__ = ["SqlStore"]


class SqlStore(
    BotTables,
    TournamentTables,
    MatchTables,
    MatchResultTable,
    DerivedTables,
    HookTables,
    EntryTables,
):
    """A `Store` in a database that has the tables; owns the engine."""

"""Tables at which people play against bots: opened, joined, played, and over."""

from mazzo_server.tournaments.tables.table import OpenTable, TableCreator, TableRequest, TableState
from mazzo_server.tournaments.tables.tables import OpenTables

__all__ = ["OpenTable", "OpenTables", "TableCreator", "TableRequest", "TableState"]

"""Tournaments that are stored: pruned, deleted, written to files, taken from them."""

from mazzo_server.tournaments.stored.prune import Pruned, delete_tournament
from mazzo_server.tournaments.stored.stored_tournaments import StoredTournaments

__all__ = ["Pruned", "StoredTournaments", "delete_tournament"]

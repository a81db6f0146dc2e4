"""Tournaments that are stored: pruned, deleted, written to files, taken from them."""

from mazzo_server.tournaments.stored.prune import Pruned
from mazzo_server.tournaments.stored.stored_tournaments import StoredTournaments

__all__ = ["Pruned", "StoredTournaments"]

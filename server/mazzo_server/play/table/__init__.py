"""One match as a state machine, and what of it counts after a forfeit."""

from mazzo_server.play.table.table import Ask, Effect, Ended, Table

__all__ = ["Ask", "Effect", "Ended", "Table"]

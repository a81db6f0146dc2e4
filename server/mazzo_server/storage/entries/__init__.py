"""Open tournaments, the bots that have entered them, and their rounds."""

from mazzo_server.storage.entries.memory import MemoryEntries
from mazzo_server.storage.entries.rows import (
    EntryRow,
    EntryStore,
    OpenTournamentRow,
    PlayedRound,
    RoundEnd,
)
from mazzo_server.storage.entries.timetable import Every, Timetable

__all__ = [
    "EntryRow",
    "EntryStore",
    "Every",
    "MemoryEntries",
    "OpenTournamentRow",
    "PlayedRound",
    "RoundEnd",
    "Timetable",
]

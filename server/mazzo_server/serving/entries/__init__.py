"""Open tournaments: authors enter their bots, and the server starts each at its time."""

from mazzo_server.serving.entries.entries import Entries, ShownEntries
from mazzo_server.serving.entries.readiness import Readiness
from mazzo_server.serving.entries.starting import Starter, start_on_time
from mazzo_server.serving.entries.steps import EntriesState

__all__ = [
    "Entries",
    "EntriesState",
    "Readiness",
    "ShownEntries",
    "Starter",
    "start_on_time",
]

"""Workers: each has an interpreter and an event loop of its own, and plays chunks."""

from mazzo_server.tournaments.executor.worker.connection import (
    Job,
    WorkerConnection,
    WorkerLostError,
    read_soon,
)
from mazzo_server.tournaments.executor.worker.messages import (
    MessageReader,
    PackedBot,
    pack_message,
)
from mazzo_server.tournaments.executor.worker.pool import WorkerPool
from mazzo_server.tournaments.executor.worker.process import make_command

__all__ = [
    "Job",
    "MessageReader",
    "PackedBot",
    "WorkerConnection",
    "WorkerLostError",
    "WorkerPool",
    "make_command",
    "pack_message",
    "read_soon",
]

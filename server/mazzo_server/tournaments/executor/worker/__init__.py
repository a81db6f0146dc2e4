"""Worker processes: each has an interpreter and an event loop of its own, and plays chunks."""

from mazzo_server.tournaments.executor.worker.pool import WorkerPool
from mazzo_server.tournaments.executor.worker.process import WorkerLostError

__all__ = ["WorkerLostError", "WorkerPool"]

"""Executors play chunks of matches: in this process, or in several."""

from mazzo_server.tournaments.executor.base import Executor
from mazzo_server.tournaments.executor.chunk import Chunk, ChunkGroup
from mazzo_server.tournaments.executor.cluster import ClusterPool
from mazzo_server.tournaments.executor.local import LocalExecutor, count_attempts_in
from mazzo_server.tournaments.executor.processes import ProcessesExecutor
from mazzo_server.tournaments.executor.worker import WorkerPool

__all__ = [
    "Chunk",
    "ChunkGroup",
    "ClusterPool",
    "Executor",
    "LocalExecutor",
    "ProcessesExecutor",
    "WorkerPool",
    "count_attempts_in",
]

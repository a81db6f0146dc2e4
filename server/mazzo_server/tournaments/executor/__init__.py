"""Executors play chunks of matches: in this process, or in several."""

from mazzo_server.tournaments.executor.base import Executor
from mazzo_server.tournaments.executor.chunk import Chunk, ChunkGroup
from mazzo_server.tournaments.executor.cluster import AlikePool, ClusterStatus
from mazzo_server.tournaments.executor.executors import Executors
from mazzo_server.tournaments.executor.local import count_attempts_in

__all__ = [
    "AlikePool",
    "Chunk",
    "ChunkGroup",
    "ClusterStatus",
    "Executor",
    "Executors",
    "count_attempts_in",
]

"""What plays chunks of matches: here in this process."""

from mazzo_server.tournaments.executor.base import Executor
from mazzo_server.tournaments.executor.chunk import Chunk, ChunkGroup
from mazzo_server.tournaments.executor.local import LocalExecutor, count_attempts_in

__all__ = ["Chunk", "ChunkGroup", "Executor", "LocalExecutor", "count_attempts_in"]

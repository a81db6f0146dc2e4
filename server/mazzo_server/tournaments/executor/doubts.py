"""Finds out whether a bot or a machine is at fault where a bot does not start."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mazzo_server.tournaments.executor.chunk import Chunk
from mazzo_server.tournaments.executor.worker import WorkerConnection, WorkerPool

__all__ = ["Doubts"]


class Doubts:
    """The entrants that did not start on a node of a cluster, until one has been tried here.

    A bot that starts on this machine is not withdrawn, and plays on any node again: the one on
    which it did not start was at fault.
    """

    def __init__(self, pool: WorkerPool) -> None:
        """Doubt none; workers of this machine are borrowed from the pool."""
        self._pool = pool
        self._entrants: set[int] = set()
        self._is_trying = False

    def add(self, entrant: int) -> None:
        """Doubt an entrant."""
        self._entrants.add(entrant)

    def settle(self, entrant: int) -> None:
        """Doubt an entrant no more."""
        self._entrants.discard(entrant)

    def may_play(self, chunk: Chunk) -> bool:
        """Return whether a chunk need not wait for one that is tried here."""
        return not (self._is_trying and self._has_doubt(chunk))

    @asynccontextmanager
    async def find_worker(
        self, worker: WorkerConnection, chunk: Chunk
    ) -> AsyncIterator[WorkerConnection]:
        """Yield who plays a chunk: this worker, or that of this machine while in doubt.

        When the context ends without an error, the chunk has been played.
        """
        if not self._has_doubt(chunk):
            yield worker
            return
        self._is_trying = True
        try:
            async with self._pool.borrow_here() as worker_here:
                yield worker_here
            self._entrants.difference_update(*(item.group.table for item in chunk.groups))
        finally:
            self._is_trying = False

    def _has_doubt(self, chunk: Chunk) -> bool:
        return any(not self._entrants.isdisjoint(item.group.table) for item in chunk.groups)

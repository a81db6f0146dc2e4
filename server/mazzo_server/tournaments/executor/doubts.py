"""Finds out who is at fault where something fails on a node: the bot, the node, or all nodes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf

from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError
from mazzo_server.tournaments.executor.chunk import Chunk
from mazzo_server.tournaments.executor.worker import (
    WorkerConnection,
    WorkerLostError,
    WorkerPool,
)

__all__ = ["Doubts"]


class Doubts:
    """The entrants that did not start on a node of a cluster, until one has been tried here.

    A bot that starts on this machine is not withdrawn, and plays on any node again: the one on
    which it did not start was at fault.

    A node that cannot play leaves the chunk to others. If for some seconds there is none that can,
    the run ends.
    """

    def __init__(self, pool: WorkerPool, *, patience: float = 10.0) -> None:
        """Doubt none; `patience` are the seconds in which nodes that can play may join."""
        self._pool = pool
        self._entrants: set[int] = set()
        self._is_trying = False
        self._patience = patience
        self._unfit_since = inf  # when a node could not play, and none has played since

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

        When the context ends without an error, the chunk has been played. Raises `PlatformError`
        when no node can play, beside what the context raises.
        """
        if not self._has_doubt(chunk):
            try:
                yield worker
            except WorkerLostError as error:
                self._judge(error)
                raise
            self._unfit_since = inf
            return
        self._is_trying = True
        try:
            async with self._pool.borrow_here() as worker_here:
                yield worker_here
            self._entrants.difference_update(*(item.group.table for item in chunk.groups))
        finally:
            self._is_trying = False

    def _judge(self, error: WorkerLostError) -> None:
        if error.is_unfit:
            now = monotonic()
            self._unfit_since = min(self._unfit_since, now)
            if not self._pool.size and now - self._unfit_since >= self._patience:
                raise PlatformError(f"no node of the cluster can play: {error}") from error

    def _has_doubt(self, chunk: Chunk) -> bool:
        return any(not self._entrants.isdisjoint(item.group.table) for item in chunk.groups)

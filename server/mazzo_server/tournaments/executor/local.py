"""Plays matches in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from mazzo_server.metrics import Metrics
from mazzo_server.play import PlayEvent
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.storage import Store
from mazzo_server.tournaments.executor.chunk import Chunk
from mazzo_server.tournaments.executor.chunk_player import (
    ChunkPlayer,
    CountAttempts,
    list_processors,
)
from mazzo_server.tournaments.executor.pace import Pace
from mazzo_server.tournaments.executor.shares import share_flight

__all__ = ["LocalExecutor", "count_attempts_in"]


def count_attempts_in(store: Store, tournament: int) -> CountAttempts:
    """Return the function that counts the attempts at the matches of a stored tournament."""

    async def count_attempts(keys: Sequence[tuple[int, int]]) -> Sequence[int]:
        return await asyncio.to_thread(store.begin_matches, tournament, keys)

    return count_attempts


class LocalExecutor:
    """Plays chunks on the event loop of this process, one after the other: see `ChunkPlayer`."""

    def __init__(
        self,
        specs: Sequence[InstanceSpec],
        *,
        concurrency: int,
        count_attempts: CountAttempts,
        metrics: Metrics | None = None,
        list_concurrencies: Callable[[], Sequence[int]] = lambda: (),
        in_batches: bool = True,
    ) -> None:
        """Play with `specs`, which tell by entrant how its bot is started.

        At most `concurrency` matches are in flight, or a share of them, see `share_flight`:
        `list_concurrencies` returns those of all runs that share the machine. Play waits for a slow
        reader. `in_batches` it plays some groups to their end before others begin; a chunk that is
        a part of a round should be played at a time.
        """
        self._specs = list(specs)
        self._concurrency = concurrency
        self._list_concurrencies = list_concurrencies
        self._count_attempts = count_attempts
        self._metrics = metrics or Metrics()
        self._in_batches = in_batches
        self._player: ChunkPlayer | None = None
        self._has_played = False  # a chunk
        self._is_stopped = False

    @property
    def concurrency(self) -> int:
        """The number of matches that may be in flight now."""
        return share_flight(self._concurrency, self._list_concurrencies())

    @property
    def groups_at_a_time(self) -> int:
        """See `Executor`: as few as are made at a time."""
        return 1

    @property
    def begun_to(self) -> int:
        """One more than the number of the last group that cannot be cut off; 0 without a chunk."""
        return self._player.begun_to if self._player else 0

    @property
    def queue_lengths(self) -> tuple[int, int]:
        """The number of decisions that wait to be sent, and of those that bots have now."""
        return self._player.queue_lengths if self._player else (0, 0)

    def withdraw(self, entrant: int) -> None:
        """Play no more matches of an entrant, whose bot does not start elsewhere."""
        if self._player is not None:
            self._player.withdraw(entrant)

    def add_entrants(self, specs: Sequence[InstanceSpec]) -> None:
        """See `Executor`."""
        self._specs += specs

    async def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        """See `Executor`."""
        if self._is_stopped:
            return
        self._player = ChunkPlayer(
            chunk,
            specs=self._specs,
            pace=self._make_pace(chunk),
            find_concurrency=lambda: self.concurrency,
            count_attempts=self._count_attempts,
            metrics=self._metrics,
        )
        try:
            async with aclosing(self._player.play()) as events:
                async for event in events:
                    yield event
        finally:
            self._player = None

    def cut_off(self, earliest: int) -> int:
        """See `Executor`."""
        return self._player.cut_off(earliest) if self._player else 0

    def stop(self, *, at_once: bool = False) -> None:
        """See `Executor`."""
        self._is_stopped = True
        if self._player is not None:
            self._player.stop(at_once=at_once)

    def _make_pace(self, chunk: Chunk) -> Pace:
        is_first, self._has_played = not self._has_played, True
        return Pace(
            seatings=chunk.seatings,
            instances=chunk.count_instances(),
            groups=len(chunk.groups),
            processors=len(list_processors(self._specs)),
            is_first=is_first,
            is_whole=not self._in_batches,
        )

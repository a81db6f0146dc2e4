"""Plays matches in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from mazzo_server.clock import ArrivalClock, run_arrival_clock
from mazzo_server.metrics import Metrics
from mazzo_server.play import Phase, PlannedMatch, PlayEvent, Withdrawn
from mazzo_server.play.instances import InstanceSpec, SandboxedSpec
from mazzo_server.storage import Store
from mazzo_server.tournaments.executor.chunk import Chunk
from mazzo_server.tournaments.executor.shares import share_flight

__all__ = ["CountAttempts", "LocalExecutor", "count_attempts_in"]

CountAttempts = Callable[[Sequence[tuple[int, int]]], Awaitable[Sequence[int]]]
"""Notes durably that matches begin, by (group, seating); returns which attempt each one is."""


def count_attempts_in(store: Store, tournament: int) -> CountAttempts:
    """Return the function that counts the attempts at the matches of a stored tournament."""

    async def count_attempts(keys: Sequence[tuple[int, int]]) -> Sequence[int]:
        return await asyncio.to_thread(store.begin_matches, tournament, keys)

    return count_attempts


class LocalExecutor:
    """Plays a chunk phase by phase on the event loop of this process.

    It plays seating 0 of the groups, ends every instance, plays seating 1 with new instances, and
    so on. So twins never live at the same time, and no process meets a deal twice.
    """

    def __init__(
        self,
        specs: Sequence[InstanceSpec],
        *,
        concurrency: int,
        count_attempts: CountAttempts,
        metrics: Metrics | None = None,
        list_concurrencies: Callable[[], Sequence[int]] = lambda: (),
    ) -> None:
        """Play with `specs`, which tell by entrant how its bot is started.

        At most `concurrency` matches are in flight, or a share of them, see `share_flight`:
        `list_concurrencies` returns those of all runs that share the machine. Play waits for a slow
        reader.
        """
        self._specs = list(specs)
        self._concurrency = concurrency
        self._list_concurrencies = list_concurrencies
        self._count_attempts = count_attempts
        self._metrics = metrics or Metrics()
        self._events: asyncio.Queue[PlayEvent | None] = asyncio.Queue()
        self._phase: Phase | None = None
        self._seating = 0
        self._begun_to = 0  # one more than the number of the last group that has begun
        self._end = 0  # one more than the last group that is played; 0 without a chunk
        self._withdrawn: set[int] = set()
        self._is_stopped = False

    @property
    def concurrency(self) -> int:
        """The number of matches that may be in flight now."""
        return share_flight(self._concurrency, self._list_concurrencies())

    @property
    def groups_at_a_time(self) -> int:
        """See `Executor`: as few as are made at a time, since a whole seating comes first."""
        return 1

    @property
    def begun_to(self) -> int:
        """One more than the number of the last group that cannot be cut off; 0 without a chunk."""
        if not self._end:
            return 0
        return self._begun_to if self._seating == 0 else self._end

    @property
    def queue_lengths(self) -> tuple[int, int]:
        """The number of decisions that wait to be sent, and of those that bots have now."""
        pool = self._phase.pool if self._phase else None
        return (pool.waiting, pool.in_flight) if pool else (0, 0)

    def withdraw(self, entrant: int) -> None:
        """Play no more matches of an entrant, whose bot does not start elsewhere."""
        self._withdrawn.add(entrant)
        if self._phase is not None:
            self._phase.withdraw(entrant)

    def add_entrants(self, specs: Sequence[InstanceSpec]) -> None:
        """See `Executor`."""
        self._specs += specs

    async def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        """See `Executor`."""
        self._end, self._begun_to, self._seating = chunk.end, chunk.first, 0
        self._withdrawn = set(chunk.withdrawn)
        self._events = asyncio.Queue()
        playing = asyncio.create_task(self._play(chunk), name="chunk")
        try:
            while (event := await self._events.get()) is not None:
                yield event
                if self._phase is not None:
                    self._phase.fill()  # there is room for another match
            await playing
        finally:
            if not playing.done():
                self.stop(at_once=True)
                await asyncio.wait((playing,))
                if not playing.cancelled():
                    playing.exception()  # nobody reads on, so nobody could be told
            self._end = 0

    def cut_off(self, earliest: int) -> int:
        """See `Executor`."""
        if self._end and self._seating == 0:
            self._end = min(self._end, max(earliest, self._begun_to))
            if self._phase is not None:
                self._phase.cut_off(self._end)
        return self._end

    def stop(self, *, at_once: bool = False) -> None:
        """See `Executor`."""
        self._is_stopped = True
        if self._phase is not None and at_once:
            self._phase.give_up()
        elif self._phase is not None:
            self._phase.stop()

    async def _play(self, chunk: Chunk) -> None:
        try:
            queues = self._metrics.watch_queues(
                waiting=lambda: self.queue_lengths[0], in_flight=lambda: self.queue_lengths[1]
            )
            with queues, run_arrival_clock(self._metrics.observe_loop_delay) as clock:
                for self._seating in range(chunk.seatings):
                    matches = chunk.list_matches(self._seating)
                    while matches and not self._is_stopped:
                        await self._forget()
                        matches = await self._play_phase(matches, chunk, clock)
        finally:
            self._events.put_nowait(None)

    async def _forget(self) -> None:
        """Let nothing tell the next instances what those before saw, perhaps of the same deals."""
        specs = [spec for spec in self._specs if isinstance(spec, SandboxedSpec)]
        for sandbox in {id(spec.sandbox): spec.sandbox for spec in specs}.values():
            await sandbox.forget()

    async def _play_phase(
        self, matches: Sequence[PlannedMatch], chunk: Chunk, clock: ArrivalClock
    ) -> list[PlannedMatch]:
        """Play matches; return those that a fault of the platform spoilt, to be played again."""
        if self._is_stopped:  # meanwhile
            return []
        phase = self._phase = Phase(
            [
                match
                for match in matches
                if match.group < self._end and not self._withdrawn.intersection(match.entrants)
            ],
            rules=chunk.rules,
            specs=self._specs,
            host=self,
            clock=clock,
            metrics=self._metrics,
        )
        try:
            await phase.run()
        finally:
            self._phase = None
        return phase.again

    def reserve(self, match: PlannedMatch, *, beside: int) -> bool:
        """Return whether a match may begin beside so many others; if so, it counts as begun."""
        most = self.concurrency
        if beside >= most or self._events.qsize() > 2 * most:
            return False
        self._begun_to = max(self._begun_to, match.group + 1)
        return True

    async def count_attempts(self, matches: Sequence[PlannedMatch]) -> Sequence[int]:
        """Note durably that these matches begin."""
        return await self._count_attempts([match.key for match in matches])

    def on_event(self, event: PlayEvent) -> None:
        """Pass an event on."""
        if isinstance(event, Withdrawn):
            self._withdrawn.add(event.entrant)
        self._events.put_nowait(event)

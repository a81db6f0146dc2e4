"""Plays one chunk in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from mazzo_server.clock import ArrivalClock, monotonic, run_arrival_clock
from mazzo_server.metrics import Metrics
from mazzo_server.play import Finished, Phase, PlannedMatch, PlayEvent, Withdrawn
from mazzo_server.play.instances import InstanceSpec, SandboxedSpec
from mazzo_server.settings import list_usable_processors
from mazzo_server.tournaments.executor.chunk import Chunk
from mazzo_server.tournaments.executor.idleness import IdleMeter
from mazzo_server.tournaments.executor.pace import Pace

__all__ = ["ChunkPlayer", "CountAttempts", "list_processors"]

_IDLE_SECONDS: Final = 0.2  # between two looks at the processors
_IDLE_SHARE: Final = 0.3  # of the processors
_MOST_GROUPS: Final = 10_000  # of which the matches are listed at once

CountAttempts = Callable[[Sequence[tuple[int, int]]], Awaitable[Sequence[int]]]
"""Notes durably that matches begin, by (group, seating); returns which attempt each one is."""


def list_processors(specs: Sequence[InstanceSpec]) -> list[int]:
    """Return the numbers of the processors on which bots run that are started here."""
    limits = [spec.limits for spec in specs if isinstance(spec, SandboxedSpec)]
    return list_usable_processors(max((one.processor_share for one in limits), default=1.0))


class ChunkPlayer:
    """Plays a chunk batch by batch, and each batch phase by phase.

    It plays seating 0 of some groups, ends every instance, plays seating 1 with new instances, and
    so on; then it goes on with the next groups. So twins never live at the same time, and no
    process meets a deal twice. How many groups are a batch is decided as it goes, by `Pace`.
    """

    def __init__(
        self,
        chunk: Chunk,
        *,
        specs: Sequence[InstanceSpec],
        pace: Pace,
        find_concurrency: Callable[[], int],
        count_attempts: CountAttempts,
        metrics: Metrics,
    ) -> None:
        """`specs` may become more while it is played."""
        self.begun_to = chunk.first  # one more than the number of the last group that has begun
        self._chunk = chunk
        self._end = chunk.end  # one more than the last group that is played
        self._specs = specs
        self._pace = pace
        self._find_concurrency = find_concurrency
        self._count_attempts = count_attempts
        self._metrics = metrics
        self._events: asyncio.Queue[PlayEvent | None] = asyncio.Queue()
        self._phase: Phase | None = None
        self._withdrawn = set(chunk.withdrawn)
        self._is_stopped = False

    @property
    def queue_lengths(self) -> tuple[int, int]:
        """The number of decisions that wait to be sent, and of those that bots have now."""
        pool = self._phase.pool if self._phase else None
        return (pool.waiting, pool.in_flight) if pool else (0, 0)

    async def play(self) -> AsyncGenerator[PlayEvent, None]:
        """Yield what happens."""
        playing = asyncio.create_task(self._play(), name="chunk")
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

    def withdraw(self, entrant: int) -> None:
        """Play no more matches of an entrant, whose bot does not start elsewhere."""
        self._withdrawn.add(entrant)
        if self._phase is not None:
            self._phase.withdraw(entrant)

    def cut_off(self, earliest: int) -> int:
        """Begin no group from that number on, or from the first on that may be left out."""
        self._end = min(self._end, max(earliest, self.begun_to))
        if self._phase is not None:
            self._phase.cut_off(self._end)
        return self._end

    def stop(self, *, at_once: bool = False) -> None:
        """Begin no more matches; give those in flight up `at_once`, or play them to their end."""
        self._is_stopped = True
        if self._phase is not None and at_once:
            self._phase.give_up()
        elif self._phase is not None:
            self._phase.stop()

    async def _play(self) -> None:
        try:
            queues = self._metrics.watch_queues(
                waiting=lambda: self.queue_lengths[0], in_flight=lambda: self.queue_lengths[1]
            )
            with queues, run_arrival_clock(self._metrics.observe_loop_delay) as clock:
                rest = self._chunk
                while rest.groups and not self._is_stopped:
                    await self._play_batch(rest, clock)
                    rest = rest.cut(self.begun_to, self._end)
        finally:
            self._events.put_nowait(None)

    async def _play_batch(self, rest: Chunk, clock: ArrivalClock) -> None:
        """Play some of the first groups in all their seatings; `begun_to` tells which."""
        batch = replace(rest, groups=rest.groups[:_MOST_GROUPS])
        matches = batch.list_matches(0)
        self._pace.begin_batch(left=len(rest.groups) - len(batch.groups) + len(matches))
        raising = asyncio.create_task(self._raise_flight(), name="flight")
        try:
            await self._play_seating(matches, clock)
        finally:
            raising.cancel()
        if self._pace.is_open:  # all that were to begin have
            self._pace.close_batch()
            self.begun_to = min(batch.end, self._end)
        batch = batch.cut(batch.first, self.begun_to)
        for seating in range(1, batch.seatings):
            await self._play_seating(batch.list_matches(seating), clock)
        self._pace.end_batch()

    async def _raise_flight(self) -> None:
        """Begin more matches of the first batch than at first where bots leave processors idle."""
        meter = IdleMeter(list_processors(self._specs))
        while self._pace.is_first:
            await asyncio.sleep(_IDLE_SECONDS)
            if meter.measure() > _IDLE_SHARE:
                self._pace.raise_flight()
                if self._phase is not None:
                    self._phase.fill()

    async def _play_seating(self, matches: Sequence[PlannedMatch], clock: ArrivalClock) -> None:
        while matches and not self._is_stopped:
            await self._forget()
            matches = await self._play_phase(matches, clock)

    async def _forget(self) -> None:
        """Let nothing tell the next instances what those before saw, perhaps of the same deals."""
        specs = [spec for spec in self._specs if isinstance(spec, SandboxedSpec)]
        for sandbox in {id(spec.sandbox): spec.sandbox for spec in specs}.values():
            await sandbox.forget()

    async def _play_phase(
        self, matches: Sequence[PlannedMatch], clock: ArrivalClock
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
            rules=self._chunk.rules,
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
        most = self._pace.limit_flight(self._find_concurrency(), monotonic())
        if beside >= most or self._events.qsize() > 2 * most:
            return False
        if self._pace.is_open:
            self._pace.note_begun(monotonic())
            self.begun_to = max(self.begun_to, match.group + 1)
        return True

    async def count_attempts(self, matches: Sequence[PlannedMatch]) -> Sequence[int]:
        """Note durably that these matches begin."""
        return await self._count_attempts([match.key for match in matches])

    def on_event(self, event: PlayEvent) -> None:
        """Pass an event on."""
        if isinstance(event, Withdrawn):
            self._withdrawn.add(event.entrant)
        self._events.put_nowait(event)
        if not isinstance(event, Finished) or not self._pace.is_open or self._phase is None:
            return
        self._pace.note_finished()
        if self._pace.is_enough(monotonic()):
            self._pace.close_batch()
            self._phase.cut_off(self.begun_to)

"""Plays matches in several processes, on this machine or on those of a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from mazzo_server.clock import monotonic
from mazzo_server.metrics import Metrics
from mazzo_server.play import Began, Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.play.instances import InstanceSpec, SandboxedSpec
from mazzo_server.tournaments.executor.chunk import Chunk, ChunkGroup
from mazzo_server.tournaments.executor.chunk_player import CountAttempts
from mazzo_server.tournaments.executor.doubts import Doubts
from mazzo_server.tournaments.executor.event_buffer import EventBuffer
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.executor.windows import Windows
from mazzo_server.tournaments.executor.worker import (
    Job,
    PackedBot,
    WorkerConnection,
    WorkerLostError,
    WorkerPool,
)

__all__ = ["ProcessesExecutor"]

_GROUPS_OF_WORKER = 10_000  # of one chunk of the director, at whose end workers wait for others
_MOST_GROUPS = 100_000  # of one chunk, in which each takes 0.4 KB
_MOST_UNTAKEN = 1000  # events that wait for the director


class ProcessesExecutor:
    """Cuts a chunk into smaller ones, and has them played by workers, each one at a time.

    The matches of remote bots stay in this process, where those dial in. A worker that is lost is
    the platform's fault: what it had not finished is played again, by another worker.
    """

    def __init__(
        self,
        specs: Sequence[InstanceSpec],
        *,
        pool: WorkerPool,
        workers: int,
        concurrency: int,
        count_attempts: CountAttempts,
        metrics: Metrics | None = None,
        list_concurrencies: Callable[[], Sequence[int]] = lambda: (),
    ) -> None:
        """See `LocalExecutor`; so many workers of the pool play, or as many as there are.

        Each may have all of `concurrency` in flight: with a part of it frames would be smaller, and
        a decision would cost up to a third more.
        """
        self._pool = pool
        self._workers = workers
        self._metrics = metrics or Metrics()
        self._local = LocalExecutor(
            specs,
            concurrency=concurrency,
            count_attempts=count_attempts,
            metrics=self._metrics,
            list_concurrencies=list_concurrencies,
        )
        self._bots = _pack(specs)  # by entrant
        self._windows: Windows | None = None
        self._jobs: set[Job] = set()
        self._withdrawn: set[int] = set()
        self._doubts = Doubts(pool)
        self._events = EventBuffer(_MOST_UNTAKEN)
        self._is_stopped = False
        self._news = asyncio.Event()  # set once: a chunk is over or put back, or all is stopped

    @property
    def concurrency(self) -> int:
        """The number of matches that each worker may have in flight now."""
        return self._local.concurrency

    @property
    def groups_at_a_time(self) -> int:
        """See `Executor`."""
        return min(_GROUPS_OF_WORKER * self._workers, _MOST_GROUPS)

    def add_entrants(self, specs: Sequence[InstanceSpec]) -> None:
        """See `Executor`."""
        self._local.add_entrants(specs)
        self._bots += _pack(specs)

    async def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        """See `Executor`."""
        self._withdrawn = set(chunk.withdrawn)
        self._events = EventBuffer(_MOST_UNTAKEN)
        playing = asyncio.create_task(self._play(chunk), name="chunk")
        try:
            while events := await self._events.take():
                for event in events:
                    yield event
            await playing
        finally:
            if not playing.done():
                self.stop(at_once=True)
                self._events.close()  # or they would wait for room
                await asyncio.wait((playing,))
                if not playing.cancelled():
                    playing.exception()  # nobody reads on, so nobody could be told
            self._windows = None

    def cut_off(self, earliest: int) -> int:
        """See `Executor`."""
        windows = self._windows
        if windows is None:
            return 0
        windows.note_begun(self._local.begun_to)
        windows.cut_off(earliest)
        self._local.cut_off(windows.end)
        return windows.end

    def stop(self, *, at_once: bool = False) -> None:
        """See `Executor`."""
        self._is_stopped = True
        self._announce_news()
        self._local.stop(at_once=at_once)
        for job in self._jobs:
            job.stop(at_once=at_once)

    async def _play(self, chunk: Chunk) -> None:
        here = [item for item in chunk.groups if _is_remote(item, self._bots)]
        there = [item for item in chunk.groups if not _is_remote(item, self._bots)]
        windows = self._windows = Windows(
            chunk, there, workers=self._count_workers(), concurrency=self.concurrency
        )
        try:
            async with self._pool.use(), asyncio.TaskGroup() as tasks:
                if here:
                    tasks.create_task(self._play_here(chunk, here))
                for index in range(self._workers):
                    tasks.create_task(self._feed(index, windows))
        except BaseExceptionGroup as errors:
            raise _find_first(errors) from None
        finally:
            self._events.close()

    def _count_workers(self) -> int:
        return (
            min(self._workers, max(self._pool.size, 1)) if self._pool.is_cluster else self._workers
        )

    async def _play_here(self, whole: Chunk, groups: Sequence[ChunkGroup]) -> None:
        windows = self._windows
        assert windows is not None
        left = tuple(item for item in groups if item.group.number < windows.end)
        if not left:
            return
        chunk = replace(whole, groups=left)
        async with aclosing(self._local.play(chunk)) as events:
            async for event in events:
                windows.note_begun(self._local.begun_to)  # it forgets that at its end
                await self._report((event,))

    async def _report(self, events: Sequence[PlayEvent]) -> None:
        for event in events:
            if isinstance(event, Withdrawn) and event.entrant not in self._withdrawn:
                self._withdrawn.add(event.entrant)
                self._doubts.settle(event.entrant)
                self._local.withdraw(event.entrant)
                for job in self._jobs:
                    job.withdraw(event.entrant)
        await self._events.put(events)

    async def _feed(self, index: int, windows: Windows) -> None:
        """Let a worker play one chunk after the other, until all chunks are over."""
        while worker := await self._wait_for_worker(index, windows):
            windows.workers = self._count_workers()
            if (chunk := windows.take(self._doubts.may_play)) is None:
                news = self._news
                if not self._is_over(windows):  # one that others play may be put back
                    await news.wait()
                continue
            finished = set[tuple[int, int]]()
            try:
                async with self._doubts.find_worker(worker, chunk) as chosen:
                    seconds = await self._play_there(chosen, chunk, finished)
            except WorkerLostError as error:
                # If matches of it ended, not the chunk is suspect, but what was in flight.
                is_suspect = error.is_alone and not finished
                windows.put_back(chunk, finished, error if is_suspect else None)
            else:
                windows.note_time(chunk, seconds, matches=len(finished))
            self._announce_news()

    def _announce_news(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _is_over(self, windows: Windows) -> bool:
        return self._is_stopped or windows.is_over

    async def _wait_for_worker(self, index: int, windows: Windows) -> WorkerConnection | None:
        """Return the worker of that number, or None if all is over before it is there."""
        finding = asyncio.create_task(self._pool.find(index))
        try:
            while not self._is_over(windows):
                news = asyncio.create_task(self._news.wait())
                try:
                    await asyncio.wait((finding, news), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    news.cancel()
                if finding.done():
                    return finding.result()
            return None
        finally:
            finding.cancel()

    async def _play_there(
        self, worker: WorkerConnection, chunk: Chunk, finished: set[tuple[int, int]]
    ) -> float:
        """Let a worker play a chunk; return in how many seconds.

        Adds the matches that are over to `finished`. Raises `WorkerLostError`.
        """
        begin = monotonic()
        in_flight: dict[tuple[int, int], None] = {}
        doubts: list[Withdrawn] = []
        entrants = {entrant for item in chunk.groups for entrant in item.group.table}
        bots = [bot if entrant in entrants else None for entrant, bot in enumerate(self._bots)]
        await worker.prepare(bots)
        chunk = replace(chunk, withdrawn=frozenset(self._withdrawn))
        job = worker.begin(chunk, bots, concurrency=self.concurrency)
        self._jobs.add(job)
        try:
            if self._is_stopped:
                job.stop(at_once=True)
            async for events in job.read():
                for event in events:
                    match event:
                        case Began():
                            in_flight[event.group, event.seating] = None
                            self._metrics.matches.count_started()
                        case Finished(outcome=outcome):
                            in_flight.pop((outcome.group, outcome.seating), None)
                            finished.add((outcome.group, outcome.seating))
                            self._metrics.matches.count_finished(outcome)
                            if worker.node:
                                self._metrics.nodes.count_finished(outcome)
                        case Spoilt():
                            in_flight.pop((event.group, event.seating), None)
                        case Withdrawn() if worker.node and event.entrant not in self._withdrawn:
                            doubts.append(event)
                await self._report([event for event in events if event not in doubts])
                if doubts:
                    for event in doubts:
                        self._doubts.add(event.entrant)
                    raise WorkerLostError(
                        f"on {worker.node} a bot does not start, which is tried here next: "
                        f"{doubts[0].reason}",
                        is_alone=False,
                    )
            return monotonic() - begin
        except WorkerLostError as error:
            # The matches of those withdrawn have been given up, of which no event tells.
            tables = {item.group.number: item.group.table for item in chunk.groups}
            lost = [key for key in in_flight if self._withdrawn.isdisjoint(tables[key[0]])]
            for _ in lost if worker.is_lost else ():  # while it lives, it counts them itself
                self._metrics.matches.count_abandoned()
                if worker.node:
                    self._metrics.nodes.count_lost(worker.node)
            await self._report(
                [
                    Spoilt(
                        group=group,
                        seating=seating,
                        reason=str(error),
                        is_suspect=error.is_alone,
                    )
                    for group, seating in lost
                ]
            )
            raise
        finally:
            self._jobs.discard(job)
            await job.close()


def _is_remote(item: ChunkGroup, bots: Sequence[PackedBot | None]) -> bool:
    return any(bots[entrant] is None for entrant in item.group.table)


def _pack(specs: Sequence[InstanceSpec]) -> list[PackedBot | None]:
    """Return what workers need to start these bots; None for those that play here."""
    return [PackedBot.of(spec) if isinstance(spec, SandboxedSpec) else None for spec in specs]


def _find_first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the error that ended the others."""
    first: BaseException = errors
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first

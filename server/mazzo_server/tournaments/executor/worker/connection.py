"""A worker, as its platform sees it: given chunks to play, heard, and lost for good at last."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

from mazzo_server.errors import IsolationError, PlatformError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.play import PlayEvent
from mazzo_server.tournaments.executor.chunk import Chunk
from mazzo_server.tournaments.executor.event_buffer import EventBuffer
from mazzo_server.tournaments.executor.worker.messages import (
    Counted,
    Happened,
    Logged,
    MessageReader,
    Over,
    PackedBot,
    Play,
    Stop,
    Withdraw,
)
from mazzo_server.tournaments.executor.worker.relayed_metrics import count_calls

__all__ = ["Job", "WorkerConnection", "WorkerLostError", "read_soon"]

_LOG = logging.getLogger(__name__)

_LOOKS, _LOOK_SECONDS = 15, 1.0  # without a message, after which a worker is taken for dead
_FIRST_LOOKS = 60  # the same, until the first one
_MOST_UNREAD = 500  # events of a job that nobody has taken


class WorkerLostError(PlatformError):
    """A worker ended, stood still, or was given up while it played.

    `is_alone`: nothing but this worker was lost, so what it played may be the reason.
    `is_unfit`: an error ended what it played, so perhaps its node cannot play at all.
    """

    def __init__(self, message: str, *, is_alone: bool = True, is_unfit: bool = False) -> None:
        super().__init__(message)
        self.is_alone = is_alone
        self.is_unfit = is_unfit


class Job:
    """One chunk that a worker plays."""

    def __init__(self, worker: WorkerConnection, number: int) -> None:
        self._worker = worker
        self._number = number
        self._events = EventBuffer(_MOST_UNREAD)
        self._end: Over | Exception | None = None
        self._is_over = asyncio.Event()

    async def take(self, message: Happened | Over) -> None:
        """Take what the worker tells; return when there is room for more."""
        if isinstance(message, Over):
            self.end(message)
        else:
            await self._events.put(message.unpack(self._worker.node))

    def end(self, end: Over | Exception) -> None:
        """Note that no more events come."""
        self._end = self._end or end
        self._events.close()
        self._is_over.set()

    def stop(self, *, at_once: bool) -> None:
        """Begin no new match; at once: give up those in flight."""
        self._worker.tell(Stop(job=self._number, at_once=at_once))

    def withdraw(self, entrant: int) -> None:
        """Play no more matches of an entrant."""
        self._worker.tell(Withdraw(job=self._number, entrant=entrant))

    async def read(self) -> AsyncGenerator[Sequence[PlayEvent], None]:
        """Report the events until the job is over; raise what stopped it, or `WorkerLostError`.

        What stops it on a node of a cluster is the loss of the worker: other nodes can play on.
        """
        while events := await self._events.take():
            yield events
        assert self._end is not None
        if isinstance(self._end, Exception):
            raise self._end
        if self._end.error and self._worker.node:
            await self._worker.give_up(self._end.error)
            raise WorkerLostError(
                f"the worker {self._worker.name} cannot play: {self._end.error}",
                is_alone=self._end.is_bug,
                is_unfit=not self._end.is_bug,
            )
        if self._end.error:
            raise (IsolationError if self._end.is_isolation else PlatformError)(self._end.error)

    async def close(self) -> None:
        """Give up what is in flight; return when nothing of it is left."""
        self._events.close()
        if self._end is None:
            self.stop(at_once=True)
        await self._is_over.wait()


class WorkerConnection(ABC):
    """One worker; once it is lost it stays so."""

    def __init__(self, name: str, metrics: Metrics, *, node: str = "") -> None:
        """`node` names the machine; empty: this one."""
        self.name = name
        self.node = node
        self.is_lost = False
        self.waiting = self.in_flight = 0  # decisions
        self._is_closing = False
        self._running = 0  # instances
        self._metrics = metrics
        self._numbers = count()
        self._jobs: dict[int, Job] = {}

    @property
    def is_alone(self) -> bool:
        """Whether nothing else is lost with it."""
        return True

    @abstractmethod
    async def prepare(self, bots: Sequence[PackedBot | None]) -> None:
        """Get ready to play these bots."""

    def begin(self, chunk: Chunk, bots: Sequence[PackedBot | None], *, concurrency: int) -> Job:
        """Begin to play a chunk, with at most so many matches in flight."""
        number = next(self._numbers)
        job = self._jobs[number] = Job(self, number)
        if self.is_lost:
            job.end(WorkerLostError(f"the worker {self.name} has ended", is_alone=False))
        self.tell(Play(job=number, chunk=chunk, bots=tuple(bots), concurrency=concurrency))
        return job

    @abstractmethod
    def tell(self, message: object) -> None:
        """Send it a message, unless it is gone."""

    @abstractmethod
    async def close(self) -> None:
        """Let it end its instances and itself; return when it has."""

    async def give_up(self, reason: str) -> None:
        """Close it since it cannot play, for a reason that is logged."""
        if not (self._is_closing or self.is_lost):
            self._log_loss(f"cannot play: {reason}")
        await self.close()

    def _log_loss(self, why: str) -> None:
        _LOG.warning(
            "the worker %s is lost, and what it played is played again: it %s",
            *(self.name, why),
            extra={"action": LogAction.WORKER_LOST, "worker": self.name},
        )

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Pass on what it tells, until it is lost."""
        why = "ended"
        try:
            messages = MessageReader(reader)
            looks = _FIRST_LOOKS  # many may start at the same time
            while True:
                for message in await read_soon(messages, looks):
                    await self._take(message)
                looks = _LOOKS
        except EOFError:
            pass
        except TimeoutError:
            why = f"had said nothing for {_LOOKS * _LOOK_SECONDS:g} s"
        except Exception as error:  # a bug of ours, which must not hang the tournament
            why = str(error) or type(error).__name__
        if not self._is_closing:
            self._log_loss(why)
        self.is_lost = True
        self.waiting = self.in_flight = 0
        for _ in range(self._running):  # they end with it
            self._metrics.instances.count_ended("", "")
        for job in self._jobs.values():
            job.end(WorkerLostError(f"the worker {self.name} {why}", is_alone=self.is_alone))
        self._jobs.clear()

    async def _take(self, message: Any) -> None:
        match message:
            case Happened():
                if job := self._jobs.get(message.job):
                    await job.take(message)
            case Over():
                if job := self._jobs.pop(message.job, None):
                    await job.take(message)
            case Counted():
                self.waiting, self.in_flight = message.waiting, message.in_flight
                count_calls(self._metrics, message.calls)
                names = Counter(name for name, _ in message.calls)
                self._running += names["instances.count_started"]
                self._running -= names["instances.count_ended"]
            case Logged():
                logging.getLogger(message.record.name).handle(message.record)


async def read_soon(reader: MessageReader, looks: int) -> list[Any]:
    """Return the next messages; raise TimeoutError when none come for long.

    It looks again and again: a platform that has stood still finds one look over, whatever has come
    meanwhile, and takes nobody for dead for that.
    """
    for _ in range(looks):
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                return await reader.read()
    raise TimeoutError

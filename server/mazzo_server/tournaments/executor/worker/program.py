"""A worker, from the inside: it plays the chunks that it is given, and tells what happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mazzo_server.errors import IsolationError, PlatformError
from mazzo_server.logs import is_ours_to_tell
from mazzo_server.play import PlayEvent
from mazzo_server.play.instances import HostCores, InstanceSpec, SandboxedSpec
from mazzo_server.sandbox import Sandbox, open_sandbox
from mazzo_server.settings import Isolation
from mazzo_server.tournaments.executor.local import LocalExecutor
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
    pack_message,
)
from mazzo_server.tournaments.executor.worker.relayed_metrics import RelayedMetrics

__all__ = ["Worker"]

_LOG = logging.getLogger(__name__)

_INTERVAL: Final = 1.0  # seconds between two messages of what was counted
_TELLING_DELAY: Final = 0.02  # seconds that an event may wait for others, to be told with them
_MOST_UNTOLD: Final = 128  # events that wait


@dataclass(slots=True, eq=False)
class _Job:
    """A chunk that is played, from the moment at which it came."""

    task: asyncio.Task[None] | None = None
    executor: LocalExecutor | None = None  # None: its bots are not ready yet
    is_stopped: bool = False
    is_cancelled: bool = False
    withdrawn: set[int] = field(default_factory=set)
    untold: list[PlayEvent] = field(default_factory=list)

    @property
    def queue_lengths(self) -> tuple[int, int]:
        """See `LocalExecutor`."""
        return self.executor.queue_lengths if self.executor else (0, 0)

    def stop(self, *, at_once: bool) -> None:
        """Begin no new match; at once: give up those in flight."""
        self.is_stopped = True
        if at_once and not self.is_cancelled:  # a second time it would break the cleaning up
            self.is_cancelled = True
            assert self.task is not None
            self.task.cancel()
        elif self.executor is not None:
            self.executor.stop()

    def withdraw(self, entrant: int) -> None:
        """Play no more matches of an entrant."""
        self.withdrawn.add(entrant)
        if self.executor is not None:
            self.executor.withdraw(entrant)


class Worker:
    """Plays any number of jobs at the same time, until its platform closes the socket."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        make_executor: Callable[..., LocalExecutor] = LocalExecutor,
    ) -> None:
        """Play each job with what `make_executor` makes of the arguments of `LocalExecutor`."""
        self._make_executor = make_executor
        self._reader = MessageReader(reader)
        self._writer = writer
        self._metrics = RelayedMetrics()
        self._jobs: dict[int, _Job] = {}
        self._sandboxes: dict[Isolation, asyncio.Task[Sandbox]] = {}
        self._cores = HostCores()

    async def run(self, level: int) -> None:
        """Obey the platform until it is gone; pass on what is logged from that level on."""
        loop = asyncio.get_running_loop()
        relay = _Relay(lambda message: loop.call_soon_threadsafe(self._tell, message))
        relay.addFilter(is_ours_to_tell)
        logging.basicConfig(handlers=[relay], level=max(level, logging.WARNING), force=True)
        logging.getLogger("mazzo_server").setLevel(level)
        counting = asyncio.create_task(self._tell_counts())
        try:
            with suppress(EOFError):
                while True:
                    for message in await self._reader.read():
                        self._obey(message)
        finally:
            counting.cancel()
            tasks = [job.task for job in self._jobs.values() if job.task is not None]
            for job in self._jobs.values():
                job.stop(at_once=True)
            await asyncio.gather(*tasks, counting, return_exceptions=True)

    def _obey(self, message: Play | Stop | Withdraw) -> None:
        if isinstance(message, Play):
            job = self._jobs[message.job] = _Job()
            job.task = asyncio.create_task(self._play(message, job), name=f"job-{message.job}")
            job.task.add_done_callback(lambda task: self._end(message.job, task))
        elif (known := self._jobs.get(message.job)) is None:
            return  # it has just ended
        elif isinstance(message, Stop):
            known.stop(at_once=message.at_once)
        else:
            known.withdraw(message.entrant)

    async def _play(self, play: Play, job: _Job) -> None:
        specs = [await self._unpack(bot) for bot in play.bots]
        if job.is_stopped:
            return
        job.executor = self._make_executor(
            specs,
            concurrency=play.concurrency,
            count_attempts=_count_no_attempts,
            metrics=self._metrics,
            in_batches=False,
        )
        loop = asyncio.get_running_loop()
        chunk = replace(play.chunk, withdrawn=play.chunk.withdrawn | job.withdrawn)
        async with aclosing(job.executor.play(chunk)) as events:
            async for event in events:
                job.untold.append(event)
                if len(job.untold) >= _MOST_UNTOLD:
                    self._tell_events(play.job, job)
                elif len(job.untold) == 1:
                    loop.call_later(_TELLING_DELAY, self._tell_events, play.job, job)
                await self._writer.drain()

    def _tell_events(self, number: int, job: _Job) -> None:
        if job.untold:
            self._tell(Happened.of(number, job.untold))
            job.untold.clear()

    def _end(self, number: int, task: asyncio.Task[None]) -> None:
        """Tell that a job is over, whatever ended it."""
        self._tell_events(number, self._jobs.pop(number))
        error = None if task.cancelled() else task.exception()
        if error is None:
            self._tell(Over(job=number))
            return
        is_bug = not isinstance(error, PlatformError)
        if is_bug:
            _LOG.error("a worker failed: %s", error, exc_info=error)
        text = str(error) or type(error).__name__
        is_isolation = isinstance(error, IsolationError)
        self._tell(Over(job=number, error=text, is_isolation=is_isolation, is_bug=is_bug))

    async def _unpack(self, bot: PackedBot | None) -> InstanceSpec:
        if bot is None:
            return _Elsewhere()
        return SandboxedSpec(
            name=bot.name,
            bundle=bot.bundle.absolute(),
            command=bot.command,
            runtime=bot.runtime,
            packages=bot.packages and bot.packages.absolute(),
            capacity=bot.capacity,
            start_up=bot.start_up,
            sandbox=await self._find_sandbox(bot.isolation),
            limits=bot.limits,
            cores=self._cores.find(bot.limits.processor_share) if bot.is_fair else None,
        )

    async def _find_sandbox(self, isolation: Isolation) -> Sandbox:
        opening = self._sandboxes.get(isolation)
        if opening is None or (opening.done() and opening.exception() is not None):
            opening = asyncio.create_task(asyncio.to_thread(open_sandbox, isolation))
            self._sandboxes[isolation] = opening
        return await asyncio.shield(opening)

    async def _tell_counts(self) -> None:
        while True:
            lengths = [job.queue_lengths for job in self._jobs.values()]
            self._tell(
                Counted(
                    calls=self._metrics.take_calls(),
                    waiting=sum(waiting for waiting, _ in lengths),
                    in_flight=sum(in_flight for _, in_flight in lengths),
                )
            )
            await asyncio.sleep(_INTERVAL)

    def _tell(self, message: object) -> None:
        if not self._writer.is_closing():
            self._writer.write(pack_message(message))


class _Relay(logging.Handler):
    """Passes records on, with their text made and without what cannot be pickled."""

    def __init__(self, tell: Callable[[Logged], object]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        kept = copy(record)
        kept.msg = record.getMessage()
        if record.exc_info:
            kept.msg += "\n" + logging.Formatter().formatException(record.exc_info)
        kept.args = kept.exc_info = kept.exc_text = None
        self._tell(Logged(record=kept))


class _Elsewhere:
    """A bot that plays in no match of the chunk."""

    name = ""
    remote = True

    def make_instance(self, link: object) -> Any:
        raise AssertionError("this bot plays elsewhere")


async def _count_no_attempts(keys: Sequence[tuple[int, int]]) -> Sequence[int]:
    raise AssertionError(f"expected no match of a remote bot, got {keys}")

"""A worker, from the inside: it plays the chunks that it is given, and tells what happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing, suppress
from copy import copy
from functools import cached_property
from typing import Any, Final

from mazzo_server.errors import IsolationError
from mazzo_server.play.instances import Cores, InstanceSpec, SandboxedSpec, open_host_cores
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

_INTERVAL: Final = 1.0  # seconds between two messages of what was counted


class Worker:
    """Plays any number of jobs at the same time, until its platform closes the socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = MessageReader(reader)
        self._writer = writer
        self._metrics = RelayedMetrics()
        self._jobs: dict[int, asyncio.Task[None]] = {}
        self._executors: dict[int, LocalExecutor] = {}
        self._sandboxes: dict[Isolation, asyncio.Task[Sandbox]] = {}

    async def run(self, level: int) -> None:
        """Obey the platform until it is gone; pass on what is logged from that level on."""
        logging.basicConfig(handlers=[_Relay(self._tell)], level=level, force=True)
        counting = asyncio.create_task(self._tell_counts())
        try:
            with suppress(EOFError):
                while True:
                    for message in await self._reader.read():
                        self._obey(message)
        finally:
            counting.cancel()
            for task in self._jobs.values():
                task.cancel()
            await asyncio.gather(*self._jobs.values(), counting, return_exceptions=True)

    def _obey(self, message: Any) -> None:
        match message:
            case Play():
                task = asyncio.create_task(self._play(message), name=f"job-{message.job}")
                self._jobs[message.job] = task
                task.add_done_callback(lambda _: self._jobs.pop(message.job))
            case Stop():
                if message.at_once and message.job in self._jobs:
                    self._jobs[message.job].cancel()
                elif executor := self._executors.get(message.job):
                    executor.stop()
            case Withdraw():
                if executor := self._executors.get(message.job):
                    executor.withdraw(message.entrant)

    async def _play(self, play: Play) -> None:
        job = play.job
        try:
            specs = [await self._unpack(bot) for bot in play.bots]
            executor = self._executors[job] = LocalExecutor(
                specs,
                concurrency=play.concurrency,
                count_attempts=_count_no_attempts,
                metrics=self._metrics,
            )
            async with aclosing(executor.play(play.chunk)) as events:
                async for event in events:
                    self._tell(Happened(job=job, event=event))
                    await self._writer.drain()
            self._tell(Over(job=job))
        except asyncio.CancelledError:
            self._tell(Over(job=job))
        except Exception as error:
            text = str(error) or type(error).__name__
            self._tell(Over(job=job, error=text, is_isolation=isinstance(error, IsolationError)))
        finally:
            self._executors.pop(job, None)

    async def _unpack(self, bot: PackedBot | None) -> InstanceSpec:
        if bot is None:
            return _Elsewhere()
        return SandboxedSpec(
            name=bot.name,
            bundle=bot.bundle,
            command=bot.command,
            runtime=bot.runtime,
            packages=bot.packages,
            capacity=bot.capacity,
            start_up=bot.start_up,
            sandbox=await self._find_sandbox(bot.isolation),
            limits=bot.limits,
            cores=self._cores if bot.is_fair else None,
        )

    async def _find_sandbox(self, isolation: Isolation) -> Sandbox:
        if isolation not in self._sandboxes:
            opening = asyncio.to_thread(open_sandbox, isolation)
            self._sandboxes[isolation] = asyncio.create_task(opening)
        return await asyncio.shield(self._sandboxes[isolation])

    @cached_property
    def _cores(self) -> Cores:
        return open_host_cores()

    async def _tell_counts(self) -> None:
        while True:
            await asyncio.sleep(_INTERVAL)
            self._tell(
                Counted(
                    calls=self._metrics.take_calls(),
                    waiting=sum(one.queue_lengths[0] for one in self._executors.values()),
                    in_flight=sum(one.queue_lengths[1] for one in self._executors.values()),
                )
            )

    def _tell(self, message: object) -> None:
        if not self._writer.is_closing():
            self._writer.write(pack_message(message))


class _Relay(logging.Handler):
    """Passes records on, with their text made and without what cannot be pickled."""

    def __init__(self, tell: Any) -> None:
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

"""A sandbox that freezes as one with control groups does, and needs no right for it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from mazzo_server.sandbox import Exit, Launch, Limits, SandboxedProcess
from support.scripted_tournaments import Lives

__all__ = ["Freezer"]


class Freezer(Lives):
    """Stops the processes of an instance by signals. Of `Limits.cores` nothing else holds.

    `on_freeze` and `on_thaw` are called with the process of an instance after it was frozen and
    before it is thawed, `on_processor` with the processor that it is to run on.
    """

    bounds_cores = True

    def __init__(self, *, on_freeze: Callable[[int], None] = lambda _: None) -> None:
        super().__init__()
        self.on_freeze = on_freeze
        self.on_thaw: Callable[[int], None] = lambda _: None
        self.on_processor: Callable[[int], None] = lambda _: None
        self.frozen = 0  # times that an instance was

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        return _Frozen(await super().start(launch, replace(limits, cores=None)), self)


class _Frozen(SandboxedProcess):
    def __init__(self, inner: SandboxedProcess, freezer: Freezer) -> None:
        self._inner, self._freezer = inner, freezer
        self._pid: int = inner._inner.pid  # type: ignore[attr-defined]

    @property
    def log_size(self) -> int:
        return self._inner.log_size

    def read_log(self, since: int = 0) -> str:
        return self._inner.read_log(since)

    def freeze(self) -> None:
        self._freezer.frozen += 1
        self._send(signal.SIGSTOP)
        self._freezer.on_freeze(self._pid)

    def thaw(self) -> None:
        self._freezer.on_thaw(self._pid)
        self._send(signal.SIGCONT)

    def run_on(self, processor: int) -> None:
        self._freezer.on_processor(processor)

    def _send(self, what: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._pid, what)

    async def wait(self) -> Exit:
        return await self._inner.wait()

    async def kill(self) -> None:
        await self._inner.kill()

"""Fifty instances of a bot that are started at once, until each of them has joined."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mazzo_server.clock import run_arrival_clock
from mazzo_server.metrics import Metrics
from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.player import Player
from mazzo_server.sandbox import Limits, open_sandbox
from mazzo_server.settings import Isolation, list_usable_processors

__all__ = ["Starts", "measure"]

_BOT = Path(__file__).parents[1] / "sample_bots" / "random"
_START_UP = 20.0  # seconds, as a tournament gives by default


@dataclass(frozen=True, slots=True)
class Starts:
    """How long it took until all had joined, and the slowest of them alone; in seconds."""

    all_seconds: float
    slowest_seconds: float


def measure(instances: int, *, isolation: str, fair: bool) -> Starts:
    """Start so many; raises RuntimeError when one does not join within its allowance."""
    return asyncio.run(_measure(instances, isolation, fair=fair))


async def _measure(instances: int, isolation: str, *, fair: bool) -> Starts:
    spec = SandboxedSpec(
        name="random",
        bundle=_BOT,
        command=("python", "bot.py"),
        capacity=1,
        start_up=_START_UP,
        sandbox=open_sandbox(Isolation(isolation)),
        limits=Limits(cores=1.0 if fair else None),
        cores=Cores(list_usable_processors()) if fair else None,
    )
    joins = _Joins(instances)
    with run_arrival_clock() as clock:
        players = [
            Player(spec, clock=clock, owner=joins, metrics=joins.metrics, start_attempts=1)
            for _ in range(instances)
        ]
        began = time.perf_counter()
        for player in players:
            player.start()
        try:
            await joins.done
            return Starts(time.perf_counter() - began, max(joins.seconds))
        finally:
            await asyncio.gather(*(player.close() for player in players))


class _Joins:
    """Counts the instances that have joined."""

    def __init__(self, instances: int) -> None:
        self.metrics = Metrics()
        self.metrics.instances.count_joined = self._count  # type: ignore[method-assign, assignment]
        self.seconds: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited = instances

    def _count(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) == self._awaited:
            self.done.set_result(None)

    def _fail(self, reason: str) -> None:
        if not self.done.done():
            self.done.set_exception(RuntimeError(reason))

    def on_no_start(self, player: Player, reason: str) -> None:
        self._fail(reason)

    def on_spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        self._fail(reason)

    def on_error(self, error: Exception) -> None:
        self._fail(str(error))

"""Platforms on one host never use a processor twice, and share what there is."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.play.instances.cpu.processor_leases import HostCores, ProcessorLeases
from mazzo_server.sandbox.lock_table import LockTable
from mazzo_server.settings import list_usable_processors

pytestmark = pytest.mark.slow

THINKING = 0.001  # seconds


class Host:
    """Its processors, and which platform uses each of them now."""

    def __init__(self, path: Path, processors: int) -> None:
        self.path = path
        self.processors = range(processors)
        self.used: dict[int, str] = {}
        self.turns = Counter[str]()

    def make_cores(self, *, first: int = 0) -> Cores:
        """Those of the processors from that number on."""
        processors = self.processors[first:]
        return Cores(processors, ProcessorLeases(LockTable(self.path), processors))

    def count_used(self) -> Counter[str]:
        return Counter(self.used.values())


class Thinker:
    """A bot that asks for a core again as soon as it has thought.

    One that is `busy` keeps its core as long as nobody waits.
    """

    def __init__(
        self,
        host: Host,
        platform: str,
        cores: Cores,
        *,
        is_busy: bool = False,
        seconds: float = THINKING,
    ) -> None:
        self.host, self.platform, self.cores = host, platform, cores
        self.is_over = False
        self.seconds = seconds
        self.is_busy = is_busy
        self.cores.ask(self)

    def on_grant(self, processor: int) -> None:
        assert processor not in self.host.used, "two bots think on one processor"
        self.host.used[processor] = self.platform
        self.host.turns[self.platform] += 1
        asyncio.get_running_loop().call_later(self._think(), self.rest, processor)

    def _think(self) -> float:
        return self.seconds * random.uniform(0.7, 1.3)

    def rest(self, processor: int) -> None:
        if self.is_busy and not self.is_over and not self.cores.has_waiting:
            self.host.turns[self.platform] += 1
            asyncio.get_running_loop().call_later(self._think(), self.rest, processor)
            return
        del self.host.used[processor]
        self.cores.give_back(self)
        if not self.is_over:
            self.cores.ask(self)


def start_bots(
    host: Host, platform: str, count: int, *, first: int = 0, **how: Any
) -> list[Thinker]:
    cores = host.make_cores(first=first)
    return [Thinker(host, platform, cores, **how) for _ in range(count)]


def stop(*bots: list[Thinker]) -> None:
    """Let those that think finish, and the others leave the line."""
    for each in bots:
        for bot in each:
            bot.is_over = True
            if not bot.cores.has_core(bot):
                bot.cores.give_back(bot)


@pytest.mark.parametrize(("processors", "platforms"), [(1, 2), (2, 3), (4, 3)])
def test_every_platform_gets_its_share(tmp_path: Path, processors: int, platforms: int) -> None:
    """Fair cpu: also where there are more platforms than processors, and more bots in some."""
    host = Host(tmp_path / "table", processors)

    async def main() -> None:
        bots = [start_bots(host, str(index), 2 + 6 * index) for index in range(platforms)]
        await asyncio.sleep(1.5)
        stop(*bots)

    asyncio.run(main())
    assert min(host.turns.values()) > 0.5 * host.turns.total() / platforms


def test_bots_that_think_long_starve_no_other_platform(tmp_path: Path) -> None:
    """Bug: a platform that looked for a processor began a new slice, and never gave one up."""
    host = Host(tmp_path / "table", 2)

    async def main() -> None:
        bots = [start_bots(host, str(index), 4, seconds=0.15) for index in range(3)]
        await asyncio.sleep(6.0)
        stop(*bots)

    asyncio.run(main())
    assert min(host.turns[str(index)] for index in range(3)) > 0.15 * host.turns.total()


def test_a_platform_that_waits_and_takes_nothing_holds_nobody_up(tmp_path: Path) -> None:
    """One that is stopped: its locks stay."""
    host = Host(tmp_path / "table", 4)
    stopped = ProcessorLeases(LockTable(host.path), host.processors)

    async def main() -> None:
        stopped.wait(lambda: None)
        bots = start_bots(host, "others", 8, seconds=0.02)
        assert await measure_used(host, "others") > 1.5
        stop(bots)
        stopped.wait(None)

    asyncio.run(main())


def test_a_platform_that_comes_later_gets_as_many_processors(tmp_path: Path) -> None:
    host = Host(tmp_path / "table", 4)

    async def main() -> None:
        first = start_bots(host, "first", 8)
        await asyncio.sleep(0.05)
        assert host.count_used() == {"first": 4}
        second = start_bots(host, "second", 8)
        await asyncio.sleep(0.3)
        assert host.count_used() == {"first": 2, "second": 2}
        stop(first)
        await asyncio.sleep(0.3)
        assert host.count_used() == {"second": 4}
        stop(second)

    asyncio.run(main())


def test_a_platform_that_wants_one_processor_gets_one(tmp_path: Path) -> None:
    """A trial beside a tournament: three of four processors are enough for the tournament."""
    host = Host(tmp_path / "table", 4)

    async def main() -> None:
        tournament = start_bots(host, "tournament", 8)
        await asyncio.sleep(0.05)
        trial = start_bots(host, "trial", 1)
        await asyncio.sleep(0.3)
        before = host.turns["tournament"]
        await asyncio.sleep(0.3)
        assert host.count_used()["trial"] <= 1
        assert host.turns["trial"] > 50
        assert host.turns["tournament"] - before > 500
        stop(tournament, trial)

    asyncio.run(main())


def test_bots_that_are_never_done_starve_no_other_platform(tmp_path: Path) -> None:
    """Bug: a turn lasted as long as there was something to ask, if only others waited."""
    host = Host(tmp_path / "table", 2)

    async def main() -> None:
        busy = start_bots(host, "busy", 2, is_busy=True)
        await asyncio.sleep(0.05)
        late = start_bots(host, "late", 2, is_busy=True)
        await asyncio.sleep(1.0)
        stop(busy, late)

    asyncio.run(main())
    assert host.turns["late"] > 0.3 * host.turns.total()


def test_nothing_is_held_when_nobody_thinks(tmp_path: Path) -> None:
    host = Host(tmp_path / "table", 2)

    async def main() -> None:
        stop(start_bots(host, "first", 5))
        await asyncio.sleep(0.3)

    asyncio.run(main())
    assert not LockTable(host.path).is_locked(0, 1 << 20)


def test_who_has_a_share_gets_no_other_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ladder: also while nobody else wants them; the others are left to tournaments."""
    host = Host(tmp_path / "table", 5)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*host.processors})
    monkeypatch.setattr(LockTable, "of_host", lambda _: LockTable(host.path))
    cores = HostCores()

    async def main() -> None:
        ladder = [Thinker(host, "ladder", cores.find(0.5)) for _ in range(8)]
        await asyncio.sleep(0.05)
        assert host.used == dict.fromkeys(list_usable_processors(0.5), "ladder")
        assert len(host.used) == 2
        others = [Thinker(host, "others", cores.find()) for _ in range(8)]
        assert await measure_used(host, "others") > 2.8
        stop(ladder, others)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("processors", "first", "ladders"), [(3, 2, 1), (8, 6, 1), (8, 4, 1), (8, 4, 4)]
)
def test_nobody_leaves_a_processor_to_those_who_may_not_use_it(
    tmp_path: Path, processors: int, first: int, ladders: int
) -> None:
    """Bug: a tournament gave processors up for a ladder that waited for others."""
    host = Host(tmp_path / "table", processors)

    async def main() -> None:
        bots = [
            start_bots(host, f"ladder {number}", processors, first=first)
            for number in range(ladders)
        ]
        tournament = start_bots(host, "tournament", 2 * processors)
        used = await measure_used(host, "tournament")
        stop(tournament, *bots)
        assert used > 0.9 * first

    asyncio.run(main())


async def measure_used(host: Host, platform: str) -> float:
    """Return how many processors it uses in the mean, once all have what they get."""
    await asyncio.sleep(0.2)
    counts = []
    for _ in range(200):
        await asyncio.sleep(0.003)
        counts.append(host.count_used()[platform])
    return sum(counts) / len(counts)

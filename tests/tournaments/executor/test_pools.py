"""The pools of workers, without any worker: who gets which, and what is kept how long."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AsyncExitStack
from typing import Any

import pytest

from mazzo_server.errors import PlatformError
from mazzo_server.metrics import Metrics
from mazzo_server.tournaments.executor.cluster import ClusterPool
from mazzo_server.tournaments.executor.cluster import pool as pool_module
from mazzo_server.tournaments.executor.cluster.messages import Connected
from mazzo_server.tournaments.executor.worker import WorkerPool


class MadeUpWorker:
    """What a pool reads of a worker."""

    def __init__(self, node: str) -> None:
        self.node = node
        self.is_lost = False


class Cluster:
    """A cluster pool whose driver never runs; its workers come and go as the test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.drives = 0
        self.pool = ClusterPool(Metrics(), address="nowhere:1", required=frozenset())
        self._count = 0
        monkeypatch.setattr(self.pool, "_drive", self._drive)

    async def _drive(self) -> None:
        self.drives += 1
        await asyncio.Event().wait()

    def join(self, node: str = "h/a") -> Any:
        """A new worker."""
        worker: Any = MadeUpWorker(node)
        self.pool._driver.workers[self._count] = worker
        self._count += 1
        self.pool._driver.changed.set()
        return worker

    def lose(self, worker: Any) -> None:
        """What happens when a worker is lost."""
        worker.is_lost = True
        workers: dict[int, Any] = self.pool._driver.workers
        self.pool._driver.workers = {n: one for n, one in workers.items() if one is not worker}
        self.pool._driver.changed.set()

    def feed(self, count: int) -> list[asyncio.Task[Any]]:
        """Feeders of one tournament that look for a worker each."""
        return [asyncio.create_task(self.pool.find(index)) for index in range(count)]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    return Cluster(monkeypatch)


async def settle() -> None:
    """Let every task go on until it waits."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_pool_that_is_used_again_just_when_it_ends_starts_another_driver(
    cluster: Cluster,
) -> None:
    """Bug: the old driver, which was about to end, was taken for one that works."""

    async def work() -> None:
        async with cluster.pool.use():
            await settle()
        cluster.pool._end_idle()
        async with cluster.pool.use():
            await settle()
            assert cluster.drives == 2
            assert cluster.pool._driving is not None
            assert not cluster.pool._driving.done()
        await cluster.pool.close()

    asyncio.run(work())


def get_found(finding: list[asyncio.Task[Any]]) -> list[Any]:
    """The workers that feeders have found; None: it waits."""
    return [task.result() if task.done() else None for task in finding]


def test_feeders_of_a_tournament_never_share_a_worker(cluster: Cluster) -> None:
    """Bug: one that lost its worker took that of another for good, and chunks ran beside others."""

    async def work() -> None:
        first, second = cluster.join(), cluster.join()
        async with cluster.pool.use():
            finding = cluster.feed(4)
            await settle()
            assert get_found(finding) == [first, second, None, None]
            cluster.lose(first)
            finding[:2] = cluster.feed(2)
            await settle()
            assert get_found(finding) == [None, second, None, None], "the second keeps its own"
            third, fourth = cluster.join(), cluster.join()
            await settle()
            found = get_found(finding)
            assert found.count(None) == 1
            assert {id(one) for one in found if one} == {id(second), id(third), id(fourth)}
            for task in finding:
                task.cancel()
        await cluster.pool.close()

    asyncio.run(work())


def test_tournaments_share_all_workers(cluster: Cluster) -> None:
    """Nobody waits for a worker that one of another tournament has, now or long ago."""

    async def play(feeders: int, go_on: asyncio.Event) -> list[Any]:
        async with cluster.pool.use():
            finding = cluster.feed(feeders)
            await settle()
            await go_on.wait()
            for task in finding:
                task.cancel()
            return get_found(finding)

    async def work() -> None:
        workers = [cluster.join(), cluster.join()]
        for lost in (workers[0], workers[1]):
            go_on = asyncio.Event()
            playing = [asyncio.create_task(play(feeders, go_on)) for feeders in (5, 2)]
            await settle()
            go_on.set()
            many, few = await asyncio.gather(*playing)
            assert few == workers
            assert [one for one in many if one] == workers
            cluster.lose(lost)
            workers = [*(one for one in workers if one is not lost), cluster.join()]
        await cluster.pool.close()

    asyncio.run(work())


def test_a_pool_restricts_itself_to_the_nodes_that_are_wanted(cluster: Cluster) -> None:
    """The seam between both pools: no worker of a node that is not wanted is ever found."""

    async def work() -> None:
        workers = [cluster.join(node) for node in ("h/a", "h/b", "h/a")]
        async with cluster.pool.use():
            found = [await cluster.pool.find_on(i, lambda node: node == "h/a") for i in range(2)]
            assert found == [workers[0], workers[2]]
            assert cluster.pool.count_on({"h/b"}) == 1
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await cluster.pool.find_on(2, lambda node: node == "h/a")
        await cluster.pool.close()

    asyncio.run(work())


def test_garbage_is_looked_for_rarely_as_long_as_any_pool_is_used(cluster: Cluster) -> None:
    """Bug: the pool that ended first ended that for both, and the last one began it for good."""

    async def work() -> None:
        usual = gc.get_threshold()
        try:
            async with AsyncExitStack() as last:
                async with WorkerPool(Metrics()).use():
                    rare = gc.get_threshold()
                    assert rare != usual
                    await last.enter_async_context(cluster.pool.use())
                assert gc.get_threshold() == rare
            assert gc.get_threshold() == usual
        finally:
            gc.set_threshold(*usual)
        await cluster.pool.close()

    asyncio.run(work())


@pytest.mark.parametrize("is_connected", [True, False])
def test_a_cluster_that_ends_before_a_slot_is_free_is_looked_for_again(
    monkeypatch: pytest.MonkeyPatch, is_connected: bool
) -> None:
    """Bug: a tournament that waited for its first worker failed when its cluster was restarted.

    A driver that ends before it has found the cluster is not started again.
    """
    pool = ClusterPool(Metrics(), address="nowhere:1", required=frozenset())
    runs = 0

    async def run(driver: Any) -> None:
        nonlocal runs
        runs += 1
        if runs > 1:
            await asyncio.Event().wait()
        if is_connected:
            driver._take(Connected())

    async def work() -> None:
        async with pool.use():
            finding = asyncio.create_task(pool.find(0))
            await asyncio.sleep(0.05)
            assert runs == (2 if is_connected else 1)
            if is_connected:
                finding.cancel()
            else:
                with pytest.raises(PlatformError, match="has ended"):
                    await finding
        await pool.close()

    monkeypatch.setattr(pool_module._Driver, "run", run)
    monkeypatch.setattr(pool_module, "_PAUSE", 0.0)
    asyncio.run(work())

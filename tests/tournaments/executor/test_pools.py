"""The pools of workers, without any worker: who gets which, and what is kept how long."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from mazzo_server.metrics import Metrics
from mazzo_server.tournaments.executor.cluster import ClusterPool
from mazzo_server.tournaments.executor.worker import WorkerPool


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

    def join(self) -> Any:
        """A new worker."""
        worker: Any = SimpleNamespace(node="h/a", is_lost=False)
        self.pool._driver.workers[self._count] = worker
        self._count += 1
        self.pool._driver.changed.set()
        return worker


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

"""Makes the executors of a platform, which share its workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from mazzo_server.errors import InvalidInputError
from mazzo_server.metrics import Metrics
from mazzo_server.model import EXECUTOR
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.sandbox import read_required_names
from mazzo_server.settings import RAY_ADDRESS_VARIABLE, ExecutorKind, Settings
from mazzo_server.tournaments.executor.base import Executor
from mazzo_server.tournaments.executor.cluster import ClusterPool
from mazzo_server.tournaments.executor.local import CountAttempts, LocalExecutor
from mazzo_server.tournaments.executor.processes import ProcessesExecutor
from mazzo_server.tournaments.executor.worker import WorkerPool

__all__ = ["Executors"]


class Executors:
    """The workers of this machine and of the cluster, and executors that play with them."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        """Start none before an executor needs them."""
        self._settings = settings
        self._metrics = metrics
        self._pool = WorkerPool(metrics)
        self._cluster = ClusterPool(
            metrics,
            address=settings.ray_address,
            required=read_required_names(settings.require),
        )

    def choose(self, name: str) -> ExecutorKind:
        """Return the executor of that name; empty: the usual one.

        Raises `InvalidInputError` for another name, and for a cluster where none is known.
        """
        if name:
            EXECUTOR.check(name)
        kind = ExecutorKind(name or self._settings.executor)
        if kind is ExecutorKind.RAY and not self._settings.ray_address:
            raise InvalidInputError(
                "expected the address of a Ray cluster: give it with --ray-address HOST:PORT, or "
                f"in {RAY_ADDRESS_VARIABLE}, to the command or server that plays"
            )
        return kind

    def make(
        self,
        kind: ExecutorKind,
        specs: Sequence[InstanceSpec],
        *,
        workers: int,
        concurrency: int,
        count_attempts: CountAttempts,
        list_concurrencies: Callable[[], Sequence[int]],
    ) -> Executor:
        """Return an executor with so many workers; one on this machine is this process itself."""
        make: Callable[..., Executor] = LocalExecutor
        if kind is ExecutorKind.RAY:
            make = partial(ProcessesExecutor, pool=self._cluster, workers=workers)
        elif workers > 1:
            make = partial(ProcessesExecutor, pool=self._pool, workers=workers)
        return make(
            specs,
            concurrency=concurrency,
            count_attempts=count_attempts,
            list_concurrencies=list_concurrencies,
            metrics=self._metrics,
        )

    def count_workers(self, kind: ExecutorKind, workers: int) -> int:
        """Return how many of so many workers there are now."""
        return min(workers, self._cluster.size) if kind is ExecutorKind.RAY else workers

    async def close(self) -> None:
        """End all workers; nothing is played any more."""
        await asyncio.gather(self._pool.close(), self._cluster.close())

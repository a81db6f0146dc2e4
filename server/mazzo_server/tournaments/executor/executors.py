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
from mazzo_server.tournaments.executor.chunk_player import CountAttempts
from mazzo_server.tournaments.executor.cluster import (
    AlikePool,
    ClusterPool,
    ClusterStatus,
    check_alike,
)
from mazzo_server.tournaments.executor.local import LocalExecutor
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

    def choose(self, name: str, *, nodes_alike: bool = False) -> ExecutorKind:
        """Return the executor of that name; empty: the usual one.

        Raises `InvalidInputError` for another name, for a cluster where none is known, and for
        nodes that must be alike where none would play.
        """
        if name:
            EXECUTOR.check(name)
        kind = ExecutorKind(name or self._settings.executor)
        if kind is ExecutorKind.RAY and not self._settings.ray_address:
            raise InvalidInputError(
                "expected the address of a Ray cluster: give it with --ray-address HOST:PORT, or "
                f"in {RAY_ADDRESS_VARIABLE}, to the command or server that plays"
            )
        if nodes_alike and kind is not ExecutorKind.RAY:
            raise InvalidInputError(
                f"--nodes-alike: expected --executor {ExecutorKind.RAY}, got {kind}: only a Ray "
                "cluster has nodes"
            )
        return kind

    async def examine_nodes(self, *, nodes_alike: bool) -> ClusterStatus:
        """Look at the nodes of the cluster, in some seconds.

        Raises `PlatformError` for a cluster that cannot be used, and `ConflictError` for nodes that
        must be alike and are not.
        """
        status = await self._cluster.examine()
        if nodes_alike:
            check_alike(status.speeds)
        return status

    async def find_alike(self, tournament: int) -> AlikePool:
        """Return the workers of the cluster for a tournament that asks for alike nodes.

        Raises what `examine_nodes` does.
        """
        status = await self.examine_nodes(nodes_alike=True)
        return self._cluster.restrict(status.speeds, tournament=tournament)

    def make(
        self,
        kind: ExecutorKind,
        specs: Sequence[InstanceSpec],
        *,
        workers: int,
        concurrency: int,
        count_attempts: CountAttempts,
        list_concurrencies: Callable[[], Sequence[int]],
        alike: AlikePool | None = None,
    ) -> Executor:
        """Return an executor with so many workers; one on this machine is this process itself.

        On a cluster all its nodes play, or only those that are alike.
        """
        make: Callable[..., Executor] = LocalExecutor
        if kind is ExecutorKind.RAY:
            make = partial(ProcessesExecutor, pool=alike or self._cluster, workers=workers)
        elif workers > 1:
            make = partial(ProcessesExecutor, pool=self._pool, workers=workers)
        return make(
            specs,
            concurrency=concurrency,
            count_attempts=count_attempts,
            list_concurrencies=list_concurrencies,
            metrics=self._metrics,
        )

    def count_workers(
        self, kind: ExecutorKind, workers: int, alike: AlikePool | None = None
    ) -> int:
        """Return how many of so many workers there are now."""
        pool = alike or self._cluster
        return min(workers, pool.size) if kind is ExecutorKind.RAY else workers

    async def close(self) -> None:
        """End all workers; nothing is played any more."""
        await asyncio.gather(self._pool.close(), self._cluster.close())

"""The workers of a platform, which all its tournaments share."""

from __future__ import annotations

import asyncio
import gc
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Final

from mazzo_server.errors import PlatformError
from mazzo_server.metrics import Metrics
from mazzo_server.sandbox import clear_dead_folders
from mazzo_server.tournaments.executor.worker.connection import WorkerConnection
from mazzo_server.tournaments.executor.worker.process import WorkerProcess

__all__ = ["WorkerPool"]

# While workers play, thousands of matches wait to be stored here. With Python's own thresholds they
# are searched for garbage again and again, for a quarter of this process's time.
_GC_THRESHOLDS: Final = (10_000, 20, 50)
_IDLE_SECONDS: Final = 10.0  # after which workers without a tournament are ended


class _RareCollections:
    """Lets Python look for garbage rarely, as long as any pool of this process is used."""

    def __init__(self) -> None:
        self._users = 0
        self._usual = gc.get_threshold()

    def __enter__(self) -> None:
        if not self._users:
            self._usual = gc.get_threshold()
            gc.set_threshold(*_GC_THRESHOLDS)
        self._users += 1

    def __exit__(self, *_: object) -> None:
        self._users -= 1
        if not self._users:
            gc.set_threshold(*self._usual)


_RARE_COLLECTIONS: Final = _RareCollections()


class WorkerPool:
    """Starts workers when a tournament needs them, and again when they are lost."""

    def __init__(
        self,
        metrics: Metrics,
        *,
        make_worker: Callable[[str, Metrics], WorkerProcess] = WorkerProcess,
    ) -> None:
        """Begin without any; `make_worker` makes one of that name, which is started then."""
        self._metrics = metrics
        self._make_worker = make_worker
        self._workers: dict[int, WorkerProcess] = {}
        self._starting = defaultdict[int, asyncio.Lock](asyncio.Lock)
        self._borrowing = asyncio.Lock()
        self._users = 0
        self._watched = ExitStack()  # ends what holds while somebody uses them
        self._idle: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[None]:
        """Keep the workers running while the context lasts."""
        self._users += 1
        if self._idle is not None:
            self._idle.cancel()
        if self._users == 1:
            queues = self._metrics.watch_queues(
                waiting=lambda: sum(worker.waiting for worker in self._list_workers()),
                in_flight=lambda: sum(worker.in_flight for worker in self._list_workers()),
            )
            self._watched.enter_context(queues)
            self._watched.enter_context(_RARE_COLLECTIONS)
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._watched.close()
                self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._end_idle)

    @property
    def is_cluster(self) -> bool:
        """Whether the workers are on other machines, and there are as many as `size` says."""
        return False

    @property
    def size(self) -> int:
        """How many workers there are now."""
        return len(self._workers)

    async def find(self, index: int) -> WorkerConnection:
        """Return the worker of that number, started if it does not run.

        Raises `PlatformError`."""
        return await self._find_here(index)

    @asynccontextmanager
    async def borrow_here(self) -> AsyncIterator[WorkerConnection]:
        """Yield a worker of this machine; others wait until the context ends."""
        async with self._borrowing:
            yield await self._find_here(0)

    async def _find_here(self, index: int) -> WorkerConnection:
        """Return the same, for certain on this machine."""
        async with self._starting[index]:
            worker = self._workers.get(index)
            if worker is not None and worker.is_lost:
                await worker.close()
                # What it left behind; its bots have died with it.
                await asyncio.to_thread(clear_dead_folders)
                worker = None
            if worker is None:
                worker = self._make_worker(f"{index + 1}", self._metrics)
                try:
                    await worker.start()
                except OSError as error:
                    raise PlatformError(f"no worker can be started: {error}") from error
                self._workers[index] = worker
            return worker

    async def close(self) -> None:
        """End every worker."""
        if self._idle is not None:
            self._idle.cancel()
        workers = list(self._workers.values())
        self._workers.clear()
        await asyncio.gather(*(worker.close() for worker in workers), *self._closing)

    def _list_workers(self) -> Iterable[WorkerConnection]:
        return self._workers.values()

    def _end_idle(self) -> None:
        if self._users:
            return
        for worker in self._workers.values():
            self._close_soon(worker.close())
        self._workers.clear()

    def _close_soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="end idle workers")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

"""Group commit: matches that finish at about the same time share one transaction."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from mazzo_server.errors import ConflictError
from mazzo_server.model import MatchOutcome
from mazzo_server.storage.base import Store

__all__ = ["OutcomeWriter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    outcome: MatchOutcome
    due: float  # on the loop's clock: it is committed then, however few wait with it
    stored: asyncio.Future[None]


class OutcomeWriter:
    """Stores the finished matches of one tournament, in batches, from one event loop.

    A batch is committed when its oldest match has waited for `delay` seconds, or when `batch`
    matches wait. The first error ends the writer: a store that is full or damaged, or that has a
    match already, would refuse the next batch as well. Everyone who waits and everyone who comes
    later gets that error.
    """

    def __init__(
        self, store: Store, tournament_id: int, *, delay: float = 0.05, batch: int = 256
    ) -> None:
        self._store = store
        self._tournament_id = tournament_id
        self._delay = delay
        self._batch = batch
        self._waiting: list[_Waiting] = []
        self._changed = asyncio.Event()
        self._closing = False
        self._error: Exception | None = None
        self._task: asyncio.Task[None] | None = None
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mazzo-writer")

    @property
    def waiting(self) -> int:
        """How many matches have not gone to the store yet."""
        return len(self._waiting)

    def put(self, outcome: MatchOutcome) -> asyncio.Future[None]:
        """Store the match; the future is done when it would survive a crash.

        One that is cancelled may be stored all the same. The future raises the error that ended
        the writer, or `ConflictError` once the writer is closed.
        """
        loop = asyncio.get_running_loop()
        stored = loop.create_future()
        if self._error is not None:
            stored.set_exception(self._error)
            return stored
        if self._closing:
            late = ConflictError("a match was finished too late: its writer is closed")
            stored.set_exception(late)
            return stored
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="mazzo-writer")
        self._waiting.append(
            _Waiting(outcome=outcome, due=loop.time() + self._delay, stored=stored)
        )
        self._changed.set()
        return stored

    async def close(self) -> None:
        """Store at once what waits, and end. Those who wait get the errors."""
        self._closing = True
        self._changed.set()
        if self._task is not None:
            await asyncio.wait([self._task])
        self._executor.shutdown()

    async def _run(self) -> None:
        while await self._wait_for_batch():
            batch = self._waiting[: self._batch]
            del self._waiting[: self._batch]
            await self._commit(batch)

    async def _wait_for_batch(self) -> bool:
        """Wait until a batch is due; False: the writer is closed and nothing waits any more."""
        while not self._waiting:
            if self._closing:
                return False
            await self._wait_for_change()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._waiting[0].due):
                while len(self._waiting) < self._batch and not self._closing:
                    await self._wait_for_change()
        return True

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _commit(self, batch: list[_Waiting]) -> None:
        outcomes = [waiting.outcome for waiting in batch]
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._executor, self._store.add_outcomes, self._tournament_id, outcomes
            )
        except Exception as error:
            self._error = error
            batch, self._waiting = batch + self._waiting, []
        for waiting in batch:
            if waiting.stored.done():  # its caller was cancelled
                continue
            if self._error is None:
                waiting.stored.set_result(None)
            else:
                waiting.stored.set_exception(self._error)

"""The writer: matches that finish together share one transaction."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.storage import MemoryStore, OutcomeWriter, Store, open_store
from support.stored_rows import PATIENCE, add_tournament, outcome


class CountingStore(MemoryStore):
    """Counts its transactions; from the given one on it fails."""

    def __init__(self, *, fails_at: int | None = None) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.fails_at = fails_at
        self.entered = threading.Event()
        self.gate = threading.Event()
        self.gate.set()

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        """As the store does, once the gate is open."""
        self.entered.set()
        assert self.gate.wait(PATIENCE)
        self.batches.append(len(outcomes))
        if len(self.batches) - 1 == self.fails_at:
            raise StoreError("the disk is full")
        super().add_outcomes(tournament_id, outcomes)


async def turns(count: int = 5) -> None:
    """Let the other tasks of the loop go on."""
    for _ in range(count):
        await asyncio.sleep(0)


class TestWriter:
    def run(
        self,
        store: CountingStore,
        body: Callable[[OutcomeWriter], Any],
        *,
        delay: float = 3600.0,
        batch: int = 256,
    ) -> Any:
        """Run `body` with a writer on a tournament of the store, and close the writer."""
        tournament = add_tournament(store)

        async def main() -> Any:
            async with asyncio.timeout(PATIENCE):
                writer = OutcomeWriter(store, tournament, delay=delay, batch=batch)
                try:
                    return await body(writer)
                finally:
                    await writer.close()
                    await writer.close()

        return asyncio.run(main())

    def test_full_batch_does_not_wait(self) -> None:
        """One transaction for a full batch, at once: the delay here is an hour."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            await asyncio.gather(*(writer.put(outcome(group)) for group in range(8)))

        self.run(store, body, batch=4)
        assert store.batches == [4, 4]
        assert len(store.finished_matches(1)) == 8

    def test_batch_is_committed_when_its_time_is_up(self) -> None:
        """A match waits for at most the delay, whoever comes with it."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            await asyncio.gather(*(writer.put(outcome(group)) for group in range(7)))
            await writer.put(outcome(7))

        self.run(store, body, delay=0.0)
        assert store.batches == [7, 1]

    def test_arrivals_during_a_commit_share_the_next(self) -> None:
        """A slow disk makes larger batches, not a longer queue of transactions."""
        store = CountingStore()
        store.gate.clear()

        async def body(writer: OutcomeWriter) -> None:
            first = writer.put(outcome(0))
            await asyncio.to_thread(store.entered.wait, PATIENCE)
            others = [writer.put(outcome(n)) for n in range(1, 6)]
            await turns()
            assert not first.done()
            store.gate.set()
            await asyncio.gather(first, *others)

        self.run(store, body, delay=0.0)
        assert store.batches == [1, 5]

    def test_close_stores_what_waits(self) -> None:
        """Stopping a tournament loses no finished match, and does not wait for the delay."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            waiting = [writer.put(outcome(n)) for n in range(3)]
            await turns()
            await writer.close()
            await asyncio.gather(*waiting)
            with pytest.raises(ConflictError, match="closed"):
                await writer.put(outcome(3))

        self.run(store, body)
        assert store.batches == [3]

    def test_unused(self) -> None:
        """A writer that nobody used closes."""

        async def body(writer: OutcomeWriter) -> None:
            del writer

        self.run(CountingStore(), body)

    def test_error_reaches_everyone(self) -> None:
        """After a `StoreError` nobody believes that a match was stored."""
        store = CountingStore(fails_at=1)

        async def body(writer: OutcomeWriter) -> list[Any]:
            puts = [writer.put(outcome(group)) for group in range(5)]
            results = await asyncio.gather(*puts, return_exceptions=True)
            with pytest.raises(StoreError, match="the disk is full"):
                await writer.put(outcome(5))
            return results

        results = self.run(store, body, delay=0.0, batch=2)
        assert results[:2] == [None, None]
        assert all(isinstance(result, StoreError) for result in results[2:])
        assert store.batches == [2, 2]
        assert store.finished_matches(1) == {(0, 0), (1, 0)}

    def test_conflict_reaches_the_waiters(self) -> None:
        """Two processes that run one tournament are found out, and nothing is stored twice."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> list[Any]:
            puts = [writer.put(outcome(0)), writer.put(outcome(0))]
            return await asyncio.gather(*puts, return_exceptions=True)

        results = self.run(store, body, delay=0.0)
        assert all(isinstance(result, ConflictError) for result in results)
        assert store.finished_matches(1) == set()

    def test_cancelled_put_disturbs_nobody(self) -> None:
        """A match whose waiter has gone is stored with the others."""
        store = CountingStore()

        async def body(writer: OutcomeWriter) -> None:
            gone = writer.put(outcome(0))
            await turns()
            gone.cancel()
            await writer.put(outcome(1))

        self.run(store, body, batch=2)
        assert store.finished_matches(1) == {(0, 0), (1, 0)}

    def test_on_disk(self, path: Path) -> None:
        """The writer over the real store: what was put is there."""

        async def main(store: Store, tournament: int) -> None:
            writer = OutcomeWriter(store, tournament, delay=0.0)
            await asyncio.gather(*(writer.put(outcome(group)) for group in range(50)))
            await writer.close()

        with closing(open_store(path)) as store:
            tournament = add_tournament(store)
            asyncio.run(main(store, tournament))
            assert store.outcomes(tournament, with_deals=True) == [*map(outcome, range(50))]

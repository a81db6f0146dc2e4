"""What is shown of tournaments to many who watch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.errors import NotFoundError
from mazzo_server.model import Definition
from mazzo_server.results.standings import Audit
from mazzo_server.stats import Tables
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.tournaments import overview as module
from mazzo_server.tournaments.overview import Overview
from support.scripted_tournaments import Arena


class Reads:
    """A store with one tournament, and how often its standings were read."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        definition = Arena(Path()).definition(2)
        self.store.add_tournament(definition, concurrency=1, create_time=0)
        self.number = 0
        self.overview = Overview(self.store, read=self._read)

    async def _read(self, read: Callable[[], Any]) -> Any:
        self.number += 1
        await asyncio.sleep(0.01)
        return read()


def test_many_watchers_cost_what_one_does() -> None:
    """Promise: watchers share an answer; who does not watch sees what is there now."""

    async def main() -> None:
        reads = Reads()
        shown = await asyncio.gather(*[reads.overview.show(1, max_age=2.0) for _ in range(50)])
        assert reads.number == 1
        assert all(one is shown[0] for one in shown)
        for _ in range(2):
            await reads.overview.show(1)
        assert reads.number == 3
        with pytest.raises(NotFoundError):
            await reads.overview.show(2, max_age=2.0)

    asyncio.run(main())


def test_a_tournament_that_has_just_ended_is_not_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Promise: a tournament that ends while somebody looks at it is shown as finished."""

    async def main() -> None:
        reads = Reads()
        store = reads.store
        store.set_status(1, TournamentStatus.RUNNING, end_time=None)

        def look(_: int) -> bool:
            store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
            return False  # its run gave the claim back after that

        monkeypatch.setattr(store, "is_claimed", look)
        standing = await reads.overview.show(1)
        assert standing.row.status is TournamentStatus.FINISHED

    asyncio.run(main())


def test_what_was_broken_off_is_found() -> None:
    """Promise: only tournaments that somebody can resume are listed."""

    async def main() -> None:
        reads = Reads()
        store = reads.store
        for status in TournamentStatus:
            definition = Arena(Path()).definition(2)
            number = store.add_tournament(definition, concurrency=1, create_time=0).id
            store.set_status(number, status, end_time=None)
            if status is TournamentStatus.RUNNING:
                claim = store.claim(number)
                assert claim is not None
                assert await reads.overview.list_interrupted() == []
                claim.release()
                assert await reads.overview.list_interrupted() == [number]

    asyncio.run(main())


def test_a_tournament_is_audited_once_while_no_more_groups_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Promise: organisers who ask again and again, or together, cost what one does."""
    asked: list[int] = []

    async def compute(definition: Definition, tables: Tables) -> Audit:
        asked.append(len(definition.entrants))
        await asyncio.sleep(0.01)
        return Audit(pairs=())

    monkeypatch.setattr(module, "compute_audit", compute)

    async def main() -> None:
        reads = Reads()
        answers = await asyncio.gather(*[reads.overview.audit(1) for _ in range(5)])
        assert asked == [2]
        assert all(audit is answers[0][1] for _, audit in answers)

    asyncio.run(main())

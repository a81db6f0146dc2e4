"""Runs: the claim of a tournament, for as long as it is played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path

import pytest

from mazzo_server import runs
from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.metrics import Metrics
from mazzo_server.runs import Run
from mazzo_server.storage import Claim, MemoryStore, TournamentStatus
from server.arena import PATIENCE, Arena
from server.hall import until
from server.prompt import PromptSpec


@dataclass(slots=True)
class Forgotten:
    """A claim that a database has forgotten, as soon as it is told so."""

    claim: Claim
    lost: bool = False

    def forget(self) -> None:
        self.claim.release()
        self.lost = True

    def is_lost(self) -> bool:
        return self.lost

    def release(self) -> None:
        if not self.lost:
            self.claim.release()


def while_playing(
    work: Callable[[Run, Forgotten, MemoryStore], Coroutine[None, None, None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Do something while a long tournament is played."""
    monkeypatch.setattr(runs, "_CLAIM_INTERVAL", 0.001)

    async def main() -> None:
        store = MemoryStore()
        definition = Arena(Path()).definition(2, groups=100_000)
        row = store.add_tournament(definition, concurrency=1, create_time=0.0)
        claim = store.claim(row.id)
        assert claim is not None
        forgotten = Forgotten(claim)
        run = Run(
            row,
            store,
            [PromptSpec()] * 2,
            claim=forgotten,
            concurrency=2,
            share=lambda: 1,
            metrics=Metrics(),
        )
        run.begin()
        async with asyncio.timeout(PATIENCE):
            await until(lambda: store.tournament(1).matches_played > 0)
            await work(run, forgotten, store)
            assert run.task is not None
            await run.task

    asyncio.run(main())


def test_a_claim_that_is_lost_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that was killed and is back within a moment knows of no claims any more."""

    async def lose(run: Run, claim: Forgotten, store: MemoryStore) -> None:
        claim.forget()
        assert not store.is_claimed(1)
        await until(lambda: store.is_claimed(1))
        played = store.tournament(1).matches_played
        await until(lambda: store.tournament(1).matches_played > played)
        run.pause()
        assert run.task is not None
        await run.task
        assert store.tournament(1).status is TournamentStatus.PAUSED
        assert not store.is_claimed(1)

    while_playing(lose, monkeypatch)


def test_whoever_claims_meanwhile_plays_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that had the claim ends and says why."""

    async def lose(run: Run, claim: Forgotten, store: MemoryStore) -> None:
        claim.forget()
        other = store.claim(1)
        assert other is not None
        reports = [report async for report in run.watch()]
        assert isinstance(reports[-1].failure, ConflictError)
        assert "another process has begun to play" in str(reports[-1].failure)
        assert store.is_claimed(1)

    while_playing(lose, monkeypatch)


class Unwritable(MemoryStore):
    """Cannot be written to any more."""

    def set_status(
        self, tournament_id: int, status: TournamentStatus, *, end_time: float | None = None
    ) -> None:
        raise StoreError("the disk is full")


def test_nobody_waits_to_change_a_run_that_could_not_begin() -> None:
    async def main() -> None:
        store = Unwritable()
        row = store.add_tournament(Arena(Path()).definition(2), concurrency=1, create_time=0.0)
        claim = store.claim(row.id)
        assert claim is not None
        specs = [PromptSpec()] * 2
        run = Run(row, store, specs, claim=claim, concurrency=1, share=lambda: 1, metrics=Metrics())
        run.begin()
        with pytest.raises(ConflictError, match="has just ended"):
            await run.change(lambda definition, _: definition)
        assert run.task is not None
        await run.task

    asyncio.run(asyncio.wait_for(main(), PATIENCE / 3))

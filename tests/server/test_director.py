"""Directors: what they wait for, and what waits for nothing of theirs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from mazzo_server import director as directing
from mazzo_server.definition import Definition, Mirror
from mazzo_server.director import Director
from mazzo_server.outcome import MatchOutcome
from mazzo_server.pairing import Group, GroupResult, Pairing
from mazzo_server.schedule import schedule_of
from mazzo_server.storage import MemoryStore
from server.arena import PATIENCE, Arena
from server.hall import until
from server.prompt import PromptSpec


class SlowStore(MemoryStore):
    """Stores matches as soon as its door is open."""

    def __init__(self) -> None:
        super().__init__()
        self.door = threading.Event()

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        assert self.door.wait(PATIENCE)
        super().add_outcomes(tournament_id, outcomes)


def test_play_waits_for_a_store_that_is_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    """So what waits to be stored stays small; it goes on as soon as the store does."""
    most, concurrency, groups = 4, 3, 20
    monkeypatch.setattr(directing, "_MOST_UNSTORED", most)
    store = SlowStore()
    running: list[Director] = []

    def stands_still() -> bool:
        return bool(running and running[0].unstored and not running[0].in_flight)

    async def main() -> None:
        run = asyncio.create_task(
            Arena(Path()).run(
                [PromptSpec(), PromptSpec()],
                store=store,
                concurrency=concurrency,
                groups=groups,
                progressed=running.append,
            )
        )
        try:
            async with asyncio.timeout(PATIENCE / 3):
                await until(stands_still)
                assert most <= running[0].unstored < most + concurrency
                assert store.outcomes(1, with_deals=False) == []
                store.door.set()
                result = await run
        finally:
            store.door.set()
        assert result.finished
        assert len(result.outcomes) == groups

    asyncio.run(main())


class LongSchedule:
    """A schedule whose groups are found when the event loop has had a turn."""

    adaptive = False

    def __init__(self, schedule: Pairing) -> None:
        self._schedule = schedule
        self._loop = asyncio.get_running_loop()
        self.turned = threading.Event()

    def total(self) -> int:
        return self._schedule.total()

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        self._loop.call_soon_threadsafe(self.turned.set)
        assert self.turned.wait(PATIENCE / 3), "the event loop waits for the schedule"
        return self._schedule.next(first, results)


def test_a_long_schedule_does_not_hold_up_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is walked in a thread; clocks of other tournaments run meanwhile."""
    schedules: list[LongSchedule] = []

    def long_schedule_of(definition: Definition) -> LongSchedule:
        schedules.append(LongSchedule(schedule_of(definition)))
        return schedules[-1]

    monkeypatch.setattr(directing, "schedule_of", long_schedule_of)

    async def main() -> None:
        specs = [PromptSpec(), PromptSpec()]
        result = await Arena(Path()).run(specs, groups=3, mirror=Mirror.ROTATIONS)
        assert result.finished
        assert len(result.outcomes) == 6

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
    assert [schedule.turned.is_set() for schedule in schedules] == [True]

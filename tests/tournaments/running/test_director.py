"""Directors: what they wait for, and what waits for nothing of theirs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

import pytest

from mazzo_server.clock import wall_clock
from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.model import Definition, Entrant, Mirror
from mazzo_server.model.outcome import InstanceLog, MatchOutcome
from mazzo_server.pairing import Group, GroupResult, Pairing, list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play import Began, Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.storage import MatchQuery, MemoryStore
from mazzo_server.tournaments.changes import add_entrant
from mazzo_server.tournaments.executor import Chunk, count_attempts_in
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.running import upcoming
from mazzo_server.tournaments.running.director import Director, DirectorHooks
from mazzo_server.tournaments.running.progress import Progress
from mazzo_server.tournaments.running.recorder import Recorder
from support.in_process_bots import PromptSpec
from support.remote_bots import until
from support.scripted_tournaments import PATIENCE, Arena
from support.stored_rows import add_tournament, outcome


class SlowStore(MemoryStore):
    """Stores matches as soon as its door is open."""

    def __init__(self) -> None:
        super().__init__()
        self.door = threading.Event()

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        assert self.door.wait(PATIENCE)
        super().add_outcomes(tournament_id, outcomes)


def test_play_waits_for_a_store_that_is_slower() -> None:
    """So what waits to be stored stays small; it goes on as soon as the store does."""
    most, concurrency, groups = 4, 3, 60
    store = SlowStore()
    begun: list[Director] = []  # one for each match

    def ended() -> int:
        return len(begun) - len(begun[0].in_flight) if begun else 0

    async def main() -> None:
        run = asyncio.create_task(
            Arena(Path()).run(
                [PromptSpec(), PromptSpec()],
                store=store,
                concurrency=concurrency,
                groups=groups,
                begins=begun.append,
                most_unstored=most,
            )
        )
        try:
            async with asyncio.timeout(PATIENCE / 3):
                await until(lambda: ended() >= most)
                for _ in range(1000):  # turns of the loop, in which all that may be played is
                    await asyncio.sleep(0)
                assert ended() == most
                assert len(begun) <= most + concurrency
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

    is_adaptive = False

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
        schedules.append(LongSchedule(make_pairing(definition)))
        return schedules[-1]

    monkeypatch.setattr(upcoming, "make_pairing", long_schedule_of)

    async def main() -> None:
        specs = [PromptSpec(), PromptSpec()]
        result = await Arena(Path()).run(specs, groups=3, mirror=Mirror.ROTATIONS)
        assert result.finished
        assert len(result.outcomes) == 6

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
    assert [schedule.turned.is_set() for schedule in schedules] == [True]


DORA = Entrant(name="dora", version=1, content_hash="1" * 64)


def _dora_joins(definition: Definition, first: int) -> Definition:
    return add_entrant(definition, first, entrant=DORA)


class HeldEnd:
    """A schedule that waits before it says that nothing comes any more."""

    is_adaptive = False

    def __init__(self, schedule: Pairing) -> None:
        self._schedule = schedule
        self.total = schedule.total
        self.reached = threading.Event()
        self.door = threading.Event()

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        groups = self._schedule.next(first, results)
        if not groups:
            self.reached.set()
            assert self.door.wait(PATIENCE)
        return groups


def test_nobody_joins_when_it_is_known_that_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tournament would be finished without the newcomer's groups."""
    schedules: list[HeldEnd] = []
    running: list[Director] = []

    def held(definition: Definition) -> HeldEnd:
        schedules.append(HeldEnd(make_pairing(definition)))
        return schedules[-1]

    monkeypatch.setattr(upcoming, "make_pairing", held)
    store = MemoryStore()

    async def main() -> None:
        specs = [PromptSpec(), PromptSpec()]
        run = asyncio.create_task(Arena(Path()).run(specs, store=store, progressed=running.append))
        await until(lambda: bool(schedules) and schedules[0].reached.is_set())
        change = asyncio.create_task(running[0].change(_dora_joins, PromptSpec()))
        await asyncio.sleep(0)  # until it waits
        schedules[0].door.set()
        with pytest.raises(ConflictError, match="has just ended"):
            await change
        assert (await run).finished

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
    assert store.tournament(1).definition.changes == ()


class HeldAmendments(MemoryStore):
    """Amends a definition when its door is open."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()
        self.door = threading.Event()

    def amend(self, tournament_id: int, definition: Definition) -> None:
        self.reached.set()
        assert self.door.wait(PATIENCE)
        super().amend(tournament_id, definition)


def test_a_change_is_made_although_whoever_asked_for_it_went_away() -> None:
    """What is stored of it would else not be what is played."""
    store = HeldAmendments()
    changes: list[asyncio.Task[int]] = []

    def begins(director: Director) -> None:
        if not changes:
            changes.append(asyncio.create_task(director.change(_dora_joins, PromptSpec())))

    async def main() -> None:
        specs = [PromptSpec(), PromptSpec()]
        run = asyncio.create_task(
            Arena(Path()).run(specs, store=store, concurrency=1, groups=9, begins=begins)
        )
        await until(store.reached.is_set)
        changes[0].cancel()
        await asyncio.wait(changes)
        store.door.set()
        assert (await run).finished

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
    groups = list(list_groups(make_pairing(store.tournament(1).definition)))
    assert [group.table for group in groups].count((0, 2)) == 9
    played = {
        (match.group, *sorted(match.entrants)) for match in store.outcomes(1, with_deals=False)
    }
    assert played == {(group.number, *group.table) for group in groups}


class BrokenStore(MemoryStore):
    """Cannot be read."""

    def checkpoint(self, tournament_id: int) -> tuple[int, str] | None:
        raise StoreError("the disk is gone")


def test_nobody_waits_to_change_a_run_that_could_not_begin() -> None:
    async def main() -> None:
        definition = Arena(Path()).definition(2)
        store = BrokenStore()
        row = store.add_tournament(definition, concurrency=1, create_time=0.0)
        executor = LocalExecutor(
            [PromptSpec()] * 2, concurrency=1, count_attempts=count_attempts_in(store, row.id)
        )
        director = Director(row, store, executor)
        change = asyncio.create_task(director.change(_dora_joins, PromptSpec()))
        with pytest.raises(StoreError, match="the disk is gone"):
            await director.run()
        with pytest.raises(ConflictError, match="has just ended"):
            await change

    asyncio.run(asyncio.wait_for(main(), 10))


def test_runs_share_the_matches_in_flight() -> None:
    """Several tournaments at once share the machine, by weight."""
    others: list[int] = []
    executor = LocalExecutor(
        [PromptSpec(), PromptSpec()],
        concurrency=512,
        count_attempts=count_attempts_in(MemoryStore(), 1),
        list_concurrencies=lambda: others,
    )
    shares = []
    for other in (512, 512, 1024, 64, 4096):
        others.append(other)
        shares.append(executor.concurrency)
    assert shares == [512, 512, 256, 248, 337]


class ToldExecutor:
    """Tells the events of a list, whatever it is asked to play."""

    groups_at_a_time = 100

    def __init__(self, events: Sequence[PlayEvent], on_taken: Callable[[], None]) -> None:
        self._events = events
        self._on_taken = on_taken

    def add_entrants(self, specs: object) -> None:
        """Nobody plays."""

    async def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        for event in self._events:
            yield event
            self._on_taken()

    def cut_off(self, earliest: int) -> int:
        return 0

    def stop(self, *, at_once: bool = False) -> None:
        """Nothing is in flight."""


def test_a_match_that_is_given_up_is_no_longer_in_flight() -> None:
    """Also one that another worker began, before it heard that an entrant is withdrawn."""

    def begin(group: int, *bots: int) -> Began:
        names = tuple(f"bot-{index:02}" for index in bots)
        return Began(group=group, seating=0, entrants=names, commitment=bytes(32))

    log = InstanceLog(text="", begin_time=0.0, end_time=0.0)
    events: list[PlayEvent] = [
        begin(0, 0, 1),
        begin(1, 0, 2),
        begin(2, 1, 2),
        Spoilt(group=2, seating=0, reason="no memory"),
        Withdrawn(entrant=0, reason="it does not start", log=log),
        begin(3, 2, 0),
        begin(4, 2, 1),
    ]
    seen: list[set[int]] = []
    told: list[int] = []

    store = MemoryStore()
    definition = Arena(Path()).definition(3, groups=2)
    row = store.add_tournament(definition, concurrency=1, create_time=0.0)
    director = Director(
        row,
        store,
        ToldExecutor(events, lambda: seen.append({group for group, _ in director.in_flight})),
        hooks=DirectorHooks(on_begin=lambda event: told.append(event.group)),
    )
    assert asyncio.run(asyncio.wait_for(director.run(), PATIENCE))
    assert seen[:7] == [{0}, {0, 1}, {0, 1, 2}, {0, 1}, set(), set(), {4}]
    assert told == [0, 1, 2, 4], "nobody watches a match that is given up"


def test_how_often_a_match_was_spoilt_is_kept_over_all_runs() -> None:
    """Promise 6: an organiser finds the matches that the platform failed at."""
    store = MemoryStore()
    definition = Arena(Path()).definition(2, groups=2)
    row = store.add_tournament(definition, concurrency=1, create_time=0.0)
    spoilt = Spoilt(group=0, seating=0, reason="a worker was lost", is_suspect=False)
    runs: list[list[PlayEvent]] = [
        [spoilt, spoilt, spoilt, spoilt],
        [spoilt, *(Finished(outcome=outcome(group)) for group in (0, 1))],
    ]
    before = wall_clock()
    for events in runs:
        director = Director(row, store, ToldExecutor(events, lambda: None))
        asyncio.run(asyncio.wait_for(director.run(), PATIENCE))
    first, second = store.outcomes(row.id, with_deals=False)
    assert (first.spoilt, second.spoilt) == (5, 0)
    assert before <= first.end_time <= wall_clock(), "and when it ended"
    found = store.find_matches(MatchQuery(spoilt=True), limit=9)
    assert [match.outcome.group for match in found] == [0]


def test_an_error_after_a_match_was_stored_is_told() -> None:
    """Nobody awaits what is done then, and a run with half of it would go on for ever."""
    store, errors = MemoryStore(), list[Exception]()

    def fail() -> None:
        raise RuntimeError("it cannot be counted")

    async def main() -> None:
        recorder = Recorder(
            store,
            add_tournament(store),
            seatings=2,
            progress=Progress(matches_total=2, matches_played=0),
            on_progress=fail,
            on_error=errors.append,
        )
        recorder.record(outcome(0))
        await recorder.close()

    asyncio.run(main())
    assert [str(error) for error in errors] == ["it cannot be counted"]

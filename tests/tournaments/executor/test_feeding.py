"""Which worker gets which chunk, and what is reported of those that are lost; no process plays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import pytest

from mazzo_server.errors import ConflictError, IsolationError, PlatformError
from mazzo_server.metrics import Metrics
from mazzo_server.play import Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.tournaments.executor import Chunk, doubts, processes
from mazzo_server.tournaments.executor.processes import ProcessesExecutor
from mazzo_server.tournaments.executor.windows import Windows
from mazzo_server.tournaments.executor.worker.messages import Over, Play
from support.in_process_bots import PromptSpec
from support.scripted_workers import (
    ScriptedPool,
    ScriptedWorker,
    begin_all,
    finish_all,
    make_spec,
    make_withdrawn,
)
from tournaments.executor.test_windows import make_chunk


async def count_no_attempts(keys: Sequence[tuple[int, int]]) -> Sequence[int]:
    raise AssertionError(f"no bot is remote, got {keys}")


def make_executor(
    pool: ScriptedPool, specs: Sequence[InstanceSpec] = (), *, metrics: Metrics | None = None
) -> ProcessesExecutor:
    return ProcessesExecutor(
        specs or [make_spec() for _ in range(3)],
        pool=pool,
        workers=max(len(pool.nodes), 1),
        concurrency=2,
        count_attempts=count_no_attempts,
        metrics=metrics,
    )


async def run_chunk(
    pool: ScriptedPool, chunk: Chunk, *, metrics: Metrics | None = None
) -> list[PlayEvent]:
    """The events of a chunk that is played by such workers."""
    executor = make_executor(pool, metrics=metrics)
    try:
        async with asyncio.timeout(5.0), aclosing(executor.play(chunk)) as events:
            return [event async for event in events]
    finally:
        await pool.close()


def keys_of(events: Sequence[PlayEvent]) -> list[tuple[int, int]]:
    """The matches that are over, in order."""
    outcomes = [event.outcome for event in events if isinstance(event, Finished)]
    return sorted((outcome.group, outcome.seating) for outcome in outcomes)


def missing_in(chunk: Chunk) -> list[tuple[int, int]]:
    """The matches that must be played."""
    keys = {(item.group.number, seating) for item in chunk.groups for seating in (0, 1)}
    return sorted(keys - chunk.finished)


class Doubter:
    """A node on which the bot of one entrant does not start, the first `times`."""

    def __init__(self, entrant: int, *, times: int = 1) -> None:
        self.entrant = entrant
        self.times = times

    def __call__(self, worker: ScriptedWorker, play: Play) -> None:
        tables = [item.group.table for item in play.chunk.groups]
        is_there = self.entrant not in play.chunk.withdrawn
        if self.times and is_there and any(self.entrant in table for table in tables):
            self.times -= 1
            worker.report(play, make_withdrawn(self.entrant))
        else:
            finish_all(worker, play)


def test_a_time_is_of_play_alone_and_of_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of the wait for the worker of this machine, nor of matches that were over before."""
    now = 0.0
    noted: list[tuple[float, int]] = []
    note_time = Windows.note_time

    def spy(windows: Windows, chunk: Chunk, seconds: float, **played: int) -> None:
        noted.append((seconds, played["matches"]))
        note_time(windows, chunk, seconds, **played)

    class SlowPool(ScriptedPool):
        @asynccontextmanager
        async def borrow_here(self) -> AsyncGenerator[Any]:
            nonlocal now
            async with super().borrow_here() as worker:
                now += 1000.0
                yield worker

    monkeypatch.setattr(processes, "monotonic", lambda: now)
    monkeypatch.setattr(Windows, "note_time", spy)
    chunk = make_chunk(20)

    async def main() -> list[PlayEvent]:
        return await run_chunk(SlowPool(finish_all, {"a": Doubter(1)}), chunk)

    assert keys_of(asyncio.run(main())) == missing_in(chunk)
    assert now
    assert {seconds for seconds, _ in noted} == {0.0}
    assert sum(matches for _, matches in noted) == len(missing_in(chunk))


def test_a_change_keeps_what_remote_bots_have_played() -> None:
    """Their matches are over, and the worker has hardly begun with those of the others."""
    chunk = make_chunk(100, tables=[(0, 1), (2, 3)])
    here = [key for key in missing_in(chunk) if key[0] % 2 == 0]

    async def main() -> int:
        pool = ScriptedPool(lambda worker, play: None)
        specs: list[InstanceSpec] = [PromptSpec(), PromptSpec(), make_spec(), make_spec()]
        executor = make_executor(pool, specs)
        async with asyncio.timeout(5.0), aclosing(executor.play(chunk)) as events:
            seen: list[PlayEvent] = []
            while len(keys_of(seen)) < len(here):
                seen.append(await anext(events))
            await asyncio.gather(*find_local_play())
            for _ in range(10):  # until the executor knows that too
                await asyncio.sleep(0)
            end = executor.cut_off(0)
        await pool.close()
        return end

    def find_local_play() -> list[asyncio.Task[None]]:
        """The task that plays the matches of remote bots."""
        return [task for task in asyncio.all_tasks() if "LocalExecutor._play" in f"{task}"]

    assert asyncio.run(main()) == 99


class CountingMetrics(Metrics):
    """Counts the matches that were given up, and those that nodes lost."""

    def __init__(self) -> None:
        super().__init__()
        self.abandoned = 0
        self.lost: list[str] = []

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Count while the context lasts."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.matches, "count_abandoned", self._count_abandoned)
            patch.setattr(self.nodes, "count_lost", self.lost.append)
            yield

    def _count_abandoned(self) -> None:
        self.abandoned += 1


class BeginsFirst:
    """Begins all matches of the first chunk, and then does something else; plays the others."""

    def __init__(self, act: Callable[[ScriptedWorker, Play], None]) -> None:
        self._act = act
        self.begun: list[Chunk] = []

    def __call__(self, worker: ScriptedWorker, play: Play) -> None:
        if self.begun:
            finish_all(worker, play)
        else:
            self.begun.append(play.chunk)
            begin_all(worker, play)
            self._act(worker, play)


def test_what_a_withdrawal_ended_is_not_lost_with_the_worker() -> None:
    """Nobody plays it again; what else was in flight is spoilt, and counted as given up."""

    def withdraw_and_die(worker: ScriptedWorker, play: Play) -> None:
        worker.report(play, make_withdrawn(1))
        worker.die()

    first, metrics = BeginsFirst(withdraw_and_die), CountingMetrics()

    async def main() -> list[PlayEvent]:
        return await run_chunk(ScriptedPool(first), make_chunk(3), metrics=metrics)

    with metrics.watch():
        events = asyncio.run(main())
    spoilt = [(event.group, event.seating) for event in events if isinstance(event, Spoilt)]
    assert spoilt == [(1, 0), (1, 1)], "the table of the others"
    assert keys_of(events) == spoilt
    assert metrics.abandoned == 2


def test_a_worker_that_lives_counts_itself_what_it_gives_up() -> None:
    """As it does when a bot does not start on its node."""
    first = BeginsFirst(lambda worker, play: worker.report(play, make_withdrawn(1)))
    metrics, chunk = CountingMetrics(), make_chunk(3)

    async def main() -> list[PlayEvent]:
        return await run_chunk(ScriptedPool(finish_all, {"a": first}), chunk, metrics=metrics)

    with metrics.watch():
        events = asyncio.run(main())
    assert keys_of(events) == missing_in(chunk)
    assert any(isinstance(event, Spoilt) for event in events)
    assert metrics.abandoned == 0
    assert metrics.lost == []


def test_a_bot_that_starts_here_plays_on_nodes_again() -> None:
    """Its node was at fault; meanwhile other nodes play the matches of others."""
    chunk = make_chunk(100, tables=[(0, 1), (0, 2)])  # each table has a chunk of its own at first
    held: list[tuple[ScriptedWorker, Play]] = []  # what is finished when something else begins
    tables: list[set[tuple[int, ...]]] = []  # of the chunks of one node

    def finish_held(worker: ScriptedWorker, play: Play) -> None:
        for each in held:
            finish_all(*each)
        held[:] = [(worker, play)]

    def play_others(worker: ScriptedWorker, play: Play) -> None:
        tables.append({item.group.table for item in play.chunk.groups})
        if len(tables) == 1:
            held.append((worker, play))
        else:
            finish_all(worker, play)
            for each in held:
                finish_all(*each)
            held.clear()

    async def main() -> int:
        pool = ScriptedPool(finish_held, {"a": Doubter(1), "b": play_others})
        assert keys_of(await run_chunk(pool, chunk)) == missing_in(chunk)
        (here,) = pool.chunks_here
        return len(here)

    assert asyncio.run(main()) == 1
    assert tables[:2] == [{(0, 2)}, {(0, 2)}]


def test_a_bot_that_does_not_start_here_either_is_withdrawn() -> None:
    """Nobody doubts it on, so nothing more is played here for its sake."""
    withdraw = Doubter(1, times=1000)

    def withdraw_and_finish(worker: ScriptedWorker, play: Play) -> None:
        withdraw(worker, play)
        others = replace(play.chunk, withdrawn=frozenset({1}))
        finish_all(worker, replace(play, chunk=others))

    chunk = make_chunk(100)

    async def main() -> list[Chunk]:
        pool = ScriptedPool(withdraw_and_finish, {"a": withdraw})
        events = await run_chunk(pool, chunk)
        assert [event.entrant for event in events if isinstance(event, Withdrawn)] == [1]
        assert keys_of(events) == [key for key in missing_in(chunk) if key[0] % 3 == 1]
        (here,) = pool.chunks_here
        return here

    assert len(asyncio.run(main())) == 1


def fail(worker: ScriptedWorker, play: Play) -> None:
    """Begin a chunk on a machine that cannot isolate bots."""
    begin_all(worker, play)
    worker.say(Over(job=play.job, error="bwrap is not there", is_isolation=True))


def test_a_node_that_cannot_play_is_lost_and_others_play_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    chunk, metrics = make_chunk(100), CountingMetrics()

    async def main() -> None:
        pool = ScriptedPool(finish_all, {"a": fail, "b": finish_all})
        events = await run_chunk(pool, chunk, metrics=metrics)
        assert keys_of(events) == missing_in(chunk)
        spoilt = [event for event in events if isinstance(event, Spoilt)]
        assert spoilt
        assert not any(event.is_suspect for event in spoilt)
        assert metrics.lost == ["a"] * len(spoilt)
        assert len(pool.nodes["a"].chunks) == 1

    with metrics.watch():
        asyncio.run(main())
    (record,) = caplog.records
    assert vars(record)["worker"] == "1 on a"
    assert record.getMessage().endswith("it cannot play: bwrap is not there")


def test_the_run_ends_when_no_node_can_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the last one, and the reason; others had time to join."""
    times = iter([100.0, 105.0, 110.0])
    monkeypatch.setattr(doubts, "monotonic", lambda: next(times))

    async def main() -> None:
        await run_chunk(ScriptedPool(finish_all, {"a": fail}), make_chunk(100))

    with pytest.raises(PlatformError, match="the worker 1 on a cannot play: bwrap is not there"):
        asyncio.run(main())
    assert not list(times)


def test_a_chunk_that_our_program_fails_at_ends_the_run() -> None:
    """Bug: it was taken for the nodes' fault, and tried again for ever."""

    def fail_by_a_bug(worker: ScriptedWorker, play: Play) -> None:
        worker.say(Over(job=play.job, error="KeyError", is_bug=True))

    async def main() -> None:
        await run_chunk(
            ScriptedPool(finish_all, dict.fromkeys("abc", fail_by_a_bug)), make_chunk(1)
        )

    with pytest.raises(ConflictError, match=r"lost 3 workers.*KeyError"):
        asyncio.run(main())


def test_the_run_ends_when_this_machine_cannot_play() -> None:
    async def main() -> None:
        await run_chunk(ScriptedPool(fail), make_chunk(100))

    with pytest.raises(IsolationError, match="bwrap is not there"):
        asyncio.run(main())

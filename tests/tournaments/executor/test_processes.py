"""Matches played by worker processes: the same outcomes, whatever happens to the workers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mazzo.games import parse_variant
from mazzo_server.errors import ConflictError
from mazzo_server.metrics import Metrics
from mazzo_server.model import Mirror
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.storage import MemoryStore
from mazzo_server.tournaments.executor import ProcessesExecutor, WorkerPool
from mazzo_server.tournaments.executor.worker import connection as worker_connection
from mazzo_server.tournaments.running.director import Director
from support.in_process_bots import PromptSpec
from support.scripted_tournaments import GOOD, Arena, Result, sdk, without_thinking_times

pytestmark = pytest.mark.slow

VARIANTS = [
    ("briscola/2", 3),
    ("briscola/3", 3),
    ("briscola/4", 3),
    ("briscola/6", 3),
    ("briscola-chiamata/5", 5),
    ("frusta/2", 3),
    ("tressette-pizzichino/2", 3),
    ("tressette-meta-mazzo/2", 3),
    ("frap/3", 4),
]
SLOW = sdk("time.sleep(0.004)")


@asynccontextmanager
async def pool_of() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(Metrics())
    try:
        yield pool
    finally:
        await pool.close()


class ManyProcesses:
    """An arena whose matches are played by two workers."""

    def __init__(self, folder: Path) -> None:
        self.arena = Arena(folder)

    def play(
        self,
        specs: Sequence[InstanceSpec],
        *,
        workers: int = 2,
        disturb: Callable[[], Any] | None = None,
        **options: Any,
    ) -> Result:
        """Play; `disturb` runs from the first match on. No worker process may be left."""

        async def run() -> Result:
            has_begun = asyncio.Event()

            async def disturb_soon() -> None:
                await has_begun.wait()
                if disturb is not None:
                    await disturb()

            async with pool_of() as pool:
                disturbing = asyncio.create_task(disturb_soon())
                try:
                    return await self.arena.run(
                        specs,
                        executor=partial(ProcessesExecutor, pool=pool, workers=workers),
                        begins=lambda _: has_begun.set(),
                        **options,
                    )
                finally:
                    disturbing.cancel()
                    await asyncio.gather(disturbing, return_exceptions=True)

        (result,) = self.arena.together([run])
        assert workers_of(os.getpid()) == []
        return result


def workers_of(parent: int) -> list[int]:
    """The worker processes that a process has started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
            command = (status.parent / "cmdline").read_text()
        except OSError:
            continue
        if f"\nPPid:\t{parent}\n" in text and "executor.worker" in command:
            found.append(int(status.parent.name))
    return found


@pytest.fixture
def many(tmp_path: Path) -> ManyProcesses:
    return ManyProcesses(tmp_path)


def outcomes_of(result: Result) -> list[MatchOutcome]:
    assert result.error is None
    assert result.finished
    outcomes = without_thinking_times(result.outcomes)
    return sorted(outcomes, key=lambda outcome: (outcome.group, outcome.seating))


@pytest.mark.parametrize(("variant", "bots"), VARIANTS)
def test_the_outcomes_are_those_of_one_process(
    many: ManyProcesses, variant: str, bots: int
) -> None:
    specs = [many.arena.spec(GOOD) for _ in range(bots)]
    draws = parse_variant(variant).game.draw_modes[0]
    options: dict[str, Any] = {"variant": variant, "draws": draws, "groups": 2}
    options |= {"mirror": Mirror.ROTATIONS}
    here = outcomes_of(many.arena.play(specs, **options))
    assert outcomes_of(many.play(specs, **options)) == here


def test_matches_of_remote_bots_stay_here(many: ManyProcesses) -> None:
    """They dial in to this process; the others' matches are played by workers meanwhile."""
    specs: list[InstanceSpec] = [PromptSpec(choice=1)]
    specs += [many.arena.spec(GOOD) for _ in range(3)]
    options: dict[str, Any] = {"groups": 6, "mirror": Mirror.ROTATIONS}
    here = outcomes_of(many.arena.play(specs, **options))
    started = len(many.arena.lives.began)
    assert outcomes_of(many.play(specs, **options)) == here
    assert len(many.arena.lives.began) - started == 2 * 3, "workers start theirs elsewhere"


async def kill_workers(number: signal.Signals, times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0.5)
        for worker in workers_of(os.getpid())[:1]:
            os.kill(worker, number)


def test_what_a_killed_worker_had_not_finished_is_played_again(many: ManyProcesses) -> None:
    """Each match once, with the same outcome."""
    specs = [many.arena.spec(SLOW) for _ in range(3)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(many.arena.play(specs, **options))
    killed = many.play(specs, disturb=partial(kill_workers, signal.SIGKILL, 2), **options)
    assert outcomes_of(killed) == here


def test_a_worker_that_stands_still_is_given_up(
    many: ManyProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_connection, "_LOOKS", 3)
    monkeypatch.setattr(worker_connection, "_FIRST_LOOKS", 20)  # it may not have said anything yet
    specs = [many.arena.spec(SLOW) for _ in range(2)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(many.arena.play(specs, **options))
    stopped = many.play(specs, disturb=partial(kill_workers, signal.SIGSTOP, 1), **options)
    assert outcomes_of(stopped) == here


def test_a_chunk_that_costs_three_workers_ends_the_run(many: ManyProcesses) -> None:
    """The error names it; what was finished is kept."""
    killer = sdk("os.kill(os.getppid(), 9)")  # without isolation: the worker
    specs = [many.arena.spec(GOOD), many.arena.spec(killer)]
    result = many.play(specs, workers=1, groups=1)
    assert isinstance(result.error, ConflictError)
    assert "group 0, seating 0 met 3 faults" in str(result.error)


def test_a_bot_that_does_not_start_is_withdrawn_everywhere(many: ManyProcesses) -> None:
    """The others play on, and no worker waits for its matches."""
    specs = [
        *(many.arena.spec(GOOD) for _ in range(3)),
        many.arena.spec("raise SystemExit(3)"),
    ]
    result = many.play(specs, groups=20, mirror=Mirror.ROTATIONS)
    assert set(result.withdrawals) == {3}
    played = [outcome for outcome in outcomes_of(result) if 3 not in outcome.entrants]
    assert len(played) == 3 * 20 * 2


@pytest.mark.parametrize("at_once", [False, True])
def test_a_run_that_is_stopped_goes_on_later(many: ManyProcesses, at_once: bool) -> None:
    """Nothing of the workers is left, and no match is played twice."""
    specs = [many.arena.spec(SLOW) for _ in range(3)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(many.arena.play(specs, **options))
    store = MemoryStore()

    def stop(director: Director) -> None:
        if director.progress.matches_played >= 5:
            director.stop(at_once=at_once)

    stopped = many.play(specs, store=store, progressed=stop, **options)
    assert not stopped.finished
    assert 5 <= len(stopped.outcomes) < len(here)
    assert outcomes_of(many.play(specs, store=store, **options)) == here

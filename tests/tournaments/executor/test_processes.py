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
from mazzo_server.tournaments.executor.worker import process as worker_process
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


class Hall:
    """An arena whose matches are played by two workers."""

    def __init__(self, folder: Path) -> None:
        self.arena = Arena(folder)
        self.pool: WorkerPool | None = None

    def play(
        self,
        specs: Sequence[InstanceSpec],
        *,
        workers: int = 2,
        disturb: Callable[[WorkerPool], Any] | None = None,
        **options: Any,
    ) -> Result:
        """Play; `disturb` runs meanwhile. No worker process may be left."""

        async def run() -> Result:
            async with pool_of() as pool:
                self.pool = pool
                disturbing = asyncio.create_task(disturb(pool)) if disturb else None
                try:
                    return await self.arena.run(
                        specs,
                        executor=partial(ProcessesExecutor, pool=pool, workers=workers),
                        **options,
                    )
                finally:
                    if disturbing is not None:
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
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path)


def outcomes_of(result: Result) -> list[MatchOutcome]:
    assert result.error is None
    assert result.finished
    outcomes = without_thinking_times(result.outcomes)
    return sorted(outcomes, key=lambda outcome: (outcome.group, outcome.seating))


@pytest.mark.parametrize(("variant", "bots"), VARIANTS)
def test_the_outcomes_are_those_of_one_process(hall: Hall, variant: str, bots: int) -> None:
    specs = [hall.arena.spec(GOOD) for _ in range(bots)]
    draws = parse_variant(variant).game.draw_modes[0]
    options: dict[str, Any] = {"variant": variant, "draws": draws, "groups": 2}
    options |= {"mirror": Mirror.ROTATIONS}
    here = outcomes_of(hall.arena.play(specs, **options))
    assert outcomes_of(hall.play(specs, **options)) == here


def test_matches_of_remote_bots_stay_here(hall: Hall) -> None:
    """They dial in to this process; the others' matches are played by workers meanwhile."""
    specs: list[InstanceSpec] = [PromptSpec(choice=1)]
    specs += [hall.arena.spec(GOOD) for _ in range(3)]
    options: dict[str, Any] = {"groups": 6, "mirror": Mirror.ROTATIONS}
    here = outcomes_of(hall.arena.play(specs, **options))
    started = len(hall.arena.lives.began)
    assert outcomes_of(hall.play(specs, **options)) == here
    assert len(hall.arena.lives.began) - started == 2 * 3, "workers start theirs elsewhere"


async def kill_workers(number: signal.Signals, times: int, pool: WorkerPool) -> None:
    for _ in range(times):
        await asyncio.sleep(0.8)
        for worker in workers_of(os.getpid())[:1]:
            os.kill(worker, number)


def test_what_a_killed_worker_had_not_finished_is_played_again(hall: Hall) -> None:
    """Each match once, with the same outcome."""
    specs = [hall.arena.spec(SLOW) for _ in range(3)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(hall.arena.play(specs, **options))
    killed = hall.play(specs, disturb=partial(kill_workers, signal.SIGKILL, 2), **options)
    assert outcomes_of(killed) == here


def test_a_worker_that_stands_still_is_given_up(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "_LOOKS", 3)
    specs = [hall.arena.spec(SLOW) for _ in range(2)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(hall.arena.play(specs, **options))
    stopped = hall.play(specs, disturb=partial(kill_workers, signal.SIGSTOP, 1), **options)
    assert outcomes_of(stopped) == here


def test_a_chunk_that_costs_three_workers_ends_the_run(hall: Hall) -> None:
    """The error names it; what was finished is kept."""
    killer = sdk("os.kill(os.getppid(), 9)")  # without isolation: the worker
    specs = [hall.arena.spec(GOOD), hall.arena.spec(killer)]
    result = hall.play(specs, workers=1, groups=1)
    assert isinstance(result.error, ConflictError)
    assert "group 0, seating 0 met 3 faults" in str(result.error)


def test_a_bot_that_does_not_start_is_withdrawn_everywhere(hall: Hall) -> None:
    """The others play on, and no worker waits for its matches."""
    specs = [*(hall.arena.spec(GOOD) for _ in range(3)), hall.arena.spec("raise SystemExit(3)")]
    result = hall.play(specs, groups=20, mirror=Mirror.ROTATIONS)
    assert set(result.withdrawals) == {3}
    played = [outcome for outcome in outcomes_of(result) if 3 not in outcome.entrants]
    assert len(played) == 3 * 20 * 2


@pytest.mark.parametrize("at_once", [False, True])
def test_a_run_that_is_stopped_goes_on_later(hall: Hall, at_once: bool) -> None:
    """Nothing of the workers is left, and no match is played twice."""
    specs = [hall.arena.spec(SLOW) for _ in range(3)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(hall.arena.play(specs, **options))
    store = MemoryStore()

    def stop(director: Director) -> None:
        if director.progress.matches_played >= 5:
            director.stop(at_once=at_once)

    stopped = hall.play(specs, store=store, progressed=stop, **options)
    assert not stopped.finished
    assert 5 <= len(stopped.outcomes) < len(here)
    assert outcomes_of(hall.play(specs, store=store, **options)) == here

"""Matches played by worker processes: the same outcomes, whatever happens to the workers.

What holds for every executor is in `test_contract`.
"""

from __future__ import annotations

import asyncio
import os
import signal
from functools import partial
from typing import Any

import pytest

from mazzo.games import parse_variant
from mazzo_server.errors import ConflictError
from mazzo_server.model import Mirror
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.tournaments.executor.worker import connection as worker_connection
from support.executors import EXECUTORS, Stage, find_workers
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
ALWAYS = {"briscola/2", "briscola/4", "briscola-chiamata/5", "frap/3"}
SLOW = sdk("time.sleep(0.004)")


@pytest.fixture
def many(arena: Arena) -> Stage:
    """An arena whose matches are played by two workers."""
    return Stage(arena=arena, open=EXECUTORS["processes-2"])


def outcomes_of(result: Result) -> list[MatchOutcome]:
    assert result.error is None
    assert result.finished
    outcomes = without_thinking_times(result.outcomes)
    return sorted(outcomes, key=lambda outcome: (outcome.group, outcome.seating))


@pytest.mark.parametrize(
    ("variant", "bots"),
    [
        pytest.param(variant, bots, marks=[] if variant in ALWAYS else pytest.mark.prove)
        for variant, bots in VARIANTS
    ],
)
def test_the_outcomes_are_those_of_one_process(many: Stage, variant: str, bots: int) -> None:
    specs = [many.arena.spec(GOOD) for _ in range(bots)]
    draws = parse_variant(variant).game.draw_modes[0]
    options: dict[str, Any] = {"variant": variant, "draws": draws, "groups": 2}
    options |= {"mirror": Mirror.ROTATIONS}
    here = outcomes_of(many.arena.play(specs, **options))
    assert outcomes_of(many.play(specs, **options)) == here


def test_matches_of_remote_bots_stay_here(many: Stage) -> None:
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
        for worker in find_workers(os.getpid())[:1]:
            os.kill(worker, number)


def test_what_a_killed_worker_had_not_finished_is_played_again(many: Stage) -> None:
    """Each match once, with the same outcome."""
    specs = [many.arena.spec(SLOW) for _ in range(3)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(many.arena.play(specs, **options))
    killed = many.play(specs, disturb=partial(kill_workers, signal.SIGKILL, 2), **options)
    assert outcomes_of(killed) == here


def test_a_worker_that_stands_still_is_given_up(
    many: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_connection, "_LOOKS", 3)
    monkeypatch.setattr(worker_connection, "_FIRST_LOOKS", 20)  # it may not have said anything yet
    specs = [many.arena.spec(SLOW) for _ in range(2)]
    options: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}
    here = outcomes_of(many.arena.play(specs, **options))
    stopped = many.play(specs, disturb=partial(kill_workers, signal.SIGSTOP, 1), **options)
    assert outcomes_of(stopped) == here


def test_a_chunk_that_costs_three_workers_ends_the_run(arena: Arena) -> None:
    """The error names it; what was finished is kept."""
    killer = sdk("os.kill(os.getppid(), 9)")  # without isolation: the worker
    specs = [arena.spec(GOOD), arena.spec(killer)]
    result = Stage(arena=arena, open=EXECUTORS["processes-1"]).play(specs, groups=1)
    assert isinstance(result.error, ConflictError)
    assert "/0/0 met 3 faults" in str(result.error)

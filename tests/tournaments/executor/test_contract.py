"""The laws of `Executor`, for all of them: `support.executors.EXECUTORS` names them.

In every test a `Witness` checks that what begins also ends, once, and no twin beside it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest

from mazzo.shuffle import bot_seed, seating_salt
from mazzo_server.errors import IsolationError
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, Entrant, Mirror
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play import Began, Finished
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.storage import MemoryStore
from mazzo_server.tournaments.changes import add_entrant, retire_entrant
from mazzo_server.tournaments.running.director import Director
from mazzo_server.tournaments.running.upcoming import UpcomingGroups
from support.executors import EXECUTORS, Stage
from support.in_process_bots import PromptSpec
from support.scripted_tournaments import GOOD, Arena, Result, sdk, without_thinking_times

SLOW = sdk("time.sleep(0.002)")
MIRRORED: dict[str, Any] = {"groups": 8, "mirror": Mirror.ROTATIONS, "concurrency": 8}


PROVE = [pytest.mark.slow, pytest.mark.prove]
MARKS = {"local": [], "processes-2": [pytest.mark.slow]}  # the others take long


@pytest.fixture(params=[pytest.param(name, marks=MARKS.get(name, PROVE)) for name in EXECUTORS])
def stage(request: pytest.FixtureRequest, arena: Arena) -> Stage:
    """Each executor in turn."""
    return Stage(arena=arena, open=EXECUTORS[request.param])


def outcomes_of(result: Result) -> list[MatchOutcome]:
    assert result.error is None
    assert result.finished
    outcomes = without_thinking_times(result.outcomes)
    return sorted(outcomes, key=lambda outcome: (outcome.group, outcome.seating))


@pytest.mark.parametrize("concurrency", [1, 5, 64])
def test_the_reports_do_not_depend_on_how_many_are_played_at_once(
    stage: Stage, concurrency: int
) -> None:
    specs = [stage.arena.spec(GOOD) for _ in range(3)]
    options: dict[str, Any] = {"groups": 4, "mirror": Mirror.ROTATIONS}
    here = outcomes_of(stage.arena.play(specs, concurrency=1, **options))
    assert outcomes_of(stage.play(specs, concurrency=concurrency, **options)) == here
    keys = [(match.group, match.seating) for match in here]
    assert sorted((e.group, e.seating) for e in stage.events if isinstance(e, Began)) == keys
    finished = [e.outcome for e in stage.events if isinstance(e, Finished)]
    assert sorted((match.group, match.seating) for match in finished) == keys


NOTE = """
import time
FOLDER, SEEN, BEGAN = {folder!r}, set(), time.monotonic()
def note(view):
    with open(os.path.join(FOLDER, f"life-{{os.getpid()}}-{{BEGAN}}"), "a") as file:
        new = "" if view.seed in SEEN else view.seed.hex()
        SEEN.add(view.seed)
        file.write(f"{{time.monotonic()}} {{new}}\\n")
"""


def test_no_process_meets_a_deal_twice_and_twins_never_live_together(stage: Stage) -> None:
    arena, groups, seed = stage.arena, 6, bytes(32)
    noting = sdk("note(view)", start=NOTE.format(folder=str(arena.folder)))
    specs = [arena.spec(noting) for _ in range(3)]
    options: dict[str, Any] = {"groups": groups, "mirror": Mirror.ROTATIONS, "seed": seed}
    assert stage.play(specs, concurrency=4, **options).finished
    matches = {
        bot_seed(group.seed, seating_salt(group.seed, seating), seat).hex(): (group.number, seating)
        for group in list_groups(make_pairing(arena.definition(3, **options)))
        for seating in range(2)
        for seat in range(2)
    }
    lived: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for life in arena.folder.glob("life-*"):
        lines = [line.split(" ") for line in life.read_text().splitlines()]
        span = float(life.name.rpartition("-")[2]), float(lines[-1][0])  # until its last decision
        met = [matches[own] for _, own in lines if own]
        assert len({group for group, _ in met}) == len(met) > 0
        for match in met:
            lived[match].append(span)
    assert len(lived) == 2 * 3 * groups
    for group in range(3 * groups):
        for _, end in lived[group, 0]:
            for begin, _ in lived[group, 1]:
                assert end < begin


DORA = Entrant(name="dora", version=1, content_hash="1" * 64)


def retire(definition: Definition, first: int) -> Definition:
    return retire_entrant(definition, first, name="bot-01")


def replace(definition: Definition, first: int) -> Definition:
    return add_entrant(retire(definition, first), first, entrant=DORA)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["sandboxed", pytest.param("remote", marks=pytest.mark.prove)])
@pytest.mark.parametrize(
    ("amend", "newcomers"),
    [
        pytest.param(partial(add_entrant, entrant=DORA), 1, id="joins"),
        pytest.param(retire, 0, id="is retired"),
        pytest.param(replace, 1, id="is replaced"),
    ],
)
def test_the_entrants_change_in_the_middle(
    stage: Stage, amend: Any, newcomers: int, first: str
) -> None:
    """What is played is the schedule of the changed definition, whole and nothing else."""
    arena, groups, store = stage.arena, 12, MemoryStore()
    specs: list[InstanceSpec] = [arena.spec(GOOD) for _ in range(3)]
    if first == "remote":  # as for workers is every bot that cannot be sent to them
        specs[0] = PromptSpec()
    more = [arena.spec(GOOD) for _ in range(newcomers)]
    changes: list[asyncio.Task[int]] = []
    begun: list[Director] = []

    def begins(director: Director) -> None:
        begun.append(director)
        if len(begun) == 5:
            changes.append(asyncio.create_task(director.change(amend, *more)))

    result = stage.play(
        specs, store=store, begins=begins, groups=groups, mirror=Mirror.ROTATIONS, concurrency=1
    )
    played = outcomes_of(result)
    (change,) = changes
    assert 0 < change.result() < 3 * groups, "in the middle"
    schedule = list(list_groups(make_pairing(store.tournament(1).definition)))
    assert sorted((match.group, match.seating) for match in played) == [
        (group.number, seating) for group in schedule for seating in range(2)
    ]
    tables = {group.number: sorted(group.table) for group in schedule}
    assert all(sorted(match.entrants) == tables[match.group] for match in played)
    late = [table for number, table in tables.items() if number >= change.result()]
    assert any(3 in table for table in late) == bool(newcomers)
    if amend in (retire, replace):
        assert not any(1 in table for table in late)


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [False, True])
def test_a_run_that_is_stopped_goes_on_later(stage: Stage, at_once: bool) -> None:
    """No match is played twice, and only at once is one given up."""
    specs = [stage.arena.spec(SLOW) for _ in range(3)]
    here = outcomes_of(stage.arena.play(specs, **MIRRORED))
    store = MemoryStore()

    def stop(director: Director) -> None:
        if director.progress.matches_played >= 5:
            director.stop(at_once=at_once)

    stopped = stage.play(specs, store=store, progressed=stop, **MIRRORED)
    assert not stopped.finished
    assert 5 <= len(stopped.outcomes) < len(here)
    assert outcomes_of(stage.play(specs, store=store, **MIRRORED)) == here


def test_a_bot_that_does_not_start_is_withdrawn_everywhere(stage: Stage) -> None:
    """The others play on, and nobody waits for its matches."""
    specs = [
        *(stage.arena.spec(GOOD) for _ in range(3)),
        stage.arena.spec("raise SystemExit(3)"),
    ]
    result = stage.play(specs, groups=20, mirror=Mirror.ROTATIONS)
    assert set(result.withdrawals) == {3}
    played = [outcome for outcome in outcomes_of(result) if 3 not in outcome.entrants]
    assert len(played) == 3 * 20 * 2


def test_whoever_closes_early_leaves_nothing(stage: Stage) -> None:
    """The matches in flight are given up; the arena looks for what is left."""
    arena, store = stage.arena, MemoryStore()
    specs = [arena.spec(SLOW) for _ in range(3)]
    row = store.add_tournament(
        arena.definition(3, groups=20, mirror=Mirror.ROTATIONS), concurrency=1, create_time=0.0
    )

    async def run() -> Any:
        upcoming = UpcomingGroups(row, store)
        finished = await upcoming.load()
        groups = await upcoming.take_next_round(40)
        chunk = upcoming.make_chunk(groups, finished=finished, withdrawn=())

        async def count_attempts(keys: Any) -> list[int]:
            return [0 for _ in keys]

        async with stage.open() as make:
            executor = make(specs, concurrency=8, count_attempts=count_attempts, metrics=Metrics())
            async with aclosing(executor.play(chunk)) as events:
                seen = [await anext(events) for _ in range(6)]
        assert isinstance(seen[0], Began)

    arena.together([run])


def test_an_error_comes_after_all_that_was_reported_before(stage: Stage) -> None:
    """What had finished is stored, and the error is the one that stopped the platform."""
    frames: list[bytes] = []

    def fail_late(frame: bytes) -> None:
        frames.append(frame)
        if len(frames) == 70:  # each of its matches has 20 decisions
            raise IsolationError("the machine is on fire")

    specs: list[InstanceSpec] = [PromptSpec(hears=fail_late), PromptSpec()]
    specs += [stage.arena.spec(GOOD) for _ in range(2)]
    result = stage.play(specs, groups=8, concurrency=1, mirror=Mirror.ROTATIONS)
    assert isinstance(result.error, IsolationError)
    assert "on fire" in str(result.error)
    finished = [event.outcome for event in stage.events if isinstance(event, Finished)]
    keys = sorted((match.group, match.seating) for match in finished)
    assert keys == sorted((match.group, match.seating) for match in result.outcomes)
    assert 2 <= len(keys) < 6 * 8 * 2

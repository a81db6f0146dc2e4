"""How many processes play where nobody says: more than one only where that pays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.bots import Launcher
from mazzo_server.metrics import Metrics
from mazzo_server.model import PairingScheme
from mazzo_server.model.trial_report import TrialMatch
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from mazzo_server.tournaments.executor import Executors
from mazzo_server.tournaments.planning import Planner
from mazzo_server.tournaments.planning.worker_choice import (
    WorkerLoad,
    choose_workers,
    find_local_share,
)
from support.manual_tournaments import definition_of
from support.stored_rows import manifest_of, trial_of

# Quick bots for hours, with more in flight than any number of workers needs.
LONG = WorkerLoad(decisions=1e9, decision_seconds=0.0002, local_share=1.0, concurrency=4096)


@pytest.mark.parametrize(
    ("cores", "given", "workers", "reason"),
    [
        (1, {}, 1, "the game master is 55% of the work on 1 cores"),
        (2, {}, 1, "the game master is 55% of the work on 2 cores"),
        (3, {}, 1, "the game master is 55% of the work on 3 cores"),
        (4, {}, 2, "the game master is 55% of the work on 4 cores"),
        (8, {}, 4, "the game master is 55% of the work on 8 cores"),
        (16, {}, 5, "one process stores what they play"),
        (256, {}, 5, "one process stores what they play"),
        (16, {"concurrency": 128}, 4, "128 matches are in flight"),
        (16, {"concurrency": 63}, 1, "63 matches are in flight"),
        (16, {"decision_seconds": 0.0004}, 1, "the game master is 12% of the work on 16 cores"),
        (32, {"decision_seconds": 0.01}, 1, "the game master is 0% of the work on 32 cores"),
        (256, {"decision_seconds": 0.25}, 1, "the game master is 0% of the work on 256 cores"),
        (16, {"decision_seconds": None}, 1, "how long the bots think was not measured"),
        (16, {"decisions": 300 * 80.0}, 1, "one process would take about 0 s"),  # the demo
        (16, {"decisions": 5e6}, 2, "one process would take about 80 s"),
        (16, {"local_share": 0.0}, 1, "remote bots play in the platform's own process"),
        (16, {"decisions": 0.0}, 1, "one process would take about 0 s"),
        (16, {"decisions": 2.5e7, "local_share": 0.2}, 2, "one process would take about 80 s"),
    ],
)
def test_the_scarcest_of_all_decides(
    cores: int, given: dict[str, Any], workers: int, reason: str
) -> None:
    choice = choose_workers(replace(LONG, **given), cores=cores)
    assert (choice.workers, choice.reason) == (workers, reason)


def test_more_cores_never_mean_fewer_workers() -> None:
    for thought in (0.0, 0.0005, 0.001, 0.1):
        load = replace(LONG, decision_seconds=thought)
        found = [choose_workers(load, cores=cores).workers for cores in range(1, 100)]
        assert found == sorted(found)


@pytest.mark.parametrize(
    ("remote", "options", "share"),
    [
        ((), {}, 1.0),
        ((0,), {}, 1 / 3),
        ((0, 1), {}, 0.0),
        ((0, 1, 2), {}, 0.0),
        ((), {"pairing": PairingScheme.GAUNTLET, "hero": 1}, 1.0),
        ((0,), {"pairing": PairingScheme.GAUNTLET, "hero": 1}, 0.5),
        ((1,), {"pairing": PairingScheme.GAUNTLET, "hero": 1}, 0.0),
        ((0,), {"pairing": PairingScheme.SWISS, "rounds": 2}, 1 / 3),
        ((), {"variant": "briscola/3"}, 1.0),
    ],
)
def test_tables_with_a_remote_bot_stay_in_one_process(
    remote: tuple[int, ...], options: dict[str, Any], share: float
) -> None:
    definition = definition_of()
    entrants = tuple(
        replace(entrant, remote=index in remote)
        for index, entrant in enumerate(definition.entrants)
    )
    if "hero" in options:
        options = options | {"hero": entrants[options["hero"]].name}
    definition = replace(definition, entrants=entrants, **options)
    assert find_local_share(definition) == pytest.approx(share)


async def read_here(read: Callable[..., Any], *arguments: Any) -> Any:
    return read(*arguments)


def choose_for_stored(*, thought: float, groups: int, told: int = 0) -> int:
    """What the planner says of a stored tournament of bots that thought so long in trials."""
    store = MemoryStore()
    for name in ("ann", "bob", "cleo"):
        store.add_version(name, content_hash="0" * 64, manifest=manifest_of(), create_time=0.0)
        match = TrialMatch(variant="briscola/2", passed=True, decision_seconds=thought)
        store.set_trial(name, 1, trial=trial_of(matches=(match,)))
    entrants = tuple(replace(entrant, version=1) for entrant in definition_of().entrants)
    definition = definition_of(entrants=entrants, groups=groups)
    row = store.add_tournament(definition, concurrency=128, create_time=0.0)
    launcher: Launcher = None  # type: ignore[assignment]  # nothing is started
    executors = Executors(Settings(home=Path("nowhere")), Metrics())
    planner = Planner(store, launcher, executors, read=read_here, workers=told)
    return asyncio.run(planner.choose_workers(row, concurrency=row.concurrency)).workers


def test_the_planner_knows_cores_trials_and_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "mazzo_server.tournaments.planning.planner.list_usable_processors", lambda: list(range(16))
    )
    assert choose_for_stored(thought=0.0002, groups=1_000_000) == 4
    assert choose_for_stored(thought=0.0002, groups=100) == 1
    assert choose_for_stored(thought=0.05, groups=1_000_000) == 1
    assert choose_for_stored(thought=0.05, groups=100, told=3) == 3, "the server was told so"

"""The driver of a cluster, without any cluster: what it says of nodes and slots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import Any, cast

import pytest
from ray.exceptions import ActorUnschedulableError

from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError
from mazzo_server.metrics import Metrics
from mazzo_server.tournaments.executor.cluster import driver as driver_module
from mazzo_server.tournaments.executor.cluster.driver import Driver, _Slot
from mazzo_server.tournaments.executor.cluster.folders import hash_folder
from mazzo_server.tournaments.executor.cluster.messages import Bring, Drop, Left, Refused, Unsent
from mazzo_server.tournaments.executor.cluster.pool import _Driver


class MadeUpRelay:
    """A handle of a relay: a call of a method answers what the test says, or never."""

    def __init__(self, **answers: object) -> None:
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=lambda *_: self._answer(name))

    async def _answer(self, name: str) -> object:
        answer = self._answers.get(name)
        if name not in self._answers:
            await asyncio.Event().wait()
        if isinstance(answer, Exception):
            raise answer
        return answer


class Stage:
    """A driver, what it tells its platform, and the nodes that there are."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.nodes = ["node"]
        writer: Any = SimpleNamespace(is_closing=lambda: False, write=lambda _: None)
        self.driver = Driver(asyncio.StreamReader(), writer, required=frozenset(), level=0)
        cast(Any, self.driver)._tell = self.told.append

    async def has_node(self, node: str) -> bool:
        return node in self.nodes

    def add_slot(self, number: int = 0, *, has_joined: bool = False, **answers: object) -> _Slot:
        slot = _Slot(number, "node", MadeUpRelay(**answers))
        slot.join_time = monotonic() - 60.0 if has_joined else None
        self.driver._slots[number] = slot
        return slot


Play = Callable[[Callable[[Stage], Any]], list[Any]]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs a scene on a stage; returns the reasons for which nodes were refused."""

    def run(scene: Callable[[Stage], Any]) -> list[Any]:
        async def work() -> list[Any]:
            stage = Stage()
            monkeypatch.setattr(driver_module, "_has_node", stage.has_node)
            monkeypatch.setattr(driver_module, "_PATIENCE", 0.01)
            monkeypatch.setattr("ray.kill", lambda *_, **__: None)
            monkeypatch.setattr("ray.put", lambda data: data)  # which would start a cluster
            await scene(stage)
            return [each.reason for each in stage.told if isinstance(each, Refused)]

        return asyncio.run(work())

    return run


async def serve(stage: Stage, slot: _Slot) -> None:
    """Let the driver serve a slot for longer than its patience."""
    try:
        async with asyncio.timeout(3.0):
            serving = asyncio.create_task(stage.driver._serve(slot))
            while not any(isinstance(each, Refused) for each in stage.told):
                if serving.done():
                    break
                await asyncio.sleep(0.01)
    finally:
        serving.cancel()


def test_a_slot_that_does_not_answer_is_taken_by_another_platform(play: Play) -> None:
    """Nobody of ours was there."""

    async def scene(stage: Stage) -> None:
        await serve(stage, stage.add_slot())

    (reason,) = play(scene)
    assert "perhaps by another platform" in reason


def test_a_slot_whose_last_worker_was_ours_is_not_taken_by_others(play: Play) -> None:
    """Bug: a node that stood still was said to play for another platform."""

    async def scene(stage: Stage) -> None:
        slot = stage.add_slot(has_joined=True, close=None)
        stage.driver._end_soon(slot)
        assert slot.ending is not None
        await slot.ending
        await serve(stage, stage.add_slot(1))

    (reason,) = play(scene)
    assert "perhaps the machine stands still" in reason


def test_a_node_that_leaves_while_it_joins_is_not_said_to_lack_anything(play: Play) -> None:
    """Bug: it was said to be unable to run this Mazzo."""

    async def scene(stage: Stage) -> None:
        stage.nodes.clear()
        await serve(stage, stage.add_slot(examine=RuntimeError("the actor died")))

    assert play(scene) == []


def test_a_node_that_stays_and_does_not_join_cannot_run_this_mazzo(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await serve(stage, stage.add_slot(examine=RuntimeError("no module mazzo")))

    assert play(scene) == ["it cannot run this Mazzo: no module mazzo"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_has_changed_is_no_fault_of_a_node(
    play: Play, tmp_path: Path, is_there: bool
) -> None:
    """Bug: each node refused what came, and was blamed, until none might play."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").touch()
    digest = hash_folder(folder)
    if is_there:
        (folder / "bot.py").write_text("print()")
    else:
        rmtree(folder)

    async def scene(stage: Stage) -> None:
        slot = stage.add_slot(has_joined=True, close=None)
        slot.join_time = monotonic()
        await stage.driver._obey(Bring(slot=0, digest=digest, folder=folder), slot)
        unsent, left = stage.told
        assert isinstance(unsent, Unsent)
        assert left == Left(slot=0, reason=unsent.reason, has_node=False)
        assert slot.is_dropped
        assert stage.driver._nodes.may_play("node")
        platform = _Driver("nowhere:1", frozenset(), Metrics(), has_joined=True)
        await platform.compute_digest(tmp_path)
        platform._take(unsent)
        with pytest.raises(PlatformError, match=r"brought to the cluster: .*bot"):
            await platform.compute_digest(folder)
        await platform.compute_digest(tmp_path)

    assert play(scene) == []


def test_a_node_that_cannot_play_is_left_alone_for_a_while(play: Play) -> None:
    """Else its slot were filled again at once, and bots started there for nothing."""

    async def scene(stage: Stage) -> None:
        slot = stage.add_slot(has_joined=True, close=None)
        slot.join_time = monotonic()
        await stage.driver._obey(Drop(slot=0, reason="its disk is full"), slot)
        assert stage.told == [Left(slot=0, reason="its disk is full", has_node=True)]
        assert slot.is_dropped
        assert not stage.driver._nodes.may_play("node")

    assert play(scene) == []


def test_a_node_at_which_nothing_can_be_scheduled_is_not_refused(play: Play) -> None:
    """Bug: a cluster that was being ended was said to be unable to run this Mazzo."""

    async def scene(stage: Stage) -> None:
        slot = stage.add_slot(examine=ActorUnschedulableError("the node is infeasible"))
        await stage.driver._serve(slot)
        assert slot.ending is not None
        assert stage.driver._nodes.may_play("node")

    assert play(scene) == []

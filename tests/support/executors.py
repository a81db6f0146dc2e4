"""Every executor by name, and what all of them are asked: the laws of `Executor`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.metrics import Metrics
from mazzo_server.play import Began, Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.tournaments.executor import Chunk, Executor
from mazzo_server.tournaments.executor.cluster import ClusterPool
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.executor.pace import Pace
from mazzo_server.tournaments.executor.processes import ProcessesExecutor
from mazzo_server.tournaments.executor.worker import WorkerPool
from mazzo_server.tournaments.running.director import Director
from support.ray_cluster import RayCluster, run_cluster
from support.scripted_tournaments import Arena, Result

__all__ = ["EXECUTORS", "OpenExecutor", "Stage", "find_workers", "open_cluster"]

MakeExecutor = Callable[..., Executor]
"""Makes an executor from what `LocalExecutor` takes."""

OpenExecutor = Callable[[], AbstractAsyncContextManager[MakeExecutor]]
"""Holds what executors need, such as workers, while the context lasts; then nothing is left."""


@asynccontextmanager
async def open_local() -> AsyncIterator[MakeExecutor]:
    yield LocalExecutor


@asynccontextmanager
async def open_hasty() -> AsyncIterator[MakeExecutor]:
    """The same, which plays as few groups at a time as have begun when four matches are over."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pace, "is_enough", lambda self, now: self._finished >= 4)
        yield LocalExecutor


@asynccontextmanager
async def open_processes(workers: int) -> AsyncIterator[MakeExecutor]:
    pool = WorkerPool(Metrics())
    try:
        yield partial(ProcessesExecutor, pool=pool, workers=workers)
    finally:
        await pool.close()


@asynccontextmanager
async def open_ray() -> AsyncIterator[MakeExecutor]:
    """Two nodes, with two slots and one."""
    with run_cluster(2, 1) as cluster:
        async with open_cluster(cluster) as make:
            yield make


@asynccontextmanager
async def open_cluster(cluster: RayCluster) -> AsyncIterator[MakeExecutor]:
    """The same with a cluster that runs, and goes on."""
    pool = ClusterPool(Metrics(), address=cluster.address, required=frozenset())
    try:
        yield partial(ProcessesExecutor, pool=pool, workers=8)
    finally:
        await pool.close()


# One more executor is one more line.
EXECUTORS: Mapping[str, OpenExecutor] = {
    "local": open_local,
    "local-hasty": open_hasty,
    "processes-1": partial(open_processes, 1),
    "processes-2": partial(open_processes, 2),
    "processes-4": partial(open_processes, 4),
    "ray": open_ray,
}


def find_workers(parent: int) -> list[int]:
    """The worker processes that a process has started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            # A bot may name itself with any bytes.
            text = status.read_text(errors="replace")
            command = (status.parent / "cmdline").read_text(errors="replace")
        except OSError:
            continue
        if f"\nPPid:\t{parent}\n" in text and "executor.worker" in command:
            found.append(int(status.parent.name))
    return found


class Witness:
    """An executor that checks what another one reports."""

    def __init__(self, inner: Executor, events: list[PlayEvent]) -> None:
        self._inner = inner
        self._events = events
        self._is_stopped_at_once = False

    @property
    def groups_at_a_time(self) -> int:
        return self._inner.groups_at_a_time

    def add_entrants(self, specs: Sequence[InstanceSpec]) -> None:
        self._inner.add_entrants(specs)

    async def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        wanted = {
            (item.group.number, seating)
            for item in chunk.groups
            for seating in range(chunk.seatings)
        } - chunk.finished
        withdrawn = set(chunk.withdrawn)
        tables = {item.group.number: set(item.group.table) for item in chunk.groups}
        open_: dict[tuple[int, int], Began] = {}
        async with aclosing(self._inner.play(chunk)) as events:
            async for event in events:
                self._events.append(event)
                match event:
                    case Began():
                        key = event.group, event.seating
                        assert key in wanted, "begun only what must be played, and not twice"
                        assert key not in open_
                        open_[key] = event
                        twins = {seating for group, seating in open_ if group == event.group}
                        assert len(twins) == 1, "twins never live at once"
                    case Finished(outcome=outcome):
                        key = outcome.group, outcome.seating
                        del open_[key]
                        wanted.remove(key)
                    case Spoilt():
                        del open_[event.group, event.seating]
                    case Withdrawn():
                        withdrawn.add(event.entrant)
                yield event
        for group, _ in open_:
            given_up = self._is_stopped_at_once or tables[group] & withdrawn
            assert given_up, f"group {group} was begun, and nothing came of it"

    def cut_off(self, earliest: int) -> int:
        return self._inner.cut_off(earliest)

    def stop(self, *, at_once: bool = False) -> None:
        self._is_stopped_at_once |= at_once
        self._inner.stop(at_once=at_once)


@dataclass(slots=True, kw_only=True)
class Stage:
    """An arena whose matches one of the executors plays, under the eyes of a witness."""

    arena: Arena
    open: OpenExecutor
    events: list[PlayEvent] = field(default_factory=list)

    def play(
        self,
        specs: Sequence[InstanceSpec],
        *,
        disturb: Callable[[], Any] | None = None,
        begins: Callable[[Director], None] = lambda _: None,
        **options: Any,
    ) -> Result:
        """Play; `disturb` runs from the first match on. No worker process may be left."""
        self.events = []

        async def run() -> Result:
            has_begun = asyncio.Event()

            def note(director: Director) -> None:
                has_begun.set()
                begins(director)

            async def disturb_soon() -> None:
                await has_begun.wait()
                if disturb is not None:
                    await disturb()

            async with self.open() as make:
                disturbing = asyncio.create_task(disturb_soon())
                try:
                    return await self.arena.run(
                        specs,
                        executor=lambda *arguments, **more: Witness(
                            make(*arguments, **more), self.events
                        ),
                        begins=note,
                        **options,
                    )
                finally:
                    disturbing.cancel()
                    await asyncio.gather(disturbing, return_exceptions=True)

        (result,) = self.arena.together([run])
        assert find_workers(os.getpid()) == []
        return result

"""Workers without a process, which do with each chunk what a test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from fractions import Fraction
from pathlib import Path

from mazzo_server.metrics import Metrics
from mazzo_server.model.outcome import InstanceLog, MatchOutcome
from mazzo_server.play import Began, Finished, PlannedMatch, PlayEvent, Withdrawn
from mazzo_server.play.instances import SandboxedSpec
from mazzo_server.sandbox import Limits, open_sandbox
from mazzo_server.settings import Isolation
from mazzo_server.tournaments.executor import Chunk
from mazzo_server.tournaments.executor.worker import (
    PackedBot,
    WorkerConnection,
    WorkerPool,
    pack_message,
)
from mazzo_server.tournaments.executor.worker.messages import Happened, Over, Play, Stop

__all__ = [
    "ScriptedPool",
    "ScriptedWorker",
    "begin_all",
    "finish_all",
    "make_spec",
    "make_withdrawn",
]

Script = Callable[["ScriptedWorker", Play], object]
"""Tells a worker what to say when it is given a chunk."""


class ScriptedWorker(WorkerConnection):
    """A worker that does what its script says; when it is stopped at once, its job is over."""

    def __init__(self, script: Script, *, node: str = "") -> None:
        super().__init__(f"1 on {node}" if node else "1", Metrics(), node=node)
        self.chunks: list[Chunk] = []
        self._script = script
        self._reader = asyncio.StreamReader()
        self._reading = asyncio.create_task(self._read(self._reader), name=f"read {self.name}")

    async def prepare(self, bots: Sequence[PackedBot | None]) -> None:
        """Need nothing."""

    def tell(self, message: object) -> None:
        """Do what the script says."""
        if self.is_lost:
            return
        if isinstance(message, Play):
            self.chunks.append(message.chunk)
            self._script(self, message)
        elif isinstance(message, Stop) and message.at_once:
            self.say(Over(job=message.job))

    def say(self, *messages: object) -> None:
        """Tell the platform something."""
        for message in messages:
            self._reader.feed_data(pack_message(message))

    def report(self, play: Play, *events: PlayEvent) -> None:
        """Tell of events."""
        self.say(Happened.of(play.job, events))

    def die(self) -> None:
        """End without a word."""
        self._reader.feed_eof()

    async def close(self) -> None:
        """End as it was told."""
        self._is_closing = True
        self._reader.feed_eof()
        await self._reading


class ScriptedPool(WorkerPool):
    """A worker on each of some nodes, and one on this machine, or this one alone.

    A worker that is lost leaves its node empty, until all nodes are; on this machine the next one
    takes its place.
    """

    def __init__(self, here: Script, nodes: Mapping[str, Script] | None = None) -> None:
        """Begin in a loop that runs."""
        super().__init__(Metrics())
        self._script_here = here
        self._here = ScriptedWorker(here)
        self._lock = asyncio.Lock()
        self._scripts = nodes or {}
        self.nodes = self._fill_nodes()
        self.chunks_here: list[list[Chunk]] = [self._here.chunks]

    @property
    def is_cluster(self) -> bool:
        """Whether there are nodes."""
        return bool(self.nodes)

    @property
    def size(self) -> int:
        """How many workers live on the nodes."""
        return len(self._list_living())

    @asynccontextmanager
    async def use(self) -> AsyncIterator[None]:
        """Do nothing."""
        yield

    async def find(self, index: int) -> WorkerConnection:
        """Wait for ever if there are too few."""
        if not self.nodes:
            return self._find_living_here()
        if not self._list_living():
            self.nodes = self._fill_nodes()
        living = self._list_living()
        if index >= len(living):
            await asyncio.Event().wait()
        return living[index]

    @asynccontextmanager
    async def borrow_here(self) -> AsyncIterator[WorkerConnection]:
        """See `WorkerPool`."""
        async with self._lock:
            yield self._find_living_here()

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(*(worker.close() for worker in [self._here, *self.nodes.values()]))

    def _find_living_here(self) -> ScriptedWorker:
        if self._here.is_lost:
            self._here = ScriptedWorker(self._script_here)
            self.chunks_here.append(self._here.chunks)
        return self._here

    def _fill_nodes(self) -> dict[str, ScriptedWorker]:
        return {node: ScriptedWorker(script, node=node) for node, script in self._scripts.items()}

    def _list_living(self) -> list[ScriptedWorker]:
        return [worker for worker in self.nodes.values() if not worker.is_lost]


def list_matches(chunk: Chunk) -> list[PlannedMatch]:
    """Return the matches of a chunk that must be played."""
    return [match for seating in range(chunk.seatings) for match in chunk.list_matches(seating)]


def make_began(match: PlannedMatch) -> Began:
    """Return the event with which a match begins."""
    names = tuple(f"bot-{entrant}" for entrant in match.entrants)
    return Began(group=match.group, seating=match.seating, entrants=names, commitment=bytes(32))


def make_finished(match: PlannedMatch) -> Finished:
    """Return the event of a match without a deal."""
    seats = len(match.entrants)
    return Finished(
        outcome=MatchOutcome(
            group=match.group,
            seating=match.seating,
            entrants=match.entrants,
            match_scores=(Fraction(1, seats),) * seats,
            deals=(),
            faults=(),
            late=(0,) * seats,
            decisions=(0,) * seats,
            thinking_seconds=(0.0,) * seats,
        )
    )


def begin_all(worker: ScriptedWorker, play: Play) -> None:
    """Begin every match of a chunk, and finish none."""
    worker.report(play, *(make_began(match) for match in list_matches(play.chunk)))


def finish_all(worker: ScriptedWorker, play: Play) -> None:
    """Play a chunk at once."""
    for match in list_matches(play.chunk):
        worker.report(play, make_began(match), make_finished(match))
    worker.say(Over(job=play.job))


def make_withdrawn(entrant: int) -> Withdrawn:
    """Return the event that withdraws an entrant."""
    log = InstanceLog(text="", begin_time=0.0, end_time=0.0)
    return Withdrawn(entrant=entrant, reason="it does not start", log=log)


def make_spec() -> SandboxedSpec:
    """Return a bot that cannot be started."""
    return SandboxedSpec(
        name="bot",
        bundle=Path("nowhere"),
        command=("nothing",),
        capacity=64,
        start_up=1.0,
        sandbox=open_sandbox(Isolation.NONE),
        limits=Limits(),
    )

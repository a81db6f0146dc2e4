"""The cluster driver: a process that speaks with Ray, and keeps a worker in every slot.

It stands apart from its platform because Ray ends a process whose cluster is lost for too long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import ray

from mazzo_server.errors import PlatformError
from mazzo_server.tournaments.executor.cluster.access import Node, connect_ray, list_nodes
from mazzo_server.tournaments.executor.cluster.folders import pack_folder
from mazzo_server.tournaments.executor.cluster.installed import SLOTS
from mazzo_server.tournaments.executor.cluster.messages import (
    Bring,
    Drop,
    Joined,
    Left,
    NodeFacts,
    Refused,
    Tell,
    Wrote,
)
from mazzo_server.tournaments.executor.cluster.node import find_unfitness
from mazzo_server.tournaments.executor.cluster.relay import Relay
from mazzo_server.tournaments.executor.worker import MessageReader, pack_message

__all__ = ["Driver"]

_NO_SLOTS: Final = (
    "expected a node of the Ray cluster with slots for workers, got none: start nodes with "
    f"--resources '{{\"{SLOTS}\": 4}}' for four, as docs/how-to/use-a-cluster.md says"
)
_LOOK_SECONDS: Final = 2.0  # between two looks at the nodes
_LEAN_LOOKS: Final = 10  # without any slot, after which the cluster is given up
_CLOSE_SECONDS: Final = 20.0  # that a worker may take to end its instances
_LOSS_LOOKS: Final = 5  # a second apart: Ray needs that long to find out that a node is lost


_RELAY: Final[Any] = ray.remote(  # type: ignore[call-overload]
    num_cpus=0, resources={SLOTS: 1}, concurrency_groups={"reading": 1}, max_restarts=0
)(Relay)


@dataclass(slots=True, eq=False)
class _Slot:
    number: int
    node: str  # its id
    relay: Any  # a handle of a `Relay`
    is_dropped: bool = False
    brought: set[str] = field(default_factory=set)  # digests of folders


class Driver:
    """Tells its platform of slots that come and go, and passes on what is said."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, required: frozenset[str]
    ) -> None:
        """Refuse nodes without the `required` protections."""
        self._reader = MessageReader(reader)
        self._writer = writer
        self._required = required
        self._numbers = count()
        self._slots: dict[int, _Slot] = {}
        self._refused: set[str] = set()  # ids of nodes
        self._unfit = ""  # why a node was refused
        self._archives: dict[str, ray.ObjectRef[bytes]] = {}  # by digest
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, address: str) -> None:
        """Serve the platform until it is gone."""
        try:
            await asyncio.to_thread(connect_ray, address)
        except PlatformError as error:
            self._tell(Refused(reason=str(error), node=""))
            await self._writer.drain()
            return
        works = {asyncio.create_task(work) for work in (self._watch_nodes(), self._obey_platform())}
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
            for work in done:
                work.result()
        finally:
            for work in works:
                work.cancel()
            await self._close_all()
            await asyncio.to_thread(ray.shutdown)

    async def _obey_platform(self) -> None:
        """Do what the platform tells, until it is gone."""
        with suppress(EOFError):
            while True:
                for message in await self._reader.read():
                    self._obey(message)

    def _obey(self, message: Tell | Bring | Drop) -> None:
        slot = self._slots.get(message.slot)
        if slot is None or slot.is_dropped:
            return
        if isinstance(message, Tell):
            slot.relay.tell.remote(message.data)
        elif isinstance(message, Drop):
            slot.is_dropped = True
            self._begin(self._end(slot))
        elif message.digest not in slot.brought:
            slot.brought.add(message.digest)
            if message.digest not in self._archives:
                self._archives[message.digest] = ray.put(pack_folder(message.folder)[1])
            slot.relay.bring.remote(message.digest, self._archives[message.digest])

    async def _watch_nodes(self) -> None:
        """Fill every slot of every node, again and again; give up if there is none for long."""
        lean = 0  # looks without any slot
        while self._slots or lean < (_LEAN_LOOKS if not self._unfit else 1):
            lean += 1
            for node in await asyncio.to_thread(list_nodes):
                taken = sum(slot.node == node.id for slot in self._slots.values())
                if node.id not in self._refused:
                    for _ in range(node.slots - taken):
                        self._start_relay(node)
            if self._slots:
                lean = 0
            await asyncio.sleep(_LOOK_SECONDS)
        self._tell(Refused(reason=self._unfit or _NO_SLOTS, node=""))
        await self._writer.drain()

    def _start_relay(self, node: Node) -> None:
        relay = _RELAY.options(scheduling_strategy=node.strategy).remote()
        slot = _Slot(next(self._numbers), node.id, relay)
        self._slots[slot.number] = slot
        self._begin(self._serve(slot))

    async def _serve(self, slot: _Slot) -> None:
        """Pass on what a worker says, from the moment at which its node was looked at."""
        reason = "its worker ended"
        try:
            facts: NodeFacts = await slot.relay.examine.remote(slot.node[:8])
            if unfit := find_unfitness(facts, self._required):
                if slot.node not in self._refused:
                    self._refused.add(slot.node)
                    self._unfit = f"no node of the cluster may play; {facts.name}: {unfit}"
                    self._tell(Refused(reason=unfit, node=facts.name))
                await self._end(slot)
                return
            self._tell(Joined(slot=slot.number, node=facts))
            read = slot.relay.read.options(concurrency_group="reading")
            while (data := await read.remote()) is not None and not slot.is_dropped:
                if data:
                    self._tell(Wrote(slot=slot.number, data=data))
                    await self._writer.drain()
        except ray.exceptions.RayError as error:
            reason = f"{error}".strip().partition("\n")[0]
        if slot.is_dropped:
            return
        has_node = await self._has_node(slot.node)
        self._tell(Left(slot=slot.number, reason=reason, has_node=has_node))
        await self._end(slot)

    async def _has_node(self, node: str) -> bool:
        """Return whether a node is still there, when Ray has had the time to find that out."""
        for _ in range(_LOSS_LOOKS):
            if node not in {each.id for each in await asyncio.to_thread(list_nodes)}:
                return False
            await asyncio.sleep(1.0)
        return True

    async def _end(self, slot: _Slot) -> None:
        """Let a worker end, and make room for another one."""
        with suppress(ray.exceptions.RayError, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS + 5):
                await slot.relay.close.remote(_CLOSE_SECONDS)
        await asyncio.to_thread(ray.kill, slot.relay, no_restart=True)
        self._slots.pop(slot.number, None)

    async def _close_all(self) -> None:
        slots = list(self._slots.values())
        for slot in slots:
            slot.is_dropped = True
        await asyncio.gather(*map(self._end, slots), return_exceptions=True)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tell(self, message: object) -> None:
        if not self._writer.is_closing():
            self._writer.write(pack_message(message))

"""The cluster driver: a process that speaks with Ray, and keeps a worker in every slot.

It stands apart from its platform because Ray ends a process whose cluster is lost for too long.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import ray

from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError
from mazzo_server.tournaments.executor.cluster.access import Node, connect_ray, list_nodes
from mazzo_server.tournaments.executor.cluster.blame import NodeBlame
from mazzo_server.tournaments.executor.cluster.folders import pack_folder
from mazzo_server.tournaments.executor.cluster.installed import SLOTS
from mazzo_server.tournaments.executor.cluster.messages import (
    Alive,
    Bring,
    Connected,
    Drop,
    Joined,
    Left,
    NodeFacts,
    Refused,
    Tell,
    Unsent,
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
_NO_ROOM: Final = (
    "its slots are taken, perhaps by another platform: one that plays uses all slots of a cluster"
)
_STILL_ENDING: Final = (
    "its last worker has ended and no other one starts: perhaps the machine stands still"
)
_PATIENCE: Final = 15.0  # seconds, after which it is said that a slot has no room
_SHORT_LIFE: Final = 10.0  # seconds; the node of a worker that lived shorter is left alone a while
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
    join_time: float | None = None  # None: it has not joined
    is_dropped: bool = False
    ending: asyncio.Task[None] | None = None
    brought: set[str] = field(default_factory=set)  # digests of folders


class Driver:
    """Tells its platform of slots that come and go, and passes on what is said."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        required: frozenset[str],
        level: int,
    ) -> None:
        """Refuse nodes without the `required` protections; workers log from that level on."""
        self._reader = MessageReader(reader)
        self._writer = writer
        self._required = required
        self._level = level
        self._numbers = count()
        self._slots: dict[int, _Slot] = {}
        self._nodes = NodeBlame()
        self._ended: set[str] = set()  # nodes whose last worker ended, by id
        self._archives: dict[str, ray.ObjectRef[bytes]] = {}  # by digest
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, address: str) -> None:
        """Serve the platform until it is gone."""
        self._begin(_say_alive(self._tell))
        obeying = asyncio.create_task(self._obey_platform())
        connecting = asyncio.create_task(asyncio.to_thread(connect_ray, address))
        await asyncio.wait((obeying, connecting), return_when=asyncio.FIRST_COMPLETED)
        if not connecting.done():
            os._exit(0)  # nobody waits for it, and a thread of Ray's cannot be ended
        try:
            connecting.result()
        except PlatformError as error:
            self._tell(Refused(reason=str(error), node=""))
            await self._writer.drain()
            return
        watching = asyncio.create_task(self._watch_nodes())
        works = (obeying, watching)
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
                    slot = self._slots.get(message.slot)
                    if slot is None or slot.is_dropped:
                        continue
                    try:
                        await self._obey(message, slot)
                    except Exception as error:  # of Ray or of the disk; others may go on
                        self._give_up(slot, f"it cannot be told more: {error}", has_node=True)

    async def _obey(self, message: Tell | Bring | Drop, slot: _Slot) -> None:
        if isinstance(message, Tell):
            slot.relay.tell.remote(message.data)
        elif isinstance(message, Drop):
            if message.reason:
                self._give_up(slot, message.reason, has_node=True)
            self._end_soon(slot)
        elif message.digest not in slot.brought:
            if message.digest not in self._archives:
                try:
                    archive = await asyncio.to_thread(pack_folder, message.digest, message.folder)
                except (PlatformError, OSError) as error:  # no fault of the node
                    self._tell(Unsent(folder=message.folder, reason=str(error)))
                    self._tell(Left(slot=slot.number, reason=str(error), has_node=False))
                    self._end_soon(slot)
                    return
                self._archives[message.digest] = ray.put(archive)
            slot.brought.add(message.digest)
            bringing = slot.relay.bring.remote(message.digest, self._archives[message.digest])
            self._begin(self._check_brought(slot, bringing))

    async def _check_brought(self, slot: _Slot, bringing: Awaitable[None]) -> None:
        try:
            await bringing
        except ray.exceptions.RayTaskError as error:
            self._give_up(slot, f"a bot's files cannot be kept there: {error.cause}", has_node=True)
        except ray.exceptions.RayError:
            return  # the slot is lost, which `_serve` finds out

    async def _watch_nodes(self) -> None:
        """Fill every slot of every node, again and again; give up if there is none for long."""
        lean, had_slots = 0, False  # lean: looks without any slot
        while self._slots or lean < (1 if self._nodes.complaint else _LEAN_LOOKS):
            lean = 0 if self._slots else lean + 1
            for node in await asyncio.to_thread(list_nodes):
                if node.slots and not had_slots:
                    had_slots = True
                    self._tell(Connected())
                taken = sum(slot.node == node.id for slot in self._slots.values())
                if self._nodes.may_play(node.id):
                    for _ in range(node.slots - taken):
                        self._start_relay(node)
            await asyncio.sleep(_LOOK_SECONDS)
        complaint = self._nodes.complaint
        if complaint:
            self._tell(Refused(reason=f"no node of the cluster may play; {complaint}", node=""))
        elif not had_slots:
            self._tell(Refused(reason=_NO_SLOTS, node=""))
        await self._writer.drain()

    def _start_relay(self, node: Node) -> None:
        relay = _RELAY.options(scheduling_strategy=node.strategy).remote(self._level)
        slot = _Slot(next(self._numbers), node.id, relay)
        self._slots[slot.number] = slot
        self._begin(self._serve(slot))

    async def _serve(self, slot: _Slot) -> None:
        """Pass on what a worker says, from the moment at which its node was looked at."""
        reason, has_node = "its worker ended", True
        try:
            if await self._join(slot):
                read = slot.relay.read.options(concurrency_group="reading")
                while (data := await read.remote()) is not None and not slot.is_dropped:
                    self._tell(Wrote(slot=slot.number, data=data))
                    await self._writer.drain()
            else:
                self._end_soon(slot)
        except ray.exceptions.ActorUnschedulableError:
            self._nodes.forgive(slot.node)  # it has just left, or is about to
            self._end_soon(slot)
        except Exception as error:  # of Ray, in whatever way the machine is lost
            reason = f"{error}".strip().partition("\n")[0]
            has_node = await _has_node(slot.node)
        if not slot.is_dropped:
            self._give_up(slot, reason, has_node=has_node)

    async def _join(self, slot: _Slot) -> bool:
        """Return whether a slot's node may play; if so, tell that it does."""
        examining = asyncio.ensure_future(slot.relay.examine.remote(slot.node[:8]))
        await asyncio.wait((examining,), timeout=_PATIENCE)
        if not examining.done() and await _has_node(slot.node):
            reason = _STILL_ENDING if slot.node in self._ended else _NO_ROOM
            self._refuse(slot, slot.node[:8], reason)
        facts: NodeFacts = await examining
        if unfit := find_unfitness(facts, self._required):
            self._refuse(slot, facts.name, unfit)
            return False
        slot.join_time = monotonic()
        self._ended.discard(slot.node)
        self._tell(Joined(slot=slot.number, node=facts))
        return True

    def _refuse(self, slot: _Slot, name: str, reason: str) -> None:
        if self._nodes.blame(slot.node, f"{name}: {reason}"):
            self._tell(Refused(reason=reason, node=name))

    def _give_up(self, slot: _Slot, reason: str, *, has_node: bool) -> None:
        """Tell that a worker is gone; its node waits if the worker did not live long."""
        if not has_node:
            self._nodes.forgive(slot.node)
        elif slot.join_time is None:
            self._refuse(slot, slot.node[:8], f"it cannot run this Mazzo: {reason}")
        elif monotonic() - slot.join_time < _SHORT_LIFE:
            self._nodes.blame(slot.node, reason)
        else:
            self._nodes.forgive(slot.node)
        self._tell(Left(slot=slot.number, reason=reason, has_node=has_node))
        self._end_soon(slot)

    def _end_soon(self, slot: _Slot) -> None:
        """Hear a slot no more, let its worker end, and make room for another one."""
        slot.is_dropped = True
        slot.ending = slot.ending or asyncio.create_task(self._end(slot))

    async def _end(self, slot: _Slot) -> None:
        try:
            if slot.join_time is not None:
                self._ended.add(slot.node)
                async with asyncio.timeout(_CLOSE_SECONDS + 5):
                    await slot.relay.close.remote(_CLOSE_SECONDS)
        except (ray.exceptions.RayError, TimeoutError):
            pass
        finally:
            with suppress(Exception):  # it is gone already
                await asyncio.to_thread(ray.kill, slot.relay, no_restart=True)
            self._slots.pop(slot.number, None)

    async def _close_all(self) -> None:
        slots = list(self._slots.values())
        for slot in slots:
            self._end_soon(slot)
        endings = [slot.ending for slot in slots if slot.ending]
        await asyncio.gather(*endings, return_exceptions=True)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tell(self, message: object) -> None:
        if not self._writer.is_closing():
            self._writer.write(pack_message(message))


async def _say_alive(tell: Callable[[Alive], None]) -> None:
    while True:
        tell(Alive())
        await asyncio.sleep(_LOOK_SECONDS)


async def _has_node(node: str) -> bool:
    """Return whether a node is still there, when Ray has had the time to find that out."""
    for _ in range(_LOSS_LOOKS):
        if node not in {each.id for each in await asyncio.to_thread(list_nodes)}:
            return False
        await asyncio.sleep(1.0)
    return True

"""The workers of a cluster, which all tournaments of a platform share."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.tournaments.executor.chunk import Chunk
from mazzo_server.tournaments.executor.cluster.alike import explain_difference
from mazzo_server.tournaments.executor.cluster.blame import NodeBlame
from mazzo_server.tournaments.executor.cluster.folders import hash_folder
from mazzo_server.tournaments.executor.cluster.installed import check_installed
from mazzo_server.tournaments.executor.cluster.messages import (
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
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus, examine_apart
from mazzo_server.tournaments.executor.worker import (
    Job,
    MessageReader,
    PackedBot,
    WorkerConnection,
    WorkerPool,
    pack_message,
    read_soon,
)

__all__ = ["AlikePool", "ClusterPool"]

_LOG = logging.getLogger(__name__)

_PAUSE: Final = 3.0  # seconds before a lost cluster is looked for again
_END_SECONDS: Final = 60.0  # that the driver may take to end all workers
_UNJOINED_END_SECONDS: Final = 5.0  # the same, while it has none
_SILENT_RELAY: Final = 10.0  # seconds after which not only its worker is taken for dead
_LOOKS: Final = 60  # a second apart, without a word of the driver, after which it is given up

# Of the tournament that uses the pool in this context: who has which worker. Each has its own, so
# that tournaments share all workers, and no two feeders of one tournament get the same.
_HELD: Final = ContextVar[dict[int, WorkerConnection]]("held")


class _ClusterWorker(WorkerConnection):
    """A worker on some machine of a cluster."""

    def __init__(self, slot: int, facts: NodeFacts, driver: _Driver, metrics: Metrics) -> None:
        super().__init__(f"{slot + 1} on {facts.name}", metrics, node=facts.name)
        self._slot = slot
        self._driver = driver
        self._has_node = True
        self._heard_time = monotonic()
        self._reader = asyncio.StreamReader()  # bounded by what one chunk tells
        self._reading = asyncio.create_task(self._read(self._reader), name=f"read {self.name}")

    @property
    def is_alone(self) -> bool:
        """Whether its machine and its relay are still there."""
        return self._has_node and monotonic() - self._heard_time < _SILENT_RELAY

    async def prepare(self, bots: Sequence[PackedBot | None]) -> None:
        """Find out the digests of the folders of these bots."""
        for bot in filter(None, bots):
            await self._driver.compute_digest(bot.bundle)
            if bot.packages is not None:
                await self._driver.compute_digest(bot.packages)

    def begin(self, chunk: Chunk, bots: Sequence[PackedBot | None], *, concurrency: int) -> Job:
        """See `WorkerConnection`; the folders of the bots go there first."""
        return super().begin(chunk, [self._bring(bot) for bot in bots], concurrency=concurrency)

    def _bring(self, bot: PackedBot | None) -> PackedBot | None:
        if bot is None:
            return None
        bundle, packages = self._bring_folder(bot.bundle), bot.packages
        return replace(bot, bundle=bundle, packages=packages and self._bring_folder(packages))

    def _bring_folder(self, folder: Path) -> Path:
        digest = self._driver.digests[folder]
        self._driver.tell(Bring(slot=self._slot, digest=digest, folder=folder))
        return Path(digest)  # from the folder in which the worker runs

    def tell(self, message: object) -> None:
        """Send it a message, unless it is gone."""
        if not self.is_lost:
            self._driver.tell(Tell(slot=self._slot, data=pack_message(message)))

    def hear(self, data: bytes) -> None:
        """Take bytes that it wrote, or none as a sign of life of its relay."""
        self._heard_time = monotonic()
        if data:
            self._reader.feed_data(data)

    async def give_up(self, reason: str) -> None:
        """See `WorkerConnection`; its node waits."""
        self._driver.tell(Drop(slot=self._slot, reason=reason))
        await super().give_up(reason)

    def expect_end(self) -> None:
        """Log nothing when it ends."""
        self._is_closing = True

    def end(self, *, has_node: bool) -> None:
        """Note that it is gone; alone, if its node is still there."""
        self._has_node = has_node
        self._reader.feed_eof()

    async def close(self) -> None:
        """Give it up; the driver lets it end its instances."""
        self.expect_end()
        self._driver.tell(Drop(slot=self._slot))
        self.end(has_node=False)
        await self._reading

    async def _read(self, reader: asyncio.StreamReader) -> None:
        await super()._read(reader)
        self._driver.workers.pop(self._slot, None)
        self._driver.tell(Drop(slot=self._slot))  # what it says later is not heard


class _Driver:
    """The driver's process, see `driver.Driver`."""

    def __init__(
        self, address: str, required: frozenset[str], metrics: Metrics, *, has_joined: bool
    ) -> None:
        """`has_joined`: the cluster has been used before."""
        self.has_joined = has_joined  # some worker, at some time
        self.is_connected = False  # to a cluster with slots, or it was once
        self._address = address
        self._required = required
        self._metrics = metrics
        self.workers: dict[int, _ClusterWorker] = {}  # by slot, in the order in which they joined
        self.changed = asyncio.Event()  # set: a worker came or went
        self.error: PlatformError | None = None  # why the cluster may not be used
        self.digests: dict[Path, str] = {}  # of folders, which never change, see `hash_folder`
        self._unsent: dict[Path, str] = {}  # folders that did change, or cannot be read, and why
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None

    def list_living(self) -> list[_ClusterWorker]:
        """Return the workers that are not lost."""
        return [worker for worker in self.workers.values() if not worker.is_lost]

    async def compute_digest(self, folder: Path) -> None:
        """Note the digest of a bot's folder; raise `PlatformError` if it cannot be sent."""
        if reason := self._unsent.get(folder):
            raise PlatformError(f"a bot cannot be brought to the cluster: {reason}")
        if folder not in self.digests:
            self.digests[folder] = await asyncio.to_thread(hash_folder, folder)

    def tell(self, message: object) -> None:
        """Send the driver a message, unless it is gone."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(pack_message(message))

    async def run(self) -> None:
        """Start the process, and take what it tells until it is gone; raise OSError."""
        ours, theirs = socket.socketpair()
        level = logging.getLogger("mazzo_server").getEffectiveLevel()
        with theirs:
            program = "mazzo_server.tournaments.executor.cluster"
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", program, "drive"),
                    *(str(theirs.fileno()), self._address, ",".join(self._required)),
                    str(level),
                    # Ray gives this folder to its workers as one to import from.
                    cwd="/",
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    # Ray ends a process with pages about itself when its cluster is replaced.
                    stderr=None if level <= logging.DEBUG else asyncio.subprocess.DEVNULL,
                    start_new_session=True,
                    pass_fds=(theirs.fileno(),),
                )
            except BaseException:
                ours.close()
                raise
        reader, self._writer = await asyncio.open_connection(sock=ours)
        messages = MessageReader(reader)
        try:
            with suppress(EOFError, TimeoutError):
                while True:
                    for message in await read_soon(messages, _LOOKS):
                        self._take(message)
        except asyncio.CancelledError:
            for worker in self.workers.values():
                worker.expect_end()
            raise
        finally:
            for worker in [*self.workers.values()]:
                worker.end(has_node=False)
            self.workers.clear()
            self.changed.set()
            await self._close()

    def _take(self, message: Any) -> None:
        match message:
            case Joined(slot=slot, node=facts):
                self.has_joined = True
                self.workers[slot] = _ClusterWorker(slot, facts, self, self._metrics)
                _LOG.info(
                    "a worker joins on %s",
                    facts.name,
                    extra={"action": LogAction.WORKER_JOINED, "node": facts.name},
                )
                self.changed.set()
            case Wrote(slot=slot, data=data):
                if worker := self.workers.get(slot):
                    worker.hear(data)
            case Left(slot=slot):
                if worker := self.workers.pop(slot, None):
                    _LOG.info(
                        "the worker %s ends: %s",
                        *(worker.name, message.reason),
                        extra={"action": LogAction.WORKER_LEFT, "node": worker.node},
                    )
                    worker.end(has_node=message.has_node)
                self.changed.set()
            case Connected():
                self.is_connected = True
            case Unsent():
                self._unsent[message.folder] = message.reason
            case Refused(node=""):
                self.error = PlatformError(message.reason)
            case Refused():
                _LOG.warning(
                    "the node %s is refused: %s",
                    *(message.node, message.reason),
                    extra={"action": LogAction.NODE_REFUSED, "node": message.node},
                )

    async def _close(self) -> None:
        assert self._writer is not None
        assert self._process is not None
        self._writer.close()
        try:
            async with asyncio.timeout(_END_SECONDS if self.has_joined else _UNJOINED_END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


class ClusterPool(WorkerPool):
    """Finds workers on the nodes of a Ray cluster, whatever nodes come and go."""

    def __init__(self, metrics: Metrics, *, address: str, required: frozenset[str]) -> None:
        """Use the cluster at `HOST:PORT`, and there the nodes with the `required` protections."""
        super().__init__(metrics)
        self._address = address
        self._required = required
        self._driver = self._make_driver()
        self._driving: asyncio.Task[None] | None = None
        self._examining = asyncio.Lock()
        self._error: PlatformError | None = None  # why the cluster may not be used

    @property
    def is_cluster(self) -> bool:
        """True: see `WorkerPool`."""
        return True

    @property
    def size(self) -> int:
        """See `WorkerPool`."""
        return len(self._driver.list_living())

    @asynccontextmanager
    async def use(self) -> AsyncIterator[None]:
        """Keep the workers while the context lasts, in which one tournament finds them."""
        async with super().use():
            if self._driving is None or self._driving.done():
                self._error = None
                self._driving = asyncio.create_task(self._drive(), name="cluster")
            _HELD.set({})
            yield

    async def find(self, index: int) -> WorkerConnection:
        """Return the worker of that number, as soon as there is one that no other number has.

        Raises `PlatformError` for a cluster that may not be used.
        """
        return await self.find_on(index, lambda _: True)

    async def find_on(self, index: int, is_wanted: Callable[[str], bool]) -> WorkerConnection:
        """Do as `find` with the nodes whose names are wanted."""
        held = _HELD.get()
        while True:
            if self._error is not None:
                raise self._error
            driver = self._driver
            living = [worker for worker in driver.list_living() if is_wanted(worker.node)]
            worker = held.pop(index, None)
            if worker not in living:
                worker = next((one for one in living if one not in held.values()), None)
            if worker is not None:
                held[index] = worker
                return worker
            driver.changed.clear()
            await driver.changed.wait()

    def count_on(self, nodes: Iterable[str]) -> int:
        """Return how many workers there are now on the nodes of these names."""
        return sum(worker.node in nodes for worker in self._driver.list_living())

    async def examine(self, *, node: str = "", fastest: float = 0.0) -> ClusterStatus:
        """Look at the nodes, see `examine_cluster`; others wait, so that they disturb nothing."""
        async with self._examining:
            return await examine_apart(self._address, self._required, node=node, fastest=fastest)

    def restrict(self, speeds: Mapping[str, float], *, tournament: int) -> AlikePool:
        """Return the workers on these nodes, and on those that join and are like them."""
        return AlikePool(self, speeds, self._metrics, tournament=tournament)

    async def close(self) -> None:
        """End every worker, and let go of the cluster."""
        await super().close()
        await self._let_go()

    async def _drive(self) -> None:
        """Keep a driver running; give up if the cluster may not be used."""
        try:
            check_installed()
        except PlatformError as error:
            self._give_up(error)
            return
        while True:
            driver = self._driver
            try:
                await driver.run()
            except Exception as error:  # whatever it is, nobody may wait for ever
                self._give_up(PlatformError(f"the driver of the cluster cannot run: {error}"))
                return
            if not driver.has_joined and (driver.error or not driver.is_connected):
                self._give_up(driver.error or PlatformError("the driver of the cluster has ended"))
                return
            _LOG.warning(
                "the cluster at %s cannot be used now, and is looked for again: %s",
                *(self._address, driver.error or "it has no slots left, or its driver has ended"),
                extra={"action": LogAction.CLUSTER_LOST, "address": self._address},
            )
            await asyncio.sleep(_PAUSE)
            self._driver = self._make_driver(has_joined=True)
            driver.changed.set()

    def _list_workers(self) -> Iterable[WorkerConnection]:
        return [*super()._list_workers(), *self._driver.workers.values()]

    def _make_driver(self, *, has_joined: bool = False) -> _Driver:
        return _Driver(self._address, self._required, self._metrics, has_joined=has_joined)

    def _give_up(self, error: PlatformError) -> None:
        self._error = error
        self._driver.changed.set()

    def _let_go(self) -> Coroutine[Any, Any, None]:
        """Part with the driver at once, so that a new user starts another; return what ends it."""
        driving, self._driving = self._driving, None
        if driving is not None:
            driver, self._driver = self._driver, self._make_driver()
            driver.changed.set()
        return _end_driving(driving)

    def _end_idle(self) -> None:
        super()._end_idle()
        if not self._users:
            self._close_soon(self._let_go())


async def _end_driving(driving: asyncio.Task[None] | None) -> None:
    if driving is not None:
        driving.cancel()
        await asyncio.gather(driving, return_exceptions=True)


class AlikePool(WorkerPool):
    """The workers of a cluster whose nodes are alike, for one tournament.

    A node that joins is measured before it gets a match. One that differs gets none, and plays
    for other tournaments; if all others leave, the tournament waits for one that is alike. One that
    cannot be measured is measured again after a pause.
    """

    def __init__(
        self,
        pool: ClusterPool,
        speeds: Mapping[str, float],
        metrics: Metrics,
        *,
        tournament: int,
        patience: float = 5.0,
    ) -> None:
        """Begin with the nodes of these names and speeds, which are alike.

        Who waits looks again after so many seconds, as the pause of a node may be over.
        """
        super().__init__(metrics)
        self._pool = pool
        self._speeds = dict(speeds)
        self._tournament = tournament
        self._patience = patience
        self._differing: set[str] = set()  # names of nodes
        self._unmeasured = NodeBlame()  # those whose last look failed, by name
        self._judging = asyncio.Lock()

    @property
    def is_cluster(self) -> bool:
        """True: see `WorkerPool`."""
        return True

    @property
    def size(self) -> int:
        """See `WorkerPool`."""
        return self._pool.count_on(self._speeds)

    @asynccontextmanager
    async def use(self) -> AsyncIterator[None]:
        """Keep the workers while the context lasts."""
        async with self._pool.use():
            yield

    async def find(self, index: int) -> WorkerConnection:
        """See `ClusterPool`."""
        while True:
            try:
                async with asyncio.timeout(self._patience):
                    worker = await self._pool.find_on(index, self._may_play)
            except TimeoutError:
                continue
            if worker.node in self._speeds:
                return worker
            await self._judge(worker.node)

    @asynccontextmanager
    async def borrow_here(self) -> AsyncIterator[WorkerConnection]:
        """See `WorkerPool`."""
        async with self._pool.borrow_here() as worker:
            yield worker

    def _may_play(self, node: str) -> bool:
        """Return whether a node is like the others, or may be."""
        return node not in self._differing and self._unmeasured.may_play(node)

    async def _judge(self, node: str) -> None:
        """Find out whether a node is like the others."""
        async with self._judging:
            if node in self._speeds or not self._may_play(node):
                return
            try:
                fastest = max(self._speeds.values())
                speeds = (await self._pool.examine(node=node, fastest=fastest)).speeds
            except PlatformError as error:
                speeds, failure = {}, f"{error}"
            else:
                failure = "" if node in speeds else "it did not answer"
            if failure:
                if self._unmeasured.blame(node, failure):
                    self._warn(node, f"it cannot be measured now: {failure}")
            elif difference := explain_difference(self._speeds | speeds):
                self._differing.add(node)
                self._warn(node, difference)
            else:
                self._speeds |= speeds

    def _warn(self, node: str, reason: str) -> None:
        _LOG.warning(
            "tournament %d, which asked for alike nodes, plays no match on %s: %s",
            *(self._tournament, node, reason),
            extra={
                "action": LogAction.NODE_DIFFERS,
                "tournament": self._tournament,
                "node": node,
            },
        )

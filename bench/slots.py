"""Many simulated slots against the real scheduler and store: `bench.scale --slots 1000`.

Real: the director, the windows, the pool, a socket with the real messages for each slot, SQLite,
and the kept standings. Simulated: the play, see `bench.canned`. Two processes serve all slots,
since a thousand do not fit on one machine. Slots are lost at random, and nodes, groups of slots,
leave and come back. `python -m bench.slots FD SECONDS` is such a process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from bench.canned import CannedExecutor
from bench.ceiling import add_round_robin, check_results, count_cpu, play_stored
from mazzo_server.clock import monotonic
from mazzo_server.metrics import Metrics
from mazzo_server.results import read_standings
from mazzo_server.storage import Store, open_store
from mazzo_server.tournaments.executor.worker.process import WorkerProcess
from mazzo_server.tournaments.executor.worker.program import Worker

__all__ = ["print_slots"]

_HOSTS = 2  # processes that serve the slots
_NODE_SLOTS = 25
_AT_ONCE = 4  # matches in flight of a slot
_AWAY_SECONDS = 45.0  # that a node is away
_QUIET_SHARE = 0.9  # of the matches; after that nothing is lost
_SAMPLE_SECONDS = 5.0
_MESSAGE_BYTES = 64


class Nodes:
    """The processes that serve the slots, and which nodes are there."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.losses = self.leaves = 0
        self._controls: list[socket.socket] = []
        self._is_there = [asyncio.Event() for _ in range(-(-slots // _NODE_SLOTS))]

    @asynccontextmanager
    async def serve(self, match_seconds: float) -> AsyncIterator[None]:
        """Run the processes while the context lasts."""
        processes = []
        for event in self._is_there:
            event.set()
        for _ in range(_HOSTS):
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._controls.append(ours)
            with theirs:
                arguments = "-m", "bench.slots", str(theirs.fileno()), str(match_seconds)
                processes.append(
                    await asyncio.create_subprocess_exec(
                        sys.executable, *arguments, pass_fds=(theirs.fileno(),)
                    )
                )
        try:
            yield
        finally:
            for control in self._controls:
                control.close()
            for process in processes:
                await process.wait()

    async def connect(self, slot: int) -> socket.socket:
        """Begin a worker at a slot, once its node is there; return the socket to it."""
        await self._is_there[slot // _NODE_SLOTS].wait()
        ours, theirs = socket.socketpair()
        with theirs:
            message = f"begin {slot}".encode()
            socket.send_fds(self._controls[slot % _HOSTS], [message], [theirs.fileno()])
        return ours

    async def disturb(self, percent: float) -> None:
        """Lose so many percent of the slots a minute, and let a node leave once a minute."""
        random = Random(1)
        away: dict[int, float] = {}
        next_leave = monotonic() + 30.0
        try:
            while True:
                await asyncio.sleep(1.0)
                expected = self.slots * percent / 100 / 60
                for _ in range(int(expected) + (random.random() < expected % 1)):
                    self._lose(random.randrange(self.slots))
                    self.losses += 1
                for node in [node for node, until in away.items() if monotonic() > until]:
                    del away[node]
                    self._is_there[node].set()
                if monotonic() > next_leave:
                    next_leave += 60.0
                    node = random.randrange(len(self._is_there))
                    self._is_there[node].clear()
                    away[node] = monotonic() + _AWAY_SECONDS
                    self.leaves += 1
                    for slot in range(node * _NODE_SLOTS, (node + 1) * _NODE_SLOTS):
                        self._lose(slot)
        finally:
            for event in self._is_there:
                event.set()

    def _lose(self, slot: int) -> None:
        self._controls[slot % _HOSTS].send(f"lose {slot}".encode())


class SimulatedWorker(WorkerProcess):
    """A slot: a socket to one of the processes that serve many."""

    def __init__(self, name: str, metrics: Metrics, *, nodes: Nodes) -> None:
        super().__init__(name, metrics)
        self._nodes = nodes

    async def start(self, program: str = "") -> None:
        """See `WorkerProcess`."""
        ours = await self._nodes.connect(int(self.name) - 1)
        reader, self._writer = await asyncio.open_connection(sock=ours)
        self._reading = asyncio.create_task(self._read(reader), name=f"read {self.name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    time: float  # since the start
    matches: int  # stored
    kept: int  # of these, in the kept standings
    memory_bytes: int
    cpu_seconds: float
    late: float  # seconds, the latest of the event loop since the last sample


async def _sample_often(store: Store, tournament: int, samples: list[_Sample]) -> None:
    begin, used, late, sampled = monotonic(), count_cpu(), 0.0, 0.0
    while True:
        before = monotonic()
        await asyncio.sleep(0.1)
        now = monotonic()
        late = max(late, now - before - 0.1)
        if now - begin - sampled < _SAMPLE_SECONDS:
            continue
        sampled = now - begin
        row = await asyncio.to_thread(store.tournament, tournament)
        kept = await asyncio.to_thread(store.checkpoint, tournament)
        samples.append(
            _Sample(
                time=sampled,
                matches=row.matches_played,
                kept=2 * kept[0] if kept else 0,
                memory_bytes=_count_memory(),
                cpu_seconds=count_cpu() - used,
                late=late,
            )
        )
        late = 0.0


def _count_memory() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def _read_often(store: Store, tournament: int, taken: list[float]) -> None:
    """Read the standings once a minute, as somebody who looks at them does."""
    while True:
        await asyncio.sleep(60.0)
        begin = monotonic()
        row = await asyncio.to_thread(store.tournament, tournament)
        await asyncio.to_thread(read_standings, store, row)
        taken.append(monotonic() - begin)


def _find_lateness(samples: list[_Sample]) -> list[float]:
    """Return by sample how long ago as many matches were stored as are in the kept standings."""
    found, place = [], 0
    for sample in samples:
        while samples[place].matches < sample.kept:
            place += 1
        found.append(sample.time - samples[place].time)
    return found


async def _simulate(
    store: Store, tournament: int, *, slots: int, losses: float, match_seconds: float
) -> None:
    nodes, samples, taken = Nodes(slots), list[_Sample](), list[float]()
    make_worker = partial(SimulatedWorker, nodes=nodes)
    async with (
        nodes.serve(match_seconds),
        play_stored(
            store, tournament, workers=slots, concurrency=_AT_ONCE, make_worker=make_worker
        ) as run,
    ):
        watching = [
            asyncio.create_task(_sample_often(store, tournament, samples)),
            asyncio.create_task(_read_often(store, tournament, taken)),
            disturbing := asyncio.create_task(nodes.disturb(losses)),
        ]
        failures = []
        async for report in run.watch():
            failures.append(report.failure)
            if report.matches_played > _QUIET_SHARE * report.matches_total:
                disturbing.cancel()
        for task in watching:
            task.cancel()
        ended = await asyncio.gather(*watching, return_exceptions=True)
        wrong = [one for one in ended if isinstance(one, Exception)]
        assert not wrong, wrong
    for sample, late in zip(samples, _find_lateness(samples), strict=True):
        if sample is samples[-1] or round(sample.time / _SAMPLE_SECONDS) % 12 == 0:
            print(
                f"  {sample.time:>5.0f} s {sample.matches:>9,} matches, "
                f"{sample.memory_bytes / 2**20:>6,.0f} MiB, {sample.cpu_seconds:>5.0f} s of CPU, "
                f"standings {late:.0f} s late",
                flush=True,
            )
    assert not any(failures), failures[-1]
    first, last = samples[0], samples[-1]
    cpu = (last.cpu_seconds - first.cpu_seconds) / (last.matches - first.matches)
    speed = (last.matches - first.matches) / (last.time - first.time)
    latest = _find_lateness(samples)
    print(
        f"  {speed:,.0f} matches/s, {cpu * 1e6:.0f} µs of CPU a match; "
        f"{nodes.losses} slots lost, {nodes.leaves} nodes of {_NODE_SLOTS} left; standings "
        f"{median(latest):.0f} s late in the median, {max(latest):.0f} s at most; read in "
        f"{max(taken, default=0.0):.1f} s at most; the event loop late by "
        f"{max(sample.late for sample in samples):.1f} s at most"
    )


def print_slots(*, slots: int, minutes: float, losses: float, match_seconds: float) -> None:
    """Simulate so many slots for about so many minutes, check what is stored, and print."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a socket for each slot
    logging.basicConfig(level=logging.CRITICAL)  # each loss is a warning
    matches = int(slots * minutes * 60 * _AT_ONCE / match_seconds)
    with (
        tempfile.TemporaryDirectory(prefix="mazzo-bench-") as folder,
        closing(open_store(Path(folder) / "mazzo.db")) as store,
    ):
        tournament = add_round_robin(store, matches)
        print(
            f"{slots:,} simulated slots in {_HOSTS} processes, {_AT_ONCE} matches of "
            f"{match_seconds:g} s each at once, {losses:g} % of the slots lost a minute",
            flush=True,
        )
        begin = monotonic()
        simulation = _simulate(
            store, tournament, slots=slots, losses=losses, match_seconds=match_seconds
        )
        asyncio.run(simulation)
        print(f"  over after {monotonic() - begin:.0f} s", flush=True)
        check_results(store, tournament)
        print("  every match is stored once, and the standings are those of a recomputation")


async def _serve_slots(control: socket.socket, match_seconds: float) -> None:
    writers: dict[int, asyncio.StreamWriter] = {}
    tasks = set[asyncio.Task[None]]()
    is_over = asyncio.Event()

    async def play(slot: int, descriptor: int) -> None:
        sock = socket.socket(fileno=descriptor)
        reader, writer = await asyncio.open_connection(sock=sock)
        writers[slot] = writer
        make_executor = partial(CannedExecutor, match_seconds=match_seconds)
        await Worker(reader, writer, make_executor=make_executor).run(logging.CRITICAL)
        writer.close()

    def obey() -> None:
        data, descriptors, _, _ = socket.recv_fds(control, _MESSAGE_BYTES, 1)
        if not data:
            is_over.set()
            return
        order, slot = data.decode().split()
        if order == "begin":
            task = asyncio.create_task(play(int(slot), *descriptors))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        elif int(slot) in writers:
            writers[int(slot)].transport.abort()  # before it can tell that it ended

    asyncio.get_running_loop().add_reader(control, obey)
    await is_over.wait()


if __name__ == "__main__":
    _hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (_hard, _hard))
    asyncio.run(_serve_slots(socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2])))

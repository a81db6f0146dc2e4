"""`make soak`: a game master under load for minutes; does it grow, lose matches, or dawdle?

One tournament, with director, clocks and a store on disk, in this process, which is measured.
Every instance has a server object, a socket and a stream of its own, as in a tournament of
sandboxed bots. But at the other end two processes play for all of them, with random legal
actions: a hundred interpreters would measure the machine. Each instance takes a twentieth of a
second for a frame, as bots that think do; bots that answered at once would only show how long
a queue gets that is always full. The phases of the tournament end all instances now and then,
and start new ones.

Exit status 1 when a bar is missed: matches in flight, growth of memory after the first minute
(or sixth of a shorter run), lateness of the event loop, every match stored once and whole.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import secrets
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, cast

from mazzo import Bot
from mazzo.channel import open_channel
from mazzo.client import StreamCall, dial, play_stream
from mazzo.game import Action, View
from mazzo.v1 import play_pb2
from mazzo_server.clock import monotonic
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, Entrant, Mirror, TimeControl
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, SandboxedProcess
from mazzo_server.storage import open_store
from mazzo_server.tournaments.executor import count_attempts_in
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.running.director import Director

__all__ = ["Report", "soak"]

_THINKING = 0.05  # seconds that an instance takes for a frame
_CLIENTS = 2  # processes that play for all instances
_MOST_GROWTH = 1.05
_MOST_DELAY = 0.05  # seconds, of 99 heartbeats in 100
_DEALS = 2  # a match
_DECISIONS = 40 * _DEALS
_MATCHES_A_SECOND = 150  # more than any machine plays: the tournament is to last
_PATIENT = TimeControl(bank=600.0, increment=0.0, limit=120.0, start_up=60.0)


# The bots' side


class _Random(Bot):
    def act(self, view: View) -> Action:
        return view.random.choice(view.legal)


async def _play_for_all() -> None:
    """Play a stream for each line `address token capacity`; say the token when it has ended."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = set()

    async def one(address: str, token: str, capacity: int) -> None:
        try:
            async with open_channel(address) as channel:
                stream = _Thoughtful(dial(channel, token))
                await play_stream(_Random(), cast(StreamCall, stream), capacity=capacity)
        finally:
            print(token, flush=True)

    while line := (await reader.readline()).decode().split():
        task = asyncio.create_task(one(line[0], line[1], int(line[2])))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


class _Thoughtful:
    """A stream whose frames are only seen after a while."""

    def __init__(self, stream: StreamCall) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def read(self) -> Any:
        response = await self._stream.read()
        if isinstance(response, play_pb2.PlayResponse) and response.HasField("frame"):
            await asyncio.sleep(_THINKING)
        return response


class _Guest(SandboxedProcess):
    """One stream of a process that plays many."""

    log_size = 0

    def read_log(self, since: int = 0) -> str:
        """Nothing."""
        return ""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    def freeze(self) -> None:
        pass

    def thaw(self) -> None:
        pass

    def run_on(self, processor: int) -> None:
        pass

    async def wait(self) -> Exit:
        await self.ended.wait()
        return Exit(code=0, signal=None)

    async def kill(self) -> None:
        await self.ended.wait()


class _Guests(Sandbox):
    name = "none"

    def __init__(self, clients: Sequence[Process], capacity: int) -> None:
        self._clients = cycle(clients)
        self._capacity = capacity
        self._guests: dict[str, _Guest] = {}

    async def forget(self) -> None: ...

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        pipe = next(self._clients).stdin
        assert pipe is not None
        pipe.write(f"unix:{launch.socket} {launch.token} {self._capacity}\n".encode())
        guest = self._guests[launch.token] = _Guest()
        return guest

    async def listen(self, client: Process) -> None:
        assert client.stdout is not None
        while line := await client.stdout.readline():
            self._guests.pop(line.decode().strip()).ended.set()


@asynccontextmanager
async def _guests(capacity: int) -> AsyncIterator[_Guests]:
    command = (sys.executable, "-m", "bench.soak", "--client")
    clients = [
        await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        for _ in range(_CLIENTS)
    ]
    guests = _Guests(clients, capacity)
    listening = [asyncio.create_task(guests.listen(client)) for client in clients]
    try:
        yield guests
    finally:
        for client in clients:
            assert client.stdin is not None
            client.stdin.close()
        await asyncio.gather(*(client.wait() for client in clients), *listening)


# The server's side


class _Delays(Metrics):
    """Keeps count of how late the event loop is, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = [0] * 2000

    def observe_loop_delay(self, seconds: float) -> None:
        super().observe_loop_delay(seconds)
        self.counts[min(int(seconds * 1e3), len(self.counts) - 1)] += 1

    def percentile(self, share: float) -> float:
        """Seconds, rounded up to whole milliseconds."""
        left = share * sum(self.counts)
        for milliseconds, count in enumerate(self.counts):
            left -= count
            if left <= 0:
                return (milliseconds + 1) / 1e3
        return float("inf")


@dataclass(slots=True, kw_only=True)
class Report:
    """What came of a soak."""

    matches: int = 0
    decisions: int = 0
    lost: int = 0  # matches that began and were not stored whole, once
    seconds: float = 0.0
    delay: float = 0.0  # seconds, the 99th percentile
    memory: list[int] = field(default_factory=list)  # bytes, each second
    in_flight: list[int] = field(default_factory=list)  # matches, each second

    @property
    def growth(self) -> float:
        """Of the greatest memory after the first minute, against that of the first minute."""
        first = min(60, len(self.memory) // 6)
        return max(self.memory[first:]) / max(self.memory[:first])

    def missed(self, *, matches: int) -> list[str]:
        """The bars that were missed."""
        typical = sorted(self.in_flight)[len(self.in_flight) // 2]
        bars = {
            f"{typical} matches in flight in the median, of {matches}": typical >= 0.95 * matches,
            f"memory grew to {self.growth:.3f} ×": self.growth <= _MOST_GROWTH,
            f"the event loop is {self.delay * 1e3:.0f} ms late at p99": self.delay <= _MOST_DELAY,
            f"{self.lost} matches lost": not self.lost,
        }
        return [what for what, met in bars.items() if not met]


def _resident() -> int:
    """Bytes of memory of this process; Linux only."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def soak(*, matches: int, instances: int, seconds: float) -> Report:
    """Play so many matches at once between so many instances; prints a line each 30 s."""
    definition = Definition(
        name="soak",
        variant="briscola/2",
        entrants=tuple(
            Entrant(name=f"bot-{index:03}", version=1, content_hash="0" * 64)
            for index in range(instances)
        ),
        match_format=f"deals:{_DEALS}",
        mirror=Mirror.OFF,
        groups=math.ceil((2 * matches + _MATCHES_A_SECOND * seconds) / math.comb(instances, 2)),
        draws="seats",
        time=_PATIENT,
        isolation="none",
        seed=secrets.token_bytes(32),
        seed_chosen=False,
    )
    capacity = 64
    metrics, report = _Delays(), Report()
    with tempfile.TemporaryDirectory(prefix="mazzo-") as folder:
        store = await asyncio.to_thread(open_store, Path(folder) / "mazzo.db")
        row = store.add_tournament(definition, concurrency=matches, create_time=0.0)
        async with _guests(capacity) as sandbox:
            specs = [
                SandboxedSpec(
                    name=entrant.name,
                    bundle=Path(folder),
                    command=(),
                    capacity=capacity,
                    start_up=_PATIENT.start_up,
                    sandbox=sandbox,
                    limits=Limits(),
                )
                for entrant in definition.entrants
            ]
            director = Director(
                row,
                store,
                LocalExecutor(
                    specs,
                    concurrency=matches,
                    count_attempts=count_attempts_in(store, row.id),
                    metrics=metrics,
                ),
                metrics=metrics,
            )
            run = asyncio.create_task(director.run())
            began = monotonic()
            while not run.done() and monotonic() - began < seconds:
                await asyncio.wait((run,), timeout=1.0)
                report.memory.append(_resident())
                report.in_flight.append(len(director.in_flight))
                if len(report.memory) % 30 == 0:
                    print(
                        f"{monotonic() - began:6.0f} s  "
                        f"{director.progress.matches_played:>8,} matches  "
                        f"{report.in_flight[-1]:>5,} in flight  "
                        f"{report.memory[-1] / 2**20:6.0f} MiB  "
                        f"loop {metrics.percentile(0.99) * 1e3:.0f} ms late at p99",
                        flush=True,
                    )
            report.seconds = monotonic() - began
            report.delay = metrics.percentile(0.99)
            director.stop()
            await run
        outcomes = store.outcomes(row.id, with_deals=False)
        store.close()
    whole = {
        (outcome.group, outcome.seating)
        for outcome in outcomes
        if len(outcome.deals) == _DEALS
        and sum(outcome.decisions) == _DECISIONS
        and not outcome.faults
        and not any(outcome.late)
    }
    (started,) = (
        sample.value
        for metric in metrics.registry.collect()
        for sample in metric.samples
        if sample.name == "mazzo_matches_started_total"
    )
    report.matches = len(outcomes)
    report.decisions = sum(sum(outcome.decisions) for outcome in outcomes)
    report.lost = abs(int(started) - len(whole)) + len(outcomes) - len(whole)
    return report


def main() -> None:
    """Soak, and say whether the bars are met."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--instances", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--client", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.client:
        asyncio.run(_play_for_all())
        return
    report = asyncio.run(
        soak(matches=arguments.matches, instances=arguments.instances, seconds=arguments.seconds)
    )
    print(
        f"{report.matches:,} matches, {report.decisions:,} decisions, "
        f"{report.decisions / report.seconds:,.0f} a second; "
        f"memory {report.growth:.3f} ×, loop {report.delay * 1e3:.0f} ms late at p99, "
        f"{report.lost} matches lost"
    )
    missed = report.missed(matches=arguments.matches)
    print("every bar is met" if not missed else f"missed: {'; '.join(missed)}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    main()

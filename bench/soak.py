"""`make soak`: a game master under load for minutes; does it grow, lose matches, or dawdle?

One tournament, with director, clocks and a store on disk, in this process, and in workers if so
many are asked for; these are measured together. The bots are those of `bench.guests`. The phases of
the tournament end all instances now and then, and start new ones.

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
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.guests import CAPACITY, run_guests
from mazzo_server.clock import monotonic
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, Entrant, Mirror, TimeControl
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.sandbox import Limits, Sandbox, open_sandbox
from mazzo_server.settings import Isolation
from mazzo_server.storage import open_store
from mazzo_server.tournaments.executor import Executor, count_attempts_in
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.executor.processes import ProcessesExecutor
from mazzo_server.tournaments.executor.worker import WorkerPool
from mazzo_server.tournaments.executor.worker.process import WorkerProcess
from mazzo_server.tournaments.running.director import Director

__all__ = ["Report", "soak"]

_CLIENTS = 2  # processes that play for all instances, where no workers have their own
_MOST_GROWTH = 1.05
_MOST_DELAY = 0.05  # seconds, of 99 heartbeats in 100
_DEALS = 2  # a match
_DECISIONS = 40 * _DEALS
_MATCHES_A_SECOND = 150  # more than any machine plays: the tournament is to last
_PATIENT = TimeControl(bank=600.0, increment=0.0, limit=120.0, start_up=60.0)


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
        first = max(1, min(60, len(self.memory) // 6))
        return max(self.memory[first:], default=0) / max(self.memory[:first])

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


class _Workers(WorkerPool):
    """Workers that play with the bots of `bench.guests`."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(metrics, make_worker=self._make)
        self._made: list[_Worker] = []

    def _make(self, name: str, metrics: Metrics) -> WorkerProcess:
        self._made.append(_Worker(name, metrics))
        return self._made[-1]

    def list_processes(self) -> list[int]:
        """Return the process identifiers of the workers."""
        return [worker.process_id for worker in self._made if worker.process_id]


class _Worker(WorkerProcess):
    @property
    def process_id(self) -> int:
        """The identifier of the process; 0 when there is none."""
        process = self._process
        return 0 if process is None or process.returncode is not None else process.pid

    async def start(self, program: str = "bench.guests") -> None:
        """See `WorkerProcess`."""
        await super().start(program)


def _count_memory(processes: Sequence[int]) -> int:
    """Return the resident bytes of this process and of those; Linux only."""
    pages = [
        int(Path(f"/proc/{process}/statm").read_text().split()[1])
        for process in ("self", *processes)
    ]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


async def soak(*, matches: int, instances: int, seconds: float, workers: int = 1) -> Report:
    """Play so many matches at once between so many instances; prints a line each 30 s.

    With one worker this process plays, with more they do.
    """
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
    metrics, report = _Delays(), Report()
    with tempfile.TemporaryDirectory(prefix="mazzo-") as folder:
        store = await asyncio.to_thread(open_store, Path(folder) / "mazzo.db")
        row = store.add_tournament(definition, concurrency=matches, create_time=0.0)
        async with AsyncExitStack() as stack:
            pool = _Workers(metrics)
            stack.push_async_callback(pool.close)
            sandbox: Sandbox = open_sandbox(Isolation.NONE)
            if workers == 1:
                sandbox = await stack.enter_async_context(run_guests(_CLIENTS))
            specs = [
                SandboxedSpec(
                    name=entrant.name,
                    bundle=Path(folder),
                    command=(),
                    capacity=CAPACITY,
                    start_up=_PATIENT.start_up,
                    sandbox=sandbox,
                    limits=Limits(),
                )
                for entrant in definition.entrants
            ]
            count_attempts = count_attempts_in(store, row.id)
            executor: Executor = (
                LocalExecutor(
                    specs, concurrency=matches, count_attempts=count_attempts, metrics=metrics
                )
                if workers == 1
                else ProcessesExecutor(
                    specs,
                    pool=pool,
                    workers=workers,
                    concurrency=matches // workers,
                    count_attempts=count_attempts,
                    metrics=metrics,
                )
            )
            director = Director(row, store, executor, metrics=metrics)
            run = asyncio.create_task(director.run())
            began = monotonic()
            while not run.done() and monotonic() - began < seconds:
                await asyncio.wait((run,), timeout=1.0)
                report.memory.append(_count_memory(pool.list_processes()))
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
            report.delay = metrics.percentile(0.99)
            director.stop()
            await run
            report.seconds = monotonic() - began
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
    parser.add_argument("--workers", type=int, default=1, metavar="N")
    arguments = parser.parse_args()
    report = asyncio.run(soak(**vars(arguments)))
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

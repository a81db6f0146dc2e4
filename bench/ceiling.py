"""How many matches the scheduling process can take in, when workers answer at once.

The workers are canned, see `bench.canned`; the transport, the director, the store in SQLite and
the kept standings are real.
"""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from bench.canned import make_outcome
from mazzo.games import parse_variant
from mazzo_server.clock import monotonic
from mazzo_server.metrics import Metrics
from mazzo_server.model import Entrant, Mirror
from mazzo_server.pairing import list_groups, make_pairing
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.results import read_standings
from mazzo_server.results.standings import Fold, Standings
from mazzo_server.sandbox import Limits, open_sandbox
from mazzo_server.settings import Isolation
from mazzo_server.storage import Store, TournamentStatus, open_store
from mazzo_server.tournaments.executor import count_attempts_in
from mazzo_server.tournaments.executor.processes import ProcessesExecutor
from mazzo_server.tournaments.executor.worker import WorkerPool
from mazzo_server.tournaments.executor.worker.process import WorkerProcess
from mazzo_server.tournaments.running import Run
from support.stored_rows import DEFINITION, add_tournament

__all__ = [
    "Ceiling",
    "add_round_robin",
    "check_results",
    "count_cpu",
    "measure_ceiling",
    "play_stored",
    "print_ceiling",
]

_SPEED_BAR, _CPU_BAR = 3000, 150  # matches a second, microseconds of CPU a match
_ENTRANTS = 16
_TABLES = _ENTRANTS * (_ENTRANTS - 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What the scheduling process did, from the start of the tournament to its end."""

    matches: int
    seconds: float
    cpu_seconds: float  # of the scheduling process alone, all its threads
    memory_bytes: int  # the most that it had resident

    @property
    def matches_per_second(self) -> float:
        """Matches finished and stored."""
        return self.matches / self.seconds

    @property
    def match_micros(self) -> float:
        """Microseconds of CPU a match."""
        return self.cpu_seconds / self.matches * 1e6


class CannedWorker(WorkerProcess):
    """A worker process whose program plays nothing."""

    async def start(self, program: str = "bench.canned") -> None:
        """See `WorkerProcess`."""
        await super().start(program)


def add_round_robin(store: Store, matches: int) -> int:
    """Add a tournament of at least so many matches between 16 bots; return its number."""
    entrants = tuple(
        Entrant(name=f"bot-{number:02}", version=1, content_hash="0" * 64)
        for number in range(_ENTRANTS)
    )
    definition = replace(
        DEFINITION,
        entrants=entrants,
        mirror=Mirror.ROTATIONS,
        groups=-(-matches // (2 * _TABLES)),
    )
    return add_tournament(store, definition)


@asynccontextmanager
async def play_stored(
    store: Store,
    tournament: int,
    *,
    workers: int,
    concurrency: int,
    make_worker: Callable[[str, Metrics], WorkerProcess] = CannedWorker,
) -> AsyncIterator[Run]:
    """Play a stored tournament with the real scheduler while the context lasts."""
    metrics = Metrics()
    row = store.tournament(tournament)
    claim = store.claim(tournament)
    assert claim is not None
    sandbox = open_sandbox(Isolation.NONE)
    specs = [
        SandboxedSpec(
            name=entrant.name,
            bundle=Path(),
            command=(),
            capacity=64,
            start_up=20.0,
            sandbox=sandbox,
            limits=Limits(),
        )
        for entrant in row.definition.entrants
    ]
    pool = WorkerPool(metrics, make_worker=make_worker)
    executor = ProcessesExecutor(
        specs,
        pool=pool,
        workers=workers,
        concurrency=concurrency,
        count_attempts=count_attempts_in(store, tournament),
        metrics=metrics,
    )
    run = Run(row, store, executor, claim=claim, metrics=metrics)
    run.begin()
    try:
        yield run
    finally:
        run.stop()
        assert run.task is not None
        await run.task
        await pool.close()


def check_results(store: Store, tournament: int) -> None:
    """Check that every match is stored once, as it was made, and that the standings are right."""
    row = store.tournament(tournament)
    assert row.status is TournamentStatus.FINISHED, row.status
    sides = parse_variant(row.definition.variant).sides
    fold, matches, first, most = Fold(row.definition, sides), 0, 0, 5000
    groups = list(list_groups(make_pairing(row.definition)))
    while first < len(groups):
        part = groups[first : first + most]
        made = [
            [
                make_outcome(group.number, seating, group.by_seat(seating, sides))
                for seating in (0, 1)
            ]
            for group in part
        ]
        stored = store.outcomes(
            tournament, with_deals=True, first_group=first, end_group=first + most
        )
        assert stored == [outcome for one in made for outcome in one], f"groups from {first} on"
        for group, outcomes in zip(part, made, strict=True):
            fold.add(group, outcomes)
        matches += len(stored)
        first += most
    assert row.matches_played == matches, (row.matches_played, matches)
    expected: Standings = fold.make_standings(groups=len(groups))
    assert read_standings(store, row) == expected


def measure_ceiling(*, matches: int, workers: int, concurrency: int = 128) -> Ceiling:
    """Play a tournament of so many canned matches, check it, and return what it cost."""
    with (
        tempfile.TemporaryDirectory(prefix="mazzo-bench-") as folder,
        closing(open_store(Path(folder) / "mazzo.db")) as store,
    ):
        tournament = add_round_robin(store, matches)
        seconds, used = asyncio.run(_play(store, tournament, workers, concurrency))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        check_results(store, tournament)
        matches = store.tournament(tournament).matches_played
    return Ceiling(matches=matches, seconds=seconds, cpu_seconds=used, memory_bytes=memory)


async def _play(
    store: Store, tournament: int, workers: int, concurrency: int
) -> tuple[float, float]:
    begin, used = monotonic(), count_cpu()
    async with play_stored(store, tournament, workers=workers, concurrency=concurrency) as run:
        failures = [report.failure async for report in run.watch()]
        assert not any(failures), failures
        return monotonic() - begin, count_cpu() - used


def count_cpu() -> float:
    """Return the CPU seconds of this process."""
    used = os.times()
    return used.user + used.system


def print_ceiling(*, matches: int = 120_000, workers: int = 2, rounds: int = 3) -> None:
    """Measure some rounds, and print their medians beside the bars."""
    found = [measure_ceiling(matches=matches, workers=workers) for _ in range(rounds)]
    speed = median(one.matches_per_second for one in found)
    print(
        f"The scheduling process, {workers} workers that answer at once, SQLite, with standings; "
        f"medians of {rounds} rounds of {found[0].matches:,} matches\n"
        f"  {speed:,.0f} matches/s (bar {_SPEED_BAR:,}), "
        f"{median(one.match_micros for one in found):.0f} µs of CPU a match (bar {_CPU_BAR}), "
        f"at most {max(one.memory_bytes for one in found) / 2**20:.0f} MiB"
    )


def main() -> None:
    """Measure and print; `make bench-scale` prints the same after its other figures."""
    print_ceiling()


if __name__ == "__main__":
    main()
